/** Fails calls at once while the service is down, and asks from time to time whether it still is. */
import {
  CancelledError,
  ServiceFailureError,
  BulkheadFullError,
  CircuitOpenError,
  TimeoutError,
  UnreachableError,
} from './errors.js';

export interface CircuitBreakerOptions {
  /** Time in milliseconds for which calls fail at once before one is let through as a probe, and then another. */
  openDurationMs: number;
  /** Failures within the window from which on the circuit may open. @default 20 */
  minimumFailures?: number;
  /** Share of the calls within the window that have to fail. @default 0.5 */
  failureRateThreshold?: number;
  /** Time in milliseconds that is looked back on. @default 10000 */
  windowMs?: number;
  /** Told when the circuit opens, with the last failure, and when it closes. */
  onChange?: (state: 'closed' | 'open', failure?: Error) => void;
}

export interface CircuitBreaker {
  readonly state: 'closed' | 'halfOpen' | 'open';
  /** Runs a call, or throws a CircuitOpenError in its place. */
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
  /** When the circuit opened, or let its last probe through; undefined while it is closed. */
  let openedAt: number | undefined;
  /** Counts openings and closings: a call says nothing of a time that it does not belong to. */
  let generation = 0;

  const closed = () => {
    openedAt = undefined;
    generation += 1;
    results = createSlidingWindow(windowMs);
    onChange?.('closed');
  };
  const opened = (failure: Error) => {
    openedAt = performance.now();
    generation += 1;
    onChange?.('open', failure);
  };
  const waitMs = () => (openedAt === undefined ? 0 : openedAt + openDurationMs - performance.now());

  const admit = () => {
    if (openedAt === undefined) return;
    const remainingMs = waitMs();
    if (remainingMs > 0) {
      const retryAfterSeconds = Math.max(1, Math.ceil(remainingMs / 1000));
      throw new CircuitOpenError('Circuit breaker is open', { retryAfterSeconds });
    }
    openedAt = performance.now();
  };

  const recordResult = (error: unknown) => {
    if (isInconclusive(error)) return;
    const isFailed = isFailure(error);
    const { calls, failures } = results.count(isFailed);
    if (isFailed && failures >= minimumFailures && failures >= failureRateThreshold * calls) opened(error);
  };
  const recordProbe = (error: unknown) => {
    if (isInconclusive(error))
      openedAt = -Infinity; // the next call is the probe in its place
    else if (!isFailure(error)) closed();
  };

  return {
    get state() {
      if (openedAt === undefined) return 'closed';
      return waitMs() > 0 ? 'open' : 'halfOpen';
    },
    async run(call) {
      admit();
      const admittedIn = generation;
      const isProbe = openedAt !== undefined;
      try {
        const result = await call();
        if (admittedIn === generation) {
          if (isProbe) closed();
          else results.count(false);
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

/** Errors that say nothing about the service. */
function isInconclusive(error: unknown): boolean {
  return error instanceof CancelledError || error instanceof BulkheadFullError;
}

/** Failures of the service: a call that it refused is none. */
function isFailure(error: unknown): error is Error {
  return (
    error instanceof UnreachableError || error instanceof TimeoutError || error instanceof ServiceFailureError
  );
}

/** Counts calls and failures of a time gone by, in ten steps. */
function createSlidingWindow(windowMs: number) {
  const stepMs = windowMs / 10;
  const steps: { startedAt: number; calls: number; failures: number }[] = [];
  const sum = { calls: 0, failures: 0 };
  return {
    /** Calls and failures within the window, this one included. */
    count(isFailure: boolean): Readonly<typeof sum> {
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
