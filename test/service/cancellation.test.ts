import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Cancellation } from '../../src/service/transport/cancellation.js';

test('those who listen are told once, in their order', () => {
  const departure = new Cancellation();
  const told: string[] = [];
  for (const name of ['a', 'b']) departure.onCancel(() => told.push(name));
  expect(departure.isCancelled).toBe(false);
  departure.cancel();
  departure.cancel();
  departure.onCancel(() => told.push('late'));
  expect([told, departure.isCancelled]).toEqual([['a', 'b'], true]);
});

test('those who listen no more are not told', () => {
  const departure = new Cancellation();
  const [stays, goes] = [vi.fn(), vi.fn()];
  for (const listener of [goes, stays]) departure.onCancel(listener);
  departure.offCancel(goes);
  departure.offCancel(() => undefined);
  departure.cancel();
  expect([stays.mock.calls.length, goes.mock.calls.length]).toEqual([1, 0]);
});

test('what takes a signal is aborted when it happens, or has happened', async () => {
  const departure = new Cancellation();
  const wait = () => departure.withSignal((signal) => sleep(60_000, 'over', { signal }));
  const waiting = wait();
  departure.cancel();
  await expect(waiting).rejects.toThrow('aborted');
  await expect(wait()).rejects.toThrow('aborted');
});

test('a signal is of no more use when what took it is over', async () => {
  const departure = new Cancellation();
  const signal = await departure.withSignal((left) => Promise.resolve(left));
  departure.cancel();
  expect(signal.aborted).toBe(false);
});
