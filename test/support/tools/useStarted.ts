import { afterAll, beforeAll } from 'vitest';

/**
 * Starts something before the tests of the file or suite that calls this, and stops it after them. What it returns forwards to it:
 * its properties are there from the first hook or test on.
 */
export function useStarted<T extends { stop(): Promise<void> | void }>(start: () => Promise<T>): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.stop());
  const forward = (): T => {
    if (started === undefined) throw new Error('Expected to be used in tests and hooks, where it is started');
    return started;
  };
  return new Proxy({} as T, {
    get: (_target, name) => Reflect.get(forward(), name) as unknown,
    set: (_target, name, value) => Reflect.set(forward(), name, value),
  });
}
