import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the compatibility tables name the versions that the tests run with', () => {
  const pages = ['clients.md', 'federation.md'].map((page) =>
    readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8'),
  );
  const rows = [...pages.join('').matchAll(/^\| `(@[\w/-]+)` +\| ([\d.]+) +\|/gm)];
  expect(rows.length).toBe(7);
  for (const [, tool = '', version] of rows) {
    const manifest = new URL(`../../node_modules/${tool}/package.json`, import.meta.url);
    expect([tool, version]).toEqual([
      tool,
      (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version,
    ]);
  }
});
