/** Waits for as long as a busy machine may need; Vitest's own `vi.waitFor` and `vi.waitUntil` give up after a second. */
import { vi } from 'vitest';

/** Less than the timeout of a test, which would not say what it waited for. */
const TIMEOUT_MS = 50_000;

/** Resolves with the condition's value once it is truthy. */
export function until<T>(condition: () => Promise<T> | T, intervalMs = 10) {
  return vi.waitUntil(condition, { timeout: TIMEOUT_MS, interval: intervalMs });
}

/** A promise that a test resolves by calling `open`. */
export function createGate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Resolves once an assertion holds. */
export function untilHolds(assertion: () => Promise<void> | void): Promise<void> {
  return vi.waitFor(assertion, { timeout: TIMEOUT_MS, interval: 10 });
}
