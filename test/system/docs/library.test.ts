/** Runs the programs in the documentation unchanged against the built package. */
import { afterEach, expect, test } from 'vitest';
import { codeBlocks, documents } from '../../docs/support/markdown.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';

afterEach(killProcesses);

const programs = documents.flatMap(codeBlocks).filter(({ language }) => language === 'ts');

test.each(programs)('The program at $file:$line starts a gateway', async ({ text }) => {
  const args = ['--input-type=module', '--eval', text];
  const program = startProcess(process.execPath, args, { env: { PORT: '0' } });
  const [, url = ''] = await program.printed(/^(http:\/\/127\.0\.0\.1:\d+\/graphql)$/m);
  expect((await fetch(new URL('/readyz', url))).status).toBe(200);
});
