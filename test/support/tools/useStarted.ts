import { afterAll, beforeAll, onTestFinished } from 'vitest';

interface Stoppable {
  stop(): Promise<void> | void;
}

/**
 * Starts something before the tests of the file or suite that calls this, and stops it after them. What it returns forwards to it:
 * its properties are there from the first hook or test on.
 */
export function useStarted<T extends Stoppable>(start: () => Promise<T>): T {
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

/** What a test has started, which stops with it. */
export async function forTest<T extends Stoppable>(starting: Promise<T>): Promise<T> {
  const started = await starting;
  onTestFinished(() => started.stop());
  return started;
}
