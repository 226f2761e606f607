/** Retries: reads after transient failures, writes only if no byte of the request was sent. */
import { GatewayError } from '../gatewayError.js';
import { isTooLateToSend, type Cancellation, type Ends } from './cancellation.js';

export interface RetryOptions extends Ends {
  isRead: boolean;
  retries: number;
  budget: ReturnType<typeof createRetryBudget>;
  /** Called with the error of each attempt. */
  onFailure: (error: unknown) => void;
}

/**
 * Runs `attempt` until it succeeds or its error may not be retried, then settles like the last attempt. Between
 * attempts it waits for the Retry-After of the response plus exponential backoff with full jitter.
 */
export async function withRetries<T>(options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      const result = await attempt();
      options.budget.deposit();
      return result;
    } catch (error) {
      options.onFailure(error);
      await waitForRetry(error, retry, options);
    }
  }
}

/** Rejects with the error if it is final. */
async function waitForRetry(error: unknown, retry: number, options: RetryOptions): Promise<void> {
  const { isRead, retries, budget, deadline, cancellation } = options;
  if (!(error instanceof GatewayError)) throw error;
  const { retriedCalls, errorType } = error.meaning;
  // Other failures must not earn retries: with many saved from better times, they would amplify an outage.
  if (errorType === 'RejectedError' && retriedCalls === undefined) budget.deposit();
  if (retry >= retries || !(retriedCalls === 'all' || (isRead && retriedCalls === 'reads'))) throw error;
  const delayMs = (error.retryAfterSeconds ?? 0) * 1000 + backoffMs(retry);
  if (isTooLateToSend(deadline, delayMs) || !budget.withdraw()) throw error;
  await sleep(delayMs, cancellation);
  if (isTooLateToSend(deadline)) throw error; // the wait took longer than it should
}

/** Rejects if it is cancelled. */
function sleep(delayMs: number, cancellation: Cancellation): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      cancellation.offCancel(onCancel);
      resolve();
    }, delayMs);
    const onCancel = () => {
      clearTimeout(timer);
      reject(new GatewayError('cancelled'));
    };
    cancellation.onCancel(onCancel);
  });
}

/** Full jitter: a random part of an upper bound that doubles from 50 ms to one second. */
function backoffMs(retry: number): number {
  return Math.random() * Math.min(1000, 50 * 2 ** retry);
}

/** Retries that each call earns. */
const DEPOSIT_PER_CALL = 0.2;
/** Retries that can be saved, and those available at startup. */
const CAPACITY = 30;

/** Calls that succeed earn retries, which keeps retries from amplifying an outage. */
export function createRetryBudget() {
  let available = CAPACITY;
  return {
    /** Records a call that succeeded, or that the service rejected with a 4xx other than 408, 425 and 429. */
    deposit(): void {
      available = Math.min(CAPACITY, available + DEPOSIT_PER_CALL);
    },
    /** Takes one retry; false if there is none left. */
    withdraw(): boolean {
      if (available < 1) return false;
      available -= 1;
      return true;
    },
  };
}
