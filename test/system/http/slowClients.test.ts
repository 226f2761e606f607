/** The gateway disconnects 500 concurrent slow clients without delaying others. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { useGateway } from '../../support/gateway/gateway.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';

skipIf(reasonToSkip('slowhttptest'));

const CONNECTIONS = 500;
const gateway = useGateway({ config: { http: { headersTimeoutMs: 1000, requestTimeoutMs: 3000 } } });

const folder = mkdtempSync(join(tmpdir(), 'slow-clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

test.for<[part: string, mode: string[]]>([
  ['headers', ['-H']],
  ['bodies', ['-B', '-f', 'application/json', '-s', '8192']],
])('disconnects clients that send slow %s', { timeout: 90_000 }, async ([part, mode]) => {
  const report = join(folder, part);
  const program = spawn(
    'slowhttptest',
    [
      ...mode,
      ...['-c', String(CONNECTIONS), '-r', String(CONNECTIONS), '-i', '1', '-l', '60', '-u', gateway.url],
      ...['-g', '-o', report],
    ],
    { env: minimalEnv },
  );
  const ended = once(program, 'exit');
  const printed = text(program.stdout);
  const startedAt = performance.now();
  const statuses: number[] = [];
  while (program.exitCode === null) {
    statuses.push((await gateway.execute('{ __typename }')).status);
    await sleep(100);
  }
  await ended;
  const elapsedMs = performance.now() - startedAt;
  const rows = readFileSync(`${report}.csv`, 'utf8').trim().split('\n').slice(1);
  const opened = rows.map((row) => row.split(',').slice(1, 4).map(Number)).map((counts) => sum(counts));
  console.log(`${statuses.length} probes in ${Math.round(elapsedMs)} ms\n${rows.join('\n')}`);
  expect(Math.max(...opened)).toBe(CONNECTIONS);
  expect(await printed).toContain('No open connections left');
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(statuses.length).toBeGreaterThan(10);
  // slowhttptest would run for 60 seconds if connections were left.
  expect(elapsedMs).toBeLessThan(40_000);
});

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
