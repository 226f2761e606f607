/** Trying a call again: reads when the trouble may pass, writes only when nothing of them was sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cancellation } from './cancellation.js';
import {
  CancelledError,
  ServiceFailureError,
  RejectedError,
  ServiceError,
  UnreachableError,
} from './errors.js';

export interface RetryOptions {
  isRead: boolean;
  /** How often the call may be tried again at the most. */
  retries: number;
  budget: RetryBudget;
  /** Reading of performance.now() at which the call ends. */
  deadline: number;
  cancellation: Cancellation;
}

/** Statuses of an answer after which a read is tried again (RFC 9110 sections 15.6.3 to 15.6.5). */
const retryableStatuses = new Set([502, 503, 504]);

/**
 * Runs the attempt until it succeeds, fails for good, or may not be tried again; then ends as its last try. Waits
 * between tries a random time up to a bound that doubles, after the time that the service asks for (Retry-After).
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { isRead, retries, budget, deadline, cancellation } = options;
  for (let retry = 0; ; retry += 1) {
    try {
      const result = await attempt();
      budget.deposit();
      return result;
    } catch (error) {
      if (error instanceof RejectedError && !error.isTransient) budget.deposit();
      if (!(error instanceof ServiceError) || retry >= retries || !isRetryable(error, isRead)) throw error;
      const delayMs = (error.retryAfterSeconds ?? 0) * 1000 + backoffMs(retry);
      if (performance.now() + delayMs >= deadline || !budget.withdraw()) throw error;
      const wait = (signal: AbortSignal) => sleep(delayMs, undefined, { signal });
      await cancellation.withSignal(wait).catch((cause: unknown) => {
        throw new CancelledError('Cancelled between two attempts', { cause });
      });
    }
  }
}

function isRetryable(error: ServiceError, isRead: boolean): boolean {
  if (error instanceof UnreachableError) return true;
  if (!isRead) return false;
  if (error instanceof ServiceFailureError)
    return error.status === undefined || retryableStatuses.has(error.status);
  return error instanceof RejectedError && error.isTransient;
}

/** Full jitter: a random part of a bound that doubles from 50 ms up to one second. */
function backoffMs(retry: number): number {
  return Math.random() * Math.min(1000, 50 * 2 ** retry);
}

/** Keeps an outage from being multiplied: retries have to be earned by answers, and where there is none, there are few. */
export interface RetryBudget {
  /** Counts a call that the service answered. */
  deposit(): void;
  /** Takes one retry; false when there is none left. */
  withdraw(): boolean;
}

export interface RetryBudgetOptions {
  /** Retries that each answer earns. @default 0.2 */
  depositPerSuccess?: number;
  /** Retries that can be saved up, and that there are at the beginning. @default 30 */
  capacity?: number;
  /** Retries that come back without any answer, one by one within `refillMs`. @default 3 */
  minimumRetries?: number;
  /** Time in milliseconds in which the reserve comes back. @default 10000 */
  refillMs?: number;
}

export function createRetryBudget(options: RetryBudgetOptions = {}): RetryBudget {
  const { depositPerSuccess = 0.2, capacity = 30, minimumRetries = 3, refillMs = 10_000 } = options;
  let available = capacity;
  let filledAt = performance.now();
  return {
    deposit() {
      available = Math.min(capacity, available + depositPerSuccess);
    },
    withdraw() {
      const now = performance.now();
      if (available < minimumRetries)
        available = Math.min(minimumRetries, available + ((now - filledAt) / refillMs) * minimumRetries);
      filledAt = now;
      if (available < 1) return false;
      available -= 1;
      return true;
    },
  };
}
