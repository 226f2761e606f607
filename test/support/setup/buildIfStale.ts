import { execFileSync } from 'node:child_process';
import { minimalEnv } from '../process/minimalEnv.js';

/** Runs a build script of package.json, as `npm start` does, unless its output is up to date. */
export function buildIfStale(script: 'build' | 'build:explorer'): void {
  execFileSync(process.execPath, ['scripts/buildIfStale.js', script], {
    stdio: ['ignore', process.stderr, 'inherit'],
    env: minimalEnv,
  });
}
