/** Circuit breaker: fails calls immediately while the service is down, and probes whether it has recovered. */
import {
  CancelledError,
  ServiceFailureError,
  BulkheadFullError,
  CircuitOpenError,
  MemoryBudgetError,
  TimeoutError,
  UnreachableError,
} from './errors.js';

export interface CircuitBreakerOptions {
  /** How long the circuit stays open before each probe, in milliseconds. */
  openDurationMs: number;
  /** Minimum failures within the window before the circuit may open. @default 20 */
  minimumFailures?: number;
  /** Minimum share of failed calls within the window. @default 0.5 */
  failureRateThreshold?: number;
  /** Length of the sliding window in milliseconds. @default 10000 */
  windowMs?: number;
  /** Called when the circuit opens, with the last failure, and when it closes. */
  onChange?: (state: 'closed' | 'open', failure?: Error) => void;
}

export interface CircuitBreaker {
  readonly state: 'closed' | 'halfOpen' | 'open';
  /** Runs a call; rejects with a CircuitOpenError if the circuit is open. */
  run<T>(call: () => Promise<T>): Promise<T>;
}

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const {
    openDurationMs,
    minimumFailures = 20,
    failureRateThreshold = 0.5,
    windowMs = 10_000,
    onChange,
  } = options;
  let results = createSlidingWindow(windowMs);
  /** When the circuit opened or admitted its last probe; undefined while it is closed. */
  let openedAt: number | undefined;
  /** Incremented on every state change; results of calls admitted in an earlier generation are ignored. */
  let generation = 0;

  const close = () => {
    openedAt = undefined;
    generation += 1;
    results = createSlidingWindow(windowMs);
    onChange?.('closed');
  };
  const open = (failure: Error) => {
    openedAt = performance.now();
    generation += 1;
    onChange?.('open', failure);
  };
  const remainingOpenMs = () => (openedAt === undefined ? 0 : openedAt + openDurationMs - performance.now());

  const admit = () => {
    if (openedAt === undefined) return;
    const remainingMs = remainingOpenMs();
    if (remainingMs > 0) {
      const retryAfterSeconds = Math.max(1, Math.ceil(remainingMs / 1000));
      throw new CircuitOpenError('Circuit breaker is open', { retryAfterSeconds });
    }
    // This call is the probe. If it hangs, the next one may probe after the same time again.
    openedAt = performance.now();
  };

  const recordResult = (error: unknown) => {
    if (isInconclusive(error)) return;
    const isFailed = isFailure(error);
    const { calls, failures } = results.add(isFailed);
    if (isFailed && failures >= minimumFailures && failures >= failureRateThreshold * calls) open(error);
  };
  const recordProbe = (error: unknown) => {
    if (isInconclusive(error))
      openedAt = -Infinity; // lets the next call probe immediately
    else if (!isFailure(error)) close();
  };

  return {
    get state() {
      if (openedAt === undefined) return 'closed';
      return remainingOpenMs() > 0 ? 'open' : 'halfOpen';
    },
    async run(call) {
      admit();
      const admittedIn = generation;
      const isProbe = openedAt !== undefined;
      try {
        const result = await call();
        if (admittedIn === generation) {
          if (isProbe) close();
          else results.add(false);
        }
        return result;
      } catch (error) {
        if (admittedIn === generation) {
          if (isProbe) recordProbe(error);
          else recordResult(error);
        }
        throw error;
      }
    },
  };
}

/** Errors that say nothing about the health of the service. */
function isInconclusive(error: unknown): boolean {
  return (
    error instanceof CancelledError ||
    error instanceof BulkheadFullError ||
    error instanceof MemoryBudgetError
  );
}

/** Failures of the service. A rejection (4xx) is not one: the service is up. */
function isFailure(error: unknown): error is Error {
  return (
    error instanceof UnreachableError || error instanceof TimeoutError || error instanceof ServiceFailureError
  );
}

/** Counts recent calls and failures in ten steps, each of which expires as one. */
function createSlidingWindow(windowMs: number) {
  const stepMs = windowMs / 10;
  const steps: { startedAt: number; calls: number; failures: number }[] = [];
  const sum = { calls: 0, failures: 0 };
  return {
    /** Adds a call; returns the totals of the window, including it. */
    add(isFailure: boolean): Readonly<typeof sum> {
      const now = performance.now();
      for (let [first] = steps; first && now - first.startedAt >= windowMs; [first] = steps) {
        steps.shift();
        sum.calls -= first.calls;
        sum.failures -= first.failures;
      }
      let step = steps.at(-1);
      if (step === undefined || now - step.startedAt >= stepMs) {
        step = { startedAt: now, calls: 0, failures: 0 };
        steps.push(step);
      }
      const failures = isFailure ? 1 : 0;
      for (const each of [step, sum]) {
        each.calls += 1;
        each.failures += failures;
      }
      return sum;
    },
  };
}
