import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Cancellation } from '../../src/transport/cancellation.js';
import { createRetryBudget, withRetries, type RetryOptions } from '../../src/transport/retry.js';
import { failureOfStatus, GatewayError, type FailureDetails } from '../../src/gatewayError.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  // Waiting only advances the clock, which otherwise stands still.
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((end, delayMs = 0) => {
    vi.advanceTimersByTime(delayMs);
    queueMicrotask(end);
    return undefined as unknown as NodeJS.Timeout;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the delay between two attempts', () => {
  const delays = () => vi.mocked(setTimeout).mock.calls.map(([, delayMs]) => delayMs);

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
