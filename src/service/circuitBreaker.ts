/** Fails calls at once while the service is down, and asks from time to time whether it still is. */
import { CallerLeftError, FailedError, NotAdmittedError, TimeoutError, UnreachableError } from './errors.js';

export interface CircuitBreakerOptions {
  /** Time in milliseconds for which calls fail at once before one is let through as a probe. */
  openMs: number;
  /** Failures within the window from which on the circuit may open. @default 20 */
  leastFailures?: number;
  /** Share of the calls within the window that have to fail. @default 0.5 */
  share?: number;
  /** Time in milliseconds that is looked back on. @default 10000 */
  windowMs?: number;
}

export interface CircuitBreaker {
  readonly state: 'closed' | 'halfOpen' | 'open';
  /** Runs a call, or throws a NotAdmittedError in its place. */
  run<T>(call: () => Promise<T>): Promise<T>;
}

export function createCircuitBreaker(options: CircuitBreakerOptions): CircuitBreaker {
  const { openMs, leastFailures = 20, share = 0.5, windowMs = 10_000 } = options;
  let openedAt: number | undefined;
  let isProbing = false;
  let recent = createTally(windowMs);

  const stateNow = () => {
    if (openedAt === undefined) return 'closed';
    return performance.now() - openedAt < openMs ? 'open' : 'halfOpen';
  };

  const admit = () => {
    const state = stateNow();
    if (state === 'closed') return;
    if (state === 'halfOpen' && !isProbing) {
      isProbing = true;
      return;
    }
    const waitMs = Math.max(0, openMs - (performance.now() - (openedAt ?? 0)));
    throw new NotAdmittedError('The service has failed too often of late', {
      retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    });
  };

  /** A verdict of undefined says nothing about the service. */
  const record = (isFailure: boolean | undefined, wasProbe: boolean) => {
    if (wasProbe) isProbing = false;
    if (isFailure === undefined) return;
    if (wasProbe) {
      openedAt = isFailure ? performance.now() : undefined;
      recent = createTally(windowMs);
      return;
    }
    const { calls, failures } = recent.count(isFailure);
    if (openedAt === undefined && failures >= leastFailures && failures >= share * calls)
      openedAt = performance.now();
  };

  return {
    get state() {
      return stateNow();
    },
    async run(call) {
      admit();
      const wasProbe = openedAt !== undefined;
      try {
        const result = await call();
        record(false, wasProbe);
        return result;
      } catch (error) {
        record(verdictOf(error), wasProbe);
        throw error;
      }
    },
  };
}

/** Whether an error is a failure of the service: a call that it refused is none, and one that was given up says nothing. */
function verdictOf(error: unknown): boolean | undefined {
  if (error instanceof CallerLeftError || error instanceof NotAdmittedError) return undefined;
  return error instanceof UnreachableError || error instanceof TimeoutError || error instanceof FailedError;
}

/** Counts calls and failures of a time gone by, in ten steps. */
function createTally(windowMs: number) {
  const stepMs = windowMs / 10;
  let steps: { begin: number; calls: number; failures: number }[] = [];
  return {
    count(isFailure: boolean) {
      const now = performance.now();
      steps = steps.filter(({ begin }) => now - begin < windowMs);
      let step = steps.at(-1);
      if (step === undefined || now - step.begin >= stepMs) {
        step = { begin: now, calls: 0, failures: 0 };
        steps.push(step);
      }
      step.calls += 1;
      if (isFailure) step.failures += 1;
      return steps.reduce(
        (sum, { calls, failures }) => ({ calls: sum.calls + calls, failures: sum.failures + failures }),
        { calls: 0, failures: 0 },
      );
    },
  };
}
