import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFailedClients } from '../../src/transport/failedClients.js';
import { clientNamed } from '../support/service/clientIdentities.js';

const WINDOW_MS = 10_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(60_000); // no test starts at 0, where sums and differences are equal
});
afterEach(() => {
  vi.useRealTimers();
});

test('a client counts once per window, for its token and for its address', () => {
  const failed = createFailedClients(WINDOW_MS);
  expect(failed.add(clientNamed('a'))).toBe(true);
  expect(failed.add(clientNamed('a'))).toBe(false);
  expect(failed.add(clientNamed('b', { token: 'a' }))).toBe(false);
  expect(failed.add(clientNamed('b', { address: 'a' }))).toBe(false);
  vi.advanceTimersByTime(WINDOW_MS - 1);
  expect(failed.add(clientNamed('a'))).toBe(false);
  vi.advanceTimersByTime(1);
  expect(failed.add(clientNamed('a'))).toBe(true);
});

test('at most 500 clients are kept, the latest ones', () => {
  const failed = createFailedClients(WINDOW_MS);
  for (let index = 0; index < 500; index += 1) expect(failed.add(clientNamed(`${index}`))).toBe(true);
  expect(failed.add(clientNamed('0'))).toBe(true);
  expect(failed.add(clientNamed('2'))).toBe(false);
});
