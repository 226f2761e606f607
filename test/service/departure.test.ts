import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Departure } from '../../src/service/departure.js';

test('those who listen are told once, in their order', () => {
  const departure = new Departure();
  const told: string[] = [];
  for (const name of ['a', 'b']) departure.listen(() => told.push(name));
  expect(departure.hasHappened).toBe(false);
  departure.happen();
  departure.happen();
  departure.listen(() => told.push('late'));
  expect([told, departure.hasHappened]).toEqual([['a', 'b'], true]);
});

test('those who listen no more are not told', () => {
  const departure = new Departure();
  const [stays, goes] = [vi.fn(), vi.fn()];
  for (const listener of [goes, stays]) departure.listen(listener);
  departure.unlisten(goes);
  departure.unlisten(() => undefined);
  departure.happen();
  expect([stays.mock.calls.length, goes.mock.calls.length]).toEqual([1, 0]);
});

test('what takes a signal is aborted when it happens, or has happened', async () => {
  const departure = new Departure();
  const wait = () => departure.during((signal) => sleep(60_000, 'over', { signal }));
  const waiting = wait();
  departure.happen();
  await expect(waiting).rejects.toThrow('aborted');
  await expect(wait()).rejects.toThrow('aborted');
});

test('a signal is of no more use when what took it is over', async () => {
  const departure = new Departure();
  const signal = await departure.during((left) => Promise.resolve(left));
  departure.happen();
  expect(signal.aborted).toBe(false);
});
