/** Finds test files by what they, or the test support that they import, contain. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const RELATIVE_IMPORT = /\b(?:from|import) '(\.[^']+)\.js'/g;

/** Those that replace modules: they must not share a module registry with others. */
export function findMockingTests(folder: string): string[] {
  return findTests(folder, /\bvi\.(?:mock|doMock)\(/);
}

/** The paths of test files under a folder that match, or import test support that does. */
export function findTests(folder: string, pattern: RegExp): string[] {
  const cache = new Map<string, boolean>();
  const matches = (file: string): boolean => {
    const known = cache.get(file);
    if (known !== undefined) return known;
    cache.set(file, false); // in case of a circular import
    const text = readFileSync(file, 'utf8');
    const imports = [...text.matchAll(RELATIVE_IMPORT)]
      .map(([, path = '']) => normalize(join(dirname(file), `${path}.ts`)))
      .filter((path) => path.startsWith(folder));
    const found = pattern.test(text) || imports.some(matches);
    cache.set(file, found);
    return found;
  };
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => join(folder, file))
    .filter(matches);
}
