import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRetryBudget, type RetryBudget } from '../../src/transport/retryBudget.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
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
    const budget = createRetryBudget({ capacity: 2, minimumRetries: 2, refillMs: 1000 });
    expect(withdrawAll(budget)).toBe(2);
    vi.advanceTimersByTime(499);
    expect(withdrawAll(budget)).toBe(0);
    vi.advanceTimersByTime(1);
    expect(withdrawAll(budget)).toBe(1);
    vi.advanceTimersByTime(3_600_000);
    expect(withdrawAll(budget)).toBe(2);
  });

  test('does not refill for time that passed while the reserve was full', () => {
    const budget = createRetryBudget({ capacity: 5, minimumRetries: 2, refillMs: 1000 });
    vi.advanceTimersByTime(3_600_000);
    expect(withdrawAll(budget)).toBe(5);
  });

  test('saves at most its capacity', () => {
    const budget = createRetryBudget({ depositPerCall: 1, minimumRetries: 2, capacity: 10 });
    for (let call = 0; call < 50; call += 1) budget.deposit();
    expect(withdrawAll(budget)).toBe(10);
  });
});

/** Withdraws until the budget is empty; stops at 1000. */
function withdrawAll(budget: RetryBudget): number {
  let count = 0;
  while (count < 1000 && budget.withdraw()) count += 1;
  return count;
}
