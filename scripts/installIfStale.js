/** Installs the packages of a folder if they are missing, or older than its lock file. */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

export function installIfStale(folder) {
  const installed = join(folder, 'node_modules/.package-lock.json');
  if (existsSync(installed) && modifiedAt(installed) >= modifiedAt(join(folder, 'package-lock.json'))) return;
  // Not to stdout, which may be the output of a program.
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 2, 2] });
}

function modifiedAt(path) {
  return statSync(path).mtimeMs;
}
