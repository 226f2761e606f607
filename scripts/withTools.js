/**
 * Runs a program that only checks, some tests or releases need: one of test/package.json, which this installs first if it is missing
 * or older than its lock file. Plain JavaScript, because it runs on every use.
 *
 * Usage: node scripts/withTools.js [<program> <argument>…]
 */
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installIfStale } from './installIfStale.js';

const folder = fileURLToPath(new URL('../test/', import.meta.url));
installIfStale(folder);

const [program, ...args] = process.argv.slice(2);
if (program !== undefined) {
  const PATH = [join(folder, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const { status, error } = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, PATH } });
  if (error !== undefined) throw error;
  process.exitCode = status ?? 1;
}
