import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { Cancellation } from '../../src/transport/cancellation.js';
import { jittered } from '../../src/transport/connectionPool.js';

describe('a cancellation', () => {
  test('calls each listener once, in registration order', () => {
    const cancellation = new Cancellation();
    const calls: string[] = [];
    for (const name of ['a', 'b']) cancellation.onCancel(() => calls.push(name));
    expect(cancellation.isCancelled).toBe(false);
    cancellation.cancel();
    cancellation.cancel();
    cancellation.onCancel(() => calls.push('late'));
    expect([calls, cancellation.isCancelled]).toEqual([['a', 'b'], true]);
  });

  test('does not call a removed listener', () => {
    const cancellation = new Cancellation();
    const [kept, removed] = [vi.fn(), vi.fn()];
    for (const listener of [removed, kept]) cancellation.onCancel(listener);
    cancellation.offCancel(removed);
    cancellation.offCancel(() => undefined);
    cancellation.cancel();
    expect([kept.mock.calls.length, removed.mock.calls.length]).toEqual([1, 0]);
  });

  test('aborts the signal of withSignal when it fires, or at once if it has fired', async () => {
    const cancellation = new Cancellation();
    const wait = () => cancellation.withSignal((signal) => sleep(60_000, 'over', { signal }));
    const waiting = wait();
    cancellation.cancel();
    await expect(waiting).rejects.toThrow('aborted');
    await expect(wait()).rejects.toThrow('aborted');
  });

  test('does not abort the signal of withSignal after its function has settled', async () => {
    const cancellation = new Cancellation();
    const signal = await cancellation.withSignal((received) => Promise.resolve(received));
    cancellation.cancel();
    expect(signal.aborted).toBe(false);
  });
});

test('a jittered duration differs by at most 10 %, in both directions', () => {
  const durations = Array.from({ length: 1000 }, () => jittered(1000));
  expect(Math.min(...durations)).toBeGreaterThanOrEqual(900);
  expect(Math.min(...durations)).toBeLessThan(950);
  expect(Math.max(...durations)).toBeGreaterThan(1050);
  expect(Math.max(...durations)).toBeLessThanOrEqual(1100);
});
