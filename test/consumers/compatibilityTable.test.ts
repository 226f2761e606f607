import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = ['docs/federation.md', 'README.md']
  .map((path) => new URL(path, root))
  .find((candidate) => existsSync(candidate));

test('the compatibility table lists the tool versions that the tests run against', () => {
  const markdown = page === undefined ? '' : readFileSync(page, 'utf8');
  const rows = [...markdown.matchAll(/^\| `(@[\w/-]+)` +\| ([\d.]+) +\|/gm)];
  expect(rows.length).toBe(7);
  for (const [, tool = '', version] of rows) {
    const manifest = readFileSync(new URL(`node_modules/${tool}/package.json`, root), 'utf8');
    expect([tool, version]).toEqual([tool, (JSON.parse(manifest) as { version: string }).version]);
  }
});
