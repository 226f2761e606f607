/** The Markdown files of the documentation, and what tests read from them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Paths of all documentation files, relative to the root of the repository. */
export const documents: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  '.github/CONTRIBUTING.md',
  '.github/SECURITY.md',
  'deploy/observability/README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .sort(),
];

export function readDocument(path: string): string {
  return readFileSync(root + path, 'utf8');
}

/** A fenced code block. */
export interface CodeBlock {
  file: string;
  /** Number of the line with the opening fence. */
  line: number;
  language: string;
  /** The rest of the info string: `NODE_ENV=production` in "```sh NODE_ENV=production". */
  meta: string;
  text: string;
  /** The next code block of the same file. */
  next: CodeBlock | undefined;
}

export function codeBlocks(file: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: CodeBlock | undefined;
  for (const [index, line] of readDocument(file).split('\n').entries()) {
    if (open === undefined) {
      const [, language = '', meta = ''] = /^```(\w+) ?(.*)$/.exec(line) ?? [];
      if (language !== '') open = { file, line: index + 1, language, meta, text: '', next: undefined };
    } else if (line === '```') {
      const previous = blocks.at(-1);
      if (previous) previous.next = open;
      blocks.push(open);
      open = undefined;
    } else {
      open.text += `${line}\n`;
    }
  }
  return blocks;
}

/** The TypeScript programs that have a name, which is their info string: `form.tsx` of "```tsx form". */
export function programsOf(file: string): { file: string; text: string }[] {
  return codeBlocks(file)
    .filter(({ language, meta }) => /^tsx?$/.test(language) && meta !== '')
    .map(({ language, meta, text }) => ({ file: `${meta}.${language}`, text }));
}

/** The text outside of code blocks, with the number of each line. */
export function proseLines(file: string): { line: number; text: string }[] {
  let isCode = false;
  return readDocument(file)
    .split('\n')
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => {
      if (!text.startsWith('```')) return !isCode;
      isCode = !isCode;
      return false;
    });
}

/** The cells of every table row under a header row that starts with these cells. */
export function tableRows(file: string, ...header: string[]): string[][] {
  const rows: string[][] = [];
  let isWanted = false;
  for (const { text } of proseLines(file)) {
    const cells = text.startsWith('|') ? cellsOf(text) : [];
    if (cells.length === 0) isWanted = false;
    else if (header.every((name, index) => cells[index] === name)) isWanted = true;
    else if (isWanted && !cells.every((cell) => /^:?-+:?$/.test(cell))) rows.push(cells);
  }
  return rows;
}

/** The text of the inline code spans. */
export function codeSpans(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
}

function cellsOf(row: string): string[] {
  return row
    .slice(1, row.lastIndexOf('|'))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
