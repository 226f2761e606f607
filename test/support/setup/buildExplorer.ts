import { existsSync, readdirSync, statSync } from 'node:fs';
import { build } from 'vite';

/** Builds the explorer before the tests, unless its build is newer than everything that it is made of. */
export async function setup(): Promise<void> {
  const built = 'dist/explorer-pages/index.html';
  const sources = readdirSync('src/explorer', { encoding: 'utf8' }).map((file) => `src/explorer/${file}`);
  const newest = Math.max(
    ...[...sources, 'src/explorer/examples.ts', 'vite.config.ts', 'package-lock.json'].map(modifiedAt),
  );
  if (existsSync(built) && modifiedAt(built) > newest) return;
  await build({ configFile: 'vite.config.ts', logLevel: 'warn' });
}

function modifiedAt(path: string): number {
  return statSync(path).mtimeMs;
}
