import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Cancellation } from '../../src/transport/cancellation.js';
import {
  BulkheadFullError,
  CancelledError,
  InvalidResponseError,
  RejectedError,
  ServiceFailureError,
  TimeoutError,
  TokenMissingError,
  UnreachableError,
} from '../../src/transport/errors.js';
import { withRetries, type RetryOptions } from '../../src/transport/retry.js';
import { createRetryBudget } from '../../src/transport/retryBudget.js';

/** Sleeping only advances the fake clock, which otherwise stands still. */
vi.mock('node:timers/promises', () => ({
  setTimeout: vi.fn((delayMs: number, _value: unknown, { signal }: { signal: AbortSignal }) => {
    if (signal.aborted) return Promise.reject(new Error('aborted'));
    vi.advanceTimersByTime(delayMs);
    return Promise.resolve();
  }),
}));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  vi.mocked(sleep).mockClear();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('withRetries, with at most two retries,', () => {
  const cases: [name: string, error: Error, readAttempts: number, writeAttempts: number][] = [
    ['the service is unreachable', new UnreachableError('x'), 3, 3],
    ['the connection is lost', new ServiceFailureError('x'), 3, 1],
    ['the response is 502', new ServiceFailureError('x', { status: 502 }), 3, 1],
    ['the response is 503', new ServiceFailureError('x', { status: 503 }), 3, 1],
    ['the response is 504', new ServiceFailureError('x', { status: 504 }), 3, 1],
    ['the response is 500', new ServiceFailureError('x', { status: 500 }), 1, 1],
    ['the response is 501', new ServiceFailureError('x', { status: 501 }), 1, 1],
    ['the response is 429', new RejectedError('x', { status: 429 }), 3, 1],
    ['the response is 400', new RejectedError('x', { status: 400 }), 1, 1],
    ['the response is 404', new RejectedError('x', { status: 404 }), 1, 1],
    ['the response is 408', new RejectedError('x', { status: 408 }), 1, 1],
    ['the bulkhead is full', new BulkheadFullError('x'), 1, 1],
    ['the call times out', new TimeoutError('x'), 1, 1],
    ['the response is invalid', new InvalidResponseError('x'), 1, 1],
    ['the call is cancelled', new CancelledError('x'), 1, 1],
    ['the token is missing', new TokenMissingError('x'), 1, 1],
    ['the gateway has a bug', new TypeError('x'), 1, 1],
  ];

  test.each(cases)(
    'when %s, makes %o attempts for a read and %o for a write',
    async (_name, error, ...attempts) => {
      const countAttempts = async (isRead: boolean) => {
        const attempt = vi.fn(() => Promise.reject(error));
        await expect(withRetries(attempt, optionsWith({ isRead }))).rejects.toBe(error);
        return attempt.mock.calls.length;
      };
      expect([await countAttempts(true), await countAttempts(false)]).toEqual(attempts);
    },
  );
});

describe('withRetries', () => {
  test.each([0, 1, 5])('retries at most %i times if that is the limit', async (retries) => {
    const attempt = vi.fn(() => Promise.reject(new UnreachableError('x')));
    await expect(withRetries(attempt, optionsWith({ retries }))).rejects.toThrow(UnreachableError);
    expect(attempt).toHaveBeenCalledTimes(retries + 1);
  });

  test('settles like the last attempt', async () => {
    const last = new ServiceFailureError('last', { status: 500 });
    const attempt = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new UnreachableError('x'))
      .mockRejectedValueOnce(last);
    await expect(withRetries(attempt, optionsWith())).rejects.toBe(last);

    attempt.mockReset().mockRejectedValueOnce(new UnreachableError('x')).mockResolvedValueOnce('result');
    await expect(withRetries(attempt, optionsWith())).resolves.toBe('result');
  });
});

