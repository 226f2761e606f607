import { afterAll, beforeAll } from 'vitest';

/**
 * Turns stack traces off for the file or suite that calls this: otherwise most of the measured time would go into the
 * test runner's source-mapping of them. Files share a process, so they are turned on again: some look for leaked stacks.
 */
export function withoutStackTraces(): void {
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}
