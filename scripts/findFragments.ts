/**
 * Finds fragments: small modules of src/ that only one other module imports, from the same folder. Readers have to open both for
 * one idea, so they belong into one file. Usage: npm run fragments
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The specifier of another module of src/, and the parenthesis of `import()`. */
const IMPORT = /\b(?:from |import |import(\())'(\.[^']+)'/g;

/** Larger modules stand for themselves. */
const MAX_LINES = 100;

/** Fragments that stay, with the reason. At most ten. */
const allowed: Readonly<Record<string, string>> = {
  'src/explorer/ExamplesPane.tsx': 'a pane of the page, with its own state and styles',
  'src/transport/circuitBreaker.ts': 'one policy a file',
  'src/transport/deduplication.ts': 'one policy a file',
  'src/transport/retry.ts': 'one policy a file',
};

interface Import {
  importer: string;
  /** By `import()`: the module is apart so that it loads late. */
  isLazy: boolean;
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('generated'))
  .map((file) => join('src', file));
const importsOf = new Map<string, Import[]>(files.map((file) => [file, []]));
for (const importer of files)
  for (const [, parenthesis, specifier = ''] of readFileSync(importer, 'utf8').matchAll(IMPORT)) {
    const path = join(dirname(importer), specifier).replace(/\.jsx?$/, '.ts');
    const module = [path, `${path}x`].find((file) => importsOf.has(file)) ?? '';
    importsOf.get(module)?.push({ importer, isLazy: parenthesis !== undefined });
  }

const fragments = files.flatMap((file) => {
  const imports = importsOf.get(file) ?? [];
  const [importer = '', ...others] = new Set(imports.map((each) => each.importer));
  const isFragment =
    others.length === 0 && dirname(importer) === dirname(file) && imports.every(({ isLazy }) => !isLazy);
  const lines = readFileSync(file, 'utf8').split('\n').length - 1;
  return isFragment && lines <= MAX_LINES ? [{ file, importer, lines }] : [];
});
const problems = [
  ...fragments
    .filter(({ file }) => !(file in allowed))
    .map(({ file, importer, lines }) => `${file} (${lines} lines): only ${importer} imports it. Merge them`),
  ...Object.keys(allowed)
    .filter((name) => !fragments.some(({ file }) => file === name))
    .map((name) => `${name} is no fragment: remove it from the list of this script`),
  ...(Object.keys(allowed).length > 10 ? ['Expected at most ten allowed fragments'] : []),
];
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