describe('the delay between two attempts', () => {
  const delays = () => vi.mocked(sleep).mock.calls.map(([delayMs]) => delayMs);

  test('is a random part of an upper bound that doubles from 50 ms to one second', async () => {
    const attempt = () => Promise.reject(new UnreachableError('x'));
    await withRetries(attempt, optionsWith({ retries: 7 })).catch(() => undefined);
    expect(delays()).toEqual([25, 50, 100, 200, 400, 500, 500]);
  });

  test('is added to the Retry-After of the response', async () => {
    const attempt = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new RejectedError('x', { status: 429, retryAfterSeconds: 7 }))
      .mockRejectedValueOnce(new ServiceFailureError('x', { status: 503, retryAfterSeconds: 0 }))
      .mockResolvedValueOnce('result');
    await expect(withRetries(attempt, optionsWith())).resolves.toBe('result');
    expect(delays()).toEqual([7025, 50]);
  });

  test('does not start if it would reach the deadline', async () => {
    const error = new RejectedError('x', { status: 429, retryAfterSeconds: 10 });
    const attempt = vi.fn(() => Promise.reject(error));
    await expect(withRetries(attempt, optionsWith({ timeoutMs: 10_000 }))).rejects.toBe(error);
    expect(delays()).toEqual([]);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test('counts toward the deadline of the whole call, as do the attempts', async () => {
    const attempt = vi.fn(() => {
      vi.advanceTimersByTime(350);
      return Promise.reject(new ServiceFailureError('x', { status: 503 }));
    });
    // 350 + 25 + 350 + 50 + 350: the third attempt ends at 1125 ms.
    const callWithin = (timeoutMs: number) => withRetries(attempt, optionsWith({ timeoutMs, retries: 10 }));
    await expect(callWithin(1000)).rejects.toThrow(ServiceFailureError);
    expect(attempt).toHaveBeenCalledTimes(3);

    attempt.mockClear();
    await expect(callWithin(500)).rejects.toThrow(ServiceFailureError);
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  test('ends when the call is cancelled', async () => {
    const cancellation = new Cancellation();
    const attempt = vi.fn(() => {
      cancellation.cancel();
      return Promise.reject(new UnreachableError('x'));
    });
    await expect(withRetries(attempt, optionsWith({ cancellation }))).rejects.toThrow(CancelledError);
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});

describe('the retry budget', () => {
  test('is spent by failed calls, which earn nothing', async () => {
    const budget = createRetryBudget({ capacity: 10, minimumRetries: 0 });
    const attempt = vi.fn(() => Promise.reject(new UnreachableError('x')));
    for (let call = 0; call < 100; call += 1) {
      await withRetries(attempt, optionsWith({ budget, retries: 2 })).catch(() => undefined);
    }
    expect(attempt).toHaveBeenCalledTimes(110);
  });

  test.each<[string, earned: number, () => Promise<string>]>([
    ['successful', 10, () => Promise.resolve('result')],
    ['rejected', 10, () => Promise.reject(new RejectedError('x', { status: 404 }))],
    ['rate-limited', 0, () => Promise.reject(new RejectedError('x', { status: 429 }))],
    ['invalid', 0, () => Promise.reject(new InvalidResponseError('x'))],
    ['timed-out', 0, () => Promise.reject(new TimeoutError('x'))],
  ])('earns from 40 %s calls this many retries: %i', async (_outcome, earned, attempt) => {
    const budget = createRetryBudget({ depositPerCall: 0.25, capacity: 30, minimumRetries: 0 });
    for (let retry = 0; retry < 30; retry += 1) budget.withdraw();
    for (let call = 0; call < 40; call += 1) {
      await withRetries(attempt, optionsWith({ budget, retries: 0 })).catch(() => undefined);
    }
    let withdrawn = 0;
    while (withdrawn < 1000 && budget.withdraw()) withdrawn += 1;
    expect(withdrawn).toBe(earned);
  });
});

function optionsWith({
  timeoutMs = 60_000,
  ...options
}: Partial<Omit<RetryOptions, 'deadline'>> & { timeoutMs?: number } = {}): RetryOptions {
  return {
    isRead: true,
    retries: 2,
    budget: createRetryBudget({ capacity: 100 }),
    deadline: performance.now() + timeoutMs,
    cancellation: new Cancellation(),
    ...options,
  };
}
