/** Links, paths and scripts that the documentation names exist. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeSpans, documents, proseLines, readDocument, root, tableRows } from './support/markdown.js';

const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };
test.each(documents)('Every link in %s leads somewhere', (file) => {
  const dead = proseLines(file).flatMap(({ line, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target) && !leadsSomewhere(file, target))
      .map((target) => `${file}:${line}: ${target}`),
  );
  expect(dead).toEqual([]);
});

const folders = readdirSync(root).filter((entry) => statSync(root + entry).isDirectory());

test.each(documents)('Every path that %s names exists', (file) => {
  const missing = proseLines(file).flatMap(({ line, text }) =>
    codeSpans(text)
      .filter((span) => /^[\w./-]+\/[\w./-]*$/.test(span) && folders.includes(span.split('/')[0] ?? ''))
      .filter((path) => !path.startsWith('dist/') && !existsSync(root + path)) // dist/ is there after a build
      .map((path) => `${file}:${line}: ${path}`),
  );
  expect(missing).toEqual([]);
});

describe('docs/architecture.md', () => {
  const rows = tableRows('docs/architecture.md', 'Folder', 'Contents').map(
    ([folder = '', contents = '']) => ({
      folder: codeSpans(folder)[0] ?? '',
      files: codeSpans(contents).filter((span) => /^\w+\.ts$/.test(span)),
    }),
  );

  test('describes every folder of src', () => {
    const folders = readdirSync(`${root}src`, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${join(entry.parentPath, entry.name).slice(root.length)}/`);
    expect(rows.map(({ folder }) => folder).sort()).toEqual(folders.sort());
  });

  test.each(rows)('names files that exist in $folder', ({ folder, files }) => {
    expect(files.filter((file) => !existsSync(root + folder + file))).toEqual([]);
  });
});

describe('A script of npm', () => {
  const named = documents
    .flatMap((file) => [...readDocument(file).matchAll(/\bnpm (?:run ([\w:]+)|(start|test)\b)/g)])
    .map(([, script = '', short = '']) => (script === '' ? short : script));

  test.each([...new Set(named)])('exists in package.json: %s', (script) => {
    expect(scripts).toHaveProperty([script]);
  });
});

test('The README has at most 140 lines, without its table of root fields', () => {
  const lines = readDocument('README.md').trimEnd().split('\n');
  expect(lines.filter((line) => !line.startsWith('|')).length).toBeLessThanOrEqual(140);
});

test('Every page in docs is linked from the README or from a page that is', () => {
  const linked = new Set(['README.md']);
  for (const file of linked) {
    for (const [, target = ''] of readDocument(file).matchAll(/\]\(([^)#\s]+\.md)(?:#[^)]*)?\)/g))
      if (!/^https?:/.test(target)) linked.add(join(dirname(file), target));
  }
  expect(documents.filter((file) => !linked.has(file))).toEqual([]);
});

function leadsSomewhere(file: string, target: string): boolean {
  const [path = '', heading] = target.split('#');
  const linked = path === '' ? file : join(dirname(file), path);
  return existsSync(root + linked) && (heading === undefined || headingsOf(linked).includes(heading));
}

/** Anchors as GitHub makes them of headings. */
function headingsOf(file: string): string[] {
  return proseLines(file)
    .filter(({ text }) => /^#+ /.test(text))
    .map(({ text }) =>
      text
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    );
}
