import { execFileSync } from 'node:child_process';
import { isStale } from './staleness.js';
import { minimalEnv } from '../process/minimalEnv.js';

const OUTPUTS = ['dist/index.js', 'dist/schema.graphql', 'dist/main.js', 'dist/explorer-pages/index.html'];
const SOURCES = [
  'src',
  'schema',
  'scripts',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'vite.config.ts',
];

/** Builds the gateway, which the system tests start as a process, unless its build is up to date. */
export function setup(): void {
  if (isStale(OUTPUTS, SOURCES))
    execFileSync('npm', ['run', 'build'], { stdio: ['ignore', process.stderr, 'inherit'], env: minimalEnv });
}
