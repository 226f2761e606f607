/** What system tests need of the machine. */
import { spawnSync } from 'node:child_process';
import { beforeEach } from 'vitest';
import { minimalEnv } from './minimalEnv.js';

/** Undefined where all programs are installed, or where REQUIRE_ALL=1 has the tests fail instead of skipping them. */
export function reasonToSkip(...programs: string[]): string | undefined {
  const missing = programs.filter(
    (program) => spawnSync(program, ['--version'], { env: minimalEnv }).error !== undefined,
  );
  return unlessRequired(missing.length === 0 ? undefined : `${missing.join(' and ')} not installed`);
}

/** The reason itself, unless REQUIRE_ALL=1. */
export function unlessRequired(reason: string | undefined): string | undefined {
  return process.env['REQUIRE_ALL'] === '1' ? undefined : reason;
}

/** Skips the tests of the file or suite that calls this, if there is a reason for it; a summary at the end names it. */
export function skipIf(reason: string | undefined): void {
  beforeEach((context) => {
    if (reason !== undefined) context.skip(reason);
  });
}
