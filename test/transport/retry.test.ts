import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Cancellation } from '../../src/transport/cancellation.js';
import {
  createRetryBudget,
  withRetries,
  type RetryBudget,
  type RetryOptions,
} from '../../src/transport/retry.js';
import { failureOfStatus, GatewayError, type FailureDetails } from '../../src/gatewayError.js';

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
    ['the service is unreachable', new GatewayError('unreachable'), 3, 3],
    ['the connection is lost', new GatewayError('connectionLost'), 3, 1],
    ['the response is 502', responseWith(502), 3, 1],
    ['the response is 503', responseWith(503), 3, 1],
    ['the response is 504', responseWith(504), 3, 1],
    ['the response is 500', responseWith(500), 1, 1],
    ['the response is 501', responseWith(501), 1, 1],
    ['the response is 429', responseWith(429), 3, 1],
    ['the response is 400', responseWith(400), 1, 1],
    ['the response is 404', responseWith(404), 1, 1],
    ['the response is 408', responseWith(408), 3, 1],
    ['the response is 425', responseWith(425), 3, 1],
    ['the deadline passed before it was sent', new GatewayError('deadlinePassed'), 1, 1],
    ['the response is discarded', new GatewayError('responseDiscarded'), 1, 1],
    ['the bulkhead is full', new GatewayError('queueFull'), 1, 1],
    ['the call times out', new GatewayError('timedOut'), 1, 1],
    ['the response is invalid', new GatewayError('responseInvalid'), 1, 1],
    ['the call is cancelled', new GatewayError('cancelled'), 1, 1],
    ['the token is missing', new GatewayError('tokenMissing'), 1, 1],
    ['the gateway has a bug', new TypeError('x'), 1, 1],
  ];

  test.each(cases)(
    'when %s, makes %o attempts for a read and %o for a write',
    async (_name, error, ...attempts) => {
      const countAttempts = async (isRead: boolean) => {
        const attempt = vi.fn(() => Promise.reject(error));
        await expect(withRetries(optionsWith({ isRead }), attempt)).rejects.toBe(error);
        return attempt.mock.calls.length;
      };
      expect([await countAttempts(true), await countAttempts(false)]).toEqual(attempts);
    },
  );
});

describe('withRetries', () => {
  test.each([0, 1, 5])('retries at most %i times if that is the limit', async (retries) => {
    const attempt = vi.fn(() => Promise.reject(new GatewayError('unreachable')));
    await expect(withRetries(optionsWith({ retries }), attempt)).rejects.toMatchObject({
      failure: 'unreachable',
    });
    expect(attempt).toHaveBeenCalledTimes(retries + 1);
  });
});

describe('the delay between two attempts', () => {
  const delays = () => vi.mocked(sleep).mock.calls.map(([delayMs]) => delayMs);

  test('is a random part of an upper bound that doubles from 50 ms to one second', async () => {
    const attempt = () => Promise.reject(new GatewayError('unreachable'));
    await withRetries(optionsWith({ retries: 7 }), attempt).catch(() => undefined);
    expect(delays()).toEqual([25, 50, 100, 200, 400, 500, 500]);
  });

  test('is added to the Retry-After of the response', async () => {
    const attempt = vi
      .fn<() => Promise<string>>()
      .mockRejectedValueOnce(responseWith(429, { retryAfterSeconds: 7 }))
      .mockRejectedValueOnce(responseWith(503, { retryAfterSeconds: 0 }))
      .mockResolvedValueOnce('result');
    await expect(withRetries(optionsWith(), attempt)).resolves.toBe('result');
    expect(delays()).toEqual([7025, 50]);
  });

  test('does not start if it would reach the deadline', async () => {
    const error = responseWith(429, { retryAfterSeconds: 10 });
    const attempt = vi.fn(() => Promise.reject(error));
    await expect(withRetries(optionsWith({ timeoutMs: 10_000 }), attempt)).rejects.toBe(error);
    expect(delays()).toEqual([]);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test('ends when the call is cancelled', async () => {
    const cancellation = new Cancellation();
    const attempt = vi.fn(() => {
      cancellation.cancel();
      return Promise.reject(new GatewayError('unreachable'));
    });
    await expect(withRetries(optionsWith({ cancellation }), attempt)).rejects.toMatchObject({
      failure: 'cancelled',
    });
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});

describe('the retry budget of calls', () => {
  test('is spent by failed calls, which earn nothing', async () => {
    const budget = createRetryBudget();
    const attempt = vi.fn(() => Promise.reject(new GatewayError('unreachable')));
    for (let call = 0; call < 100; call += 1) {
      await withRetries(optionsWith({ budget, retries: 2 }), attempt).catch(() => undefined);
    }
    expect(attempt).toHaveBeenCalledTimes(130);
  });

  test.each<[string, earned: number, () => Promise<string>]>([
    ['successful', 8, () => Promise.resolve('result')],
    ['rejected', 8, () => Promise.reject(responseWith(404))],
    ['rate-limited', 0, () => Promise.reject(responseWith(429))],
    ['invalid', 0, () => Promise.reject(new GatewayError('responseInvalid'))],
    ['timed-out', 0, () => Promise.reject(new GatewayError('timedOut'))],
  ])('earns from 40 %s calls this many retries: %i', async (_outcome, earned, attempt) => {
    const budget = createRetryBudget();
    for (let retry = 0; retry < 30; retry += 1) budget.withdraw();
    for (let call = 0; call < 40; call += 1) {
      await withRetries(optionsWith({ budget, retries: 0 }), attempt).catch(() => undefined);
    }
    let withdrawn = 0;
    while (withdrawn < 1000 && budget.withdraw()) withdrawn += 1;
    expect(withdrawn).toBe(earned);
  });
});

describe('a retry budget', () => {
  test('starts with 30 retries and earns one per five responses by default', () => {
    const budget = createRetryBudget();
    const withdrawn = Array.from({ length: 100 }, () => {
      budget.deposit();
      return withdrawAll(budget);
    });
    expect(withdrawn.slice(0, 6)).toEqual([30, 0, 0, 0, 0, 1]);
    expect(withdrawn.reduce((sum, each) => sum + each, 0)).toBe(49);
  });

  test('refills its reserve over time, but never beyond the reserve', () => {
    const budget = createRetryBudget();
    expect(withdrawAll(budget)).toBe(30);
    vi.advanceTimersByTime(3333);
    expect(withdrawAll(budget)).toBe(0);
    vi.advanceTimersByTime(1);
    expect(withdrawAll(budget)).toBe(1);
    vi.advanceTimersByTime(3_600_000);
    expect(withdrawAll(budget)).toBe(3);
  });
});

/** The failure of a response with this status. */
function responseWith(status: number, details?: FailureDetails): GatewayError {
  return new GatewayError(failureOfStatus(status), { status, ...details });
}

function optionsWith({
  timeoutMs = 60_000,
  ...options
}: Partial<Omit<RetryOptions, 'deadline'>> & { timeoutMs?: number } = {}): RetryOptions {
  return {
    isRead: true,
    retries: 2,
    budget: createRetryBudget(),
    deadline: performance.now() + timeoutMs,
    cancellation: new Cancellation(),
    onFailure: () => undefined,
    ...options,
  };
}

/** Withdraws until the budget is empty; stops at 1000. */
function withdrawAll(budget: RetryBudget): number {
  let count = 0;
  while (count < 1000 && budget.withdraw()) count += 1;
  return count;
}
