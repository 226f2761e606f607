import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Cancellation } from '../../src/service/transport/cancellation.js';
import {
  CancelledError,
  ServiceFailureError,
  InvalidResponseError,
  BulkheadFullError,
  RejectedError,
  TimeoutError,
  TokenMissingError,
  UnreachableError,
} from '../../src/service/transport/errors.js';
import { createRetryBudget, withRetries, type RetryOptions } from '../../src/service/transport/retry.js';

/** A wait takes no time but that of the clock, which stands still otherwise. */
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

describe('what is tried again', () => {
  const cases: [name: string, error: Error, reads: number, writes: number][] = [
    ['no connection', new UnreachableError('x'), 3, 3],
    ['a connection that is lost', new ServiceFailureError('x'), 3, 1],
    ['502', new ServiceFailureError('x', { status: 502 }), 3, 1],
    ['503', new ServiceFailureError('x', { status: 503 }), 3, 1],
    ['504', new ServiceFailureError('x', { status: 504 }), 3, 1],
    ['500', new ServiceFailureError('x', { status: 500 }), 1, 1],
    ['501', new ServiceFailureError('x', { status: 501 }), 1, 1],
    ['429', new RejectedError('x', { status: 429 }), 3, 1],
    ['400', new RejectedError('x', { status: 400 }), 1, 1],
    ['404', new RejectedError('x', { status: 404 }), 1, 1],
    ['408', new RejectedError('x', { status: 408 }), 1, 1],
    ['a call that was not admitted', new BulkheadFullError('x'), 1, 1],
    ['a timeout', new TimeoutError('x'), 1, 1],
    ['an answer that is not valid', new InvalidResponseError('x'), 1, 1],
    ['a caller that left', new CancelledError('x'), 1, 1],
    ['no token', new TokenMissingError('x'), 1, 1],
    ['a defect', new TypeError('x'), 1, 1],
  ];

  test.each(cases)(
    '%s: a read is tried %o times in all, a write %o times',
    async (_name, error, reads, writes) => {
      const tries = async (isRead: boolean) => {
        const attempt = vi.fn(() => Promise.reject(error));
        await expect(withRetries(attempt, optionsWith({ isRead }))).rejects.toBe(error);
        return attempt.mock.calls.length;
      };
      expect([await tries(true), await tries(false)]).toEqual([reads, writes]);
    },
  );

  test.each([0, 1, 5])('%i times at the most, where that is the bound', async (retries) => {
    const attempt = vi.fn(() => Promise.reject(new UnreachableError('x')));
    await expect(withRetries(attempt, optionsWith({ retries }))).rejects.toThrow(UnreachableError);
    expect(attempt).toHaveBeenCalledTimes(retries + 1);
  });

  test('a call ends as its last try', async () => {
    const last = new ServiceFailureError('last', { status: 500 });
    const attempt = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new UnreachableError('x'))
      .mockRejectedValueOnce(last);
    await expect(withRetries(attempt, optionsWith())).rejects.toBe(last);

    attempt.mockReset().mockRejectedValueOnce(new UnreachableError('x')).mockResolvedValueOnce('answer');
    await expect(withRetries(attempt, optionsWith())).resolves.toBe('answer');
  });
});

