import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

test.each([
  ['docs/federation.md', 7],
  ['docs/http.md', 6],
])('the table of clients in %s lists the versions that the tests run against', (page, count) => {
  const markdown = readFileSync(new URL(page, root), 'utf8');
  const rows = [...markdown.matchAll(/^\| `([@\w/-]+)` +\| ([\d.]+) +\|/gm)];
  expect(rows.length).toBe(count);
  for (const [, tool = '', version] of rows) {
    const manifest = readFileSync(new URL(`node_modules/${tool}/package.json`, root), 'utf8');
    expect([tool, version]).toEqual([tool, (JSON.parse(manifest) as { version: string }).version]);
  }
});
