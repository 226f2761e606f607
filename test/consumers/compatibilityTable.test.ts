import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

test('the table of clients lists the versions that the tests run against', () => {
  const markdown = readFileSync(new URL('docs/clients.md', root), 'utf8');
  const rows = [...markdown.matchAll(/^\| `([@\w/-]+)` +\| ([\d.]+) +\|/gm)];
  expect(rows.length).toBe(10);
  for (const [, tool = '', version] of rows) {
    const manifest = readFileSync(new URL(`node_modules/${tool}/package.json`, root), 'utf8');
    expect([tool, version]).toEqual([tool, (JSON.parse(manifest) as { version: string }).version]);
  }
});
