/** What system tests need of the machine. */
import { spawnSync } from 'node:child_process';
import { beforeEach, type TestContext } from 'vitest';
import { minimalEnv } from './minimalEnv.js';

/** Undefined where all programs are installed. */
export function reasonToSkip(...programs: string[]): string | undefined {
  const missing = programs.filter(
    (program) => spawnSync(program, ['--version'], { env: minimalEnv }).error !== undefined,
  );
  return missing.length === 0 ? undefined : `${missing.join(' and ')} not installed`;
}

/** Skips the tests of the file or suite that calls this, if there is a reason for it; a summary at the end names it. */
export function skipIf(reason: string | undefined): void {
  beforeEach((context) => skipTestIf(reason, context));
}

/** Skips a test if there is a reason for it, or fails it with this reason if REQUIRE_ALL=1. */
export function skipTestIf(reason: string | undefined, context: TestContext): void {
  if (reason === undefined) return;
  if (process.env['REQUIRE_ALL'] === '1') throw new Error(`REQUIRE_ALL=1, but ${reason}`);
  context.skip(reason);
}
