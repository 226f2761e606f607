/** Fails calls at once while the service is down, and asks from time to time whether it still is. */
import { CallerLeftError, FailedError, NotAdmittedError, TimeoutError, UnreachableError } from './errors.js';

export interface CircuitBreakerOptions {
  /** Time in milliseconds for which calls fail at once before one is let through as a probe, and then another. */
  openMs: number;
  /** Failures within the window from which on the circuit may open. @default 20 */
  leastFailures?: number;
  /** Share of the calls within the window that have to fail. @default 0.5 */
  share?: number;
  /** Time in milliseconds that is looked back on. @default 10000 */
  windowMs?: number;
  /** Told when the circuit opens, with the last failure, and when it closes. */
  onChange?: (state: 'closed' | 'open', failure?: Error) => void;
}

export interface CircuitBreaker {
  readonly state: 'closed' | 'halfOpen' | 'open';
  /** Runs a call, or throws a NotAdmittedError in its place. */
  run<T>(call: () => Promise<T>): Promise<T>;
}

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { openMs, leastFailures = 20, share = 0.5, windowMs = 10_000, onChange } = options;
  let tally = createTally(windowMs);
  /** When the circuit opened, or let its last probe through; undefined while it is closed. */
  let openedAt: number | undefined;
  /** Counts openings and closings: a call says nothing of a time that it does not belong to. */
  let generation = 0;

  const closed = () => {
    openedAt = undefined;
    generation += 1;
    tally = createTally(windowMs);
    onChange?.('closed');
  };
  const opened = (failure: Error) => {
    openedAt = performance.now();
    generation += 1;
    onChange?.('open', failure);
  };
  const waitMs = () => (openedAt === undefined ? 0 : openedAt + openMs - performance.now());

  const admit = () => {
    if (openedAt === undefined) return;
    const remainingMs = waitMs();
    if (remainingMs > 0) {
      const retryAfterSeconds = Math.max(1, Math.ceil(remainingMs / 1000));
      throw new NotAdmittedError('The service has failed too often of late', { retryAfterSeconds });
    }
    openedAt = performance.now();
  };

  const judge = (error: unknown) => {
    if (isSilent(error)) return;
    const isFailed = isFailure(error);
    const { calls, failures } = tally.count(isFailed);
    if (isFailed && failures >= leastFailures && failures >= share * calls) opened(error);
  };
  const judgeProbe = (error: unknown) => {
    if (isSilent(error))
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
          else tally.count(false);
        }
        return result;
      } catch (error) {
        if (admittedIn === generation) {
          if (isProbe) judgeProbe(error);
          else judge(error);
        }
        throw error;
      }
    },
  };
}

/** Errors that say nothing about the service. */
function isSilent(error: unknown): boolean {
  return error instanceof CallerLeftError || error instanceof NotAdmittedError;
}

/** Failures of the service: a call that it refused is none. */
function isFailure(error: unknown): error is Error {
  return error instanceof UnreachableError || error instanceof TimeoutError || error instanceof FailedError;
}

/** Counts calls and failures of a time gone by, in ten steps. */
function createTally(windowMs: number) {
  const stepMs = windowMs / 10;
  const steps: { begin: number; calls: number; failures: number }[] = [];
  const sum = { calls: 0, failures: 0 };
  return {
    /** Calls and failures within the window, this one included. */
    count(isFailure: boolean): Readonly<typeof sum> {
      const now = performance.now();
      for (let [first] = steps; first && now - first.begin >= windowMs; [first] = steps) {
        steps.shift();
        sum.calls -= first.calls;
        sum.failures -= first.failures;
      }
      let step = steps.at(-1);
      if (step === undefined || now - step.begin >= stepMs) {
        step = { begin: now, calls: 0, failures: 0 };
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
