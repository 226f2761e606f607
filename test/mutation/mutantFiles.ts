/** Finds the source file of each mutant, by the mutant's number, in a folder of code that Stryker instrumented. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MUTANT = /MutAct_\w+\("(\d+)"\)/g;

export function findMutantFiles(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
  return Object.fromEntries(
    files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(MUTANT)].map(([, id = '']) => [id, file] as const),
    ),
  );
}
