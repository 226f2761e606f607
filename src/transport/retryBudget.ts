/** Retry budget: calls that succeed earn retries, which keeps retries from amplifying an outage. */
export interface RetryBudget {
  /** Records a call that succeeded, or that the service rejected with a 4xx other than 429. */
  deposit(): void;
  /** Takes one retry; false if there is none left. */
  withdraw(): boolean;
}

export interface RetryBudgetOptions {
  /** Retries that each of these calls earns. @default 0.2 */
  depositPerCall?: number;
  /** Retries that can be saved, and those available at startup. @default 30 */
  capacity?: number;
  /** Reserve of retries that refills over `refillMs` even without such calls. @default 3 */
  minimumRetries?: number;
  /** Time in milliseconds in which the empty reserve refills. @default 10000 */
  refillMs?: number;
}

export function createRetryBudget(options: RetryBudgetOptions = {}): RetryBudget {
  const { depositPerCall = 0.2, capacity = 30, minimumRetries = 3, refillMs = 10_000 } = options;
  let available = capacity;
  let refilledAt = performance.now();
  return {
    deposit() {
      available = Math.min(capacity, available + depositPerCall);
    },
    withdraw() {
      const now = performance.now();
      if (available < minimumRetries) {
        const refill = ((now - refilledAt) / refillMs) * minimumRetries;
        available = Math.min(minimumRetries, available + refill);
      }
      refilledAt = now;
      if (available < 1) return false;
      available -= 1;
      return true;
    },
  };
}