describe('the wait between two tries', () => {
  const waits = () => vi.mocked(sleep).mock.calls.map(([delayMs]) => delayMs);

  test('is a random part of a bound that doubles from 50 ms up to one second', async () => {
    const attempt = () => Promise.reject(new UnreachableError('x'));
    await withRetries(attempt, optionsWith({ retries: 7 })).catch(() => undefined);
    expect(waits()).toEqual([25, 50, 100, 200, 400, 500, 500]);
  });

  test('comes after the time that the service asks for', async () => {
    const attempt = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(new RejectedError('x', { status: 429, retryAfterSeconds: 7 }))
      .mockRejectedValueOnce(new ServiceFailureError('x', { status: 503, retryAfterSeconds: 0 }))
      .mockResolvedValueOnce('answer');
    await expect(withRetries(attempt, optionsWith())).resolves.toBe('answer');
    expect(waits()).toEqual([7025, 50]);
  });

  test('is not begun when it would last until the deadline', async () => {
    const error = new RejectedError('x', { status: 429, retryAfterSeconds: 10 });
    const attempt = vi.fn(() => Promise.reject(error));
    await expect(withRetries(attempt, optionsWith({ lastsMs: 10_000 }))).rejects.toBe(error);
    expect(waits()).toEqual([]);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test('counts towards the deadline of the whole call, as the tries do', async () => {
    const attempt = vi.fn(() => {
      vi.advanceTimersByTime(350);
      return Promise.reject(new ServiceFailureError('x', { status: 503 }));
    });
    // 350, 25, 350, 50, 350: the third try ends at 1125.
    const within = (lastsMs: number) => withRetries(attempt, optionsWith({ lastsMs, retries: 10 }));
    await expect(within(1000)).rejects.toThrow(ServiceFailureError);
    expect(attempt).toHaveBeenCalledTimes(3);

    attempt.mockClear();
    await expect(within(500)).rejects.toThrow(ServiceFailureError);
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  test('ends when the caller leaves', async () => {
    const callerLeft = new Cancellation();
    const attempt = vi.fn(() => {
      callerLeft.cancel();
      return Promise.reject(new UnreachableError('x'));
    });
    await expect(withRetries(attempt, optionsWith({ cancellation: callerLeft }))).rejects.toThrow(
      CancelledError,
    );
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});

describe('the budget of retries', () => {
  test('is spent by failures, and not earned by them', async () => {
    const budget = createRetryBudget({ capacity: 10, minimumRetries: 0 });
    const attempt = vi.fn(() => Promise.reject(new UnreachableError('x')));
    for (let call = 0; call < 100; call += 1) {
      await withRetries(attempt, optionsWith({ budget, retries: 2 })).catch(() => undefined);
    }
    expect(attempt).toHaveBeenCalledTimes(110);
  });

  test.each<[string, earned: number, () => Promise<string>]>([
    ['success', 10, () => Promise.resolve('answer')],
    ['a refusal', 10, () => Promise.reject(new RejectedError('x', { status: 404 }))],
    ['429', 0, () => Promise.reject(new RejectedError('x', { status: 429 }))],
    ['an answer that is not valid', 0, () => Promise.reject(new InvalidResponseError('x'))],
    ['a timeout', 0, () => Promise.reject(new TimeoutError('x'))],
  ])('is earned by calls that are answered: %s', async (_name, earned, attempt) => {
    const budget = createRetryBudget({ depositPerSuccess: 0.25, minimumRetries: 0 });
    withdrawals(budget);
    for (let call = 0; call < 40; call += 1) {
      await withRetries(attempt, optionsWith({ budget, retries: 0 })).catch(() => undefined);
    }
    expect(withdrawals(budget)).toBe(earned);
  });

  test('is 30 and a fifth of the calls unless told otherwise', () => {
    const budget = createRetryBudget();
    const taken = Array.from({ length: 100 }, () => {
      budget.deposit();
      return withdrawals(budget);
    });
    expect(taken.slice(0, 6)).toEqual([30, 0, 0, 0, 0, 1]);
    expect(taken.reduce((sum, each) => sum + each, 0)).toBe(49);
  });

  test('has a reserve that comes back with time, and never gets beyond itself', () => {
    const budget = createRetryBudget({ capacity: 2, minimumRetries: 2, refillMs: 1000 });
    expect(withdrawals(budget)).toBe(2);
    vi.advanceTimersByTime(499);
    expect(withdrawals(budget)).toBe(0);
    vi.advanceTimersByTime(1);
    expect(withdrawals(budget)).toBe(1);
    vi.advanceTimersByTime(3_600_000);
    expect(withdrawals(budget)).toBe(2);
  });

  test('does not count the time in which the reserve was whole', () => {
    const budget = createRetryBudget({ capacity: 5, minimumRetries: 2, refillMs: 1000 });
    vi.advanceTimersByTime(3_600_000);
    expect(withdrawals(budget)).toBe(5);
  });

  test('can be saved up to a bound', () => {
    const budget = createRetryBudget({ depositPerSuccess: 1, minimumRetries: 2, capacity: 10 });
    for (let call = 0; call < 50; call += 1) budget.deposit();
    expect(withdrawals(budget)).toBe(10);
  });

  /** How often it gives a retry before it refuses one; 1000 where it never would. */
  function withdrawals(budget: ReturnType<typeof createRetryBudget>): number {
    let count = 0;
    while (count < 1000 && budget.withdraw()) count += 1;
    return count;
  }
});

function optionsWith({
  lastsMs = 60_000,
  ...options
}: Partial<Omit<RetryOptions, 'deadline'>> & { lastsMs?: number } = {}): RetryOptions {
  return {
    isRead: true,
    retries: 2,
    budget: createRetryBudget({ capacity: 100 }),
    deadline: performance.now() + lastsMs,
    cancellation: new Cancellation(),
    ...options,
  };
}
