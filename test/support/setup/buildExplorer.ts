import { build } from 'vite';
import { isStale } from './staleness.js';

/** Builds the explorer, which the gateway serves from dist/, unless its build is up to date. */
export async function setup(): Promise<void> {
  if (!isStale(['dist/explorer-pages/index.html'], ['src/explorer', 'vite.config.ts', 'package-lock.json']))
    return;
  await build({ configFile: 'vite.config.ts', logLevel: 'warn' });
}
