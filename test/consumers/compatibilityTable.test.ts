import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { skipIf } from '../support/process/requirements.js';
import { toolsMissing } from '../support/setup/skipWithoutTools.js';

skipIf(toolsMissing);

const root = new URL('../../', import.meta.url);

test('the table of clients lists the versions that the tests run against', () => {
  const markdown = readFileSync(new URL('docs/clients.md', root), 'utf8');
  const rows = [...markdown.matchAll(/^\| `([@\w/-]+)` +\| ([\d.]+) +\|/gm)];
  expect(rows.length).toBe(10);
  for (const [, tool = '', version] of rows) {
    const [path = ''] = ['test/node_modules', 'node_modules']
      .map((folder) => new URL(`${folder}/${tool}/package.json`, root))
      .filter((candidate) => existsSync(candidate));
    const manifest = readFileSync(path, 'utf8');
    expect([tool, version]).toEqual([tool, (JSON.parse(manifest) as { version: string }).version]);
  }
});
