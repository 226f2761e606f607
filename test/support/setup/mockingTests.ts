/** Finds the test files that replace modules: they must not share a module registry with others. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const MOCK = /\bvi\.(?:mock|doMock)\(/;
const RELATIVE_IMPORT = /\b(?:from|import) '(\.[^']+)\.js'/g;

/** The paths of test files under a folder that call `vi.mock` or `vi.doMock`, or import test support that does. */
export function findMockingTests(folder: string): string[] {
  const cache = new Map<string, boolean>();
  const mocks = (file: string): boolean => {
    const known = cache.get(file);
    if (known !== undefined) return known;
    cache.set(file, false); // in case of a circular import
    const text = readFileSync(file, 'utf8');
    const imports = [...text.matchAll(RELATIVE_IMPORT)]
      .map(([, path = '']) => normalize(join(dirname(file), `${path}.ts`)))
      .filter((path) => path.startsWith(folder));
    const found = MOCK.test(text) || imports.some(mocks);
    cache.set(file, found);
    return found;
  };
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .map((file) => join(folder, file))
    .filter(mocks);
}
