/** One circuit: counts results in a sliding window, opens when too many failed, and probes while it is open. */
import { ServiceError } from './serviceError.js';

export const DEFAULT_WINDOW_MS = 10_000;

export interface CircuitOptions {
  /** How long the circuit stays open before each probe, in milliseconds. */
  openDurationMs: number;
  /** Minimum failures within the window before the circuit may open. @default 20 */
  minimumFailures?: number;
  /** Minimum share of failed calls within the window. @default 0.5 */
  failureRateThreshold?: number;
  /** Length of the sliding window in milliseconds. @default 10000 */
  windowMs?: number;
}

/** A call that the circuit admitted. Results of calls admitted before it opened or closed are ignored. */
export interface Admission {
  readonly generation: number;
  readonly isProbe: boolean;
}

/** The admission of a call that started before its circuit existed. */
export const ADMITTED_EARLIER: Admission = { generation: 0, isProbe: false };

export interface Circuit {
  readonly state: 'closed' | 'halfOpen' | 'open';
  /** Failures within the window, as of the last result. */
  readonly failures: number;
  /** A closed circuit whose window holds the successes of this one. */
  fork(): Circuit;
  /** Throws a ServiceError, `circuitOpen`, while the circuit is open. */
  check(): void;
  /** Admits a call that passed the check. In an open circuit it is the probe. */
  admit(): Admission;
  /** Whether this success closed the circuit. */
  succeed(admission: Admission): boolean;
  /** Whether this failure opened the circuit. */
  fail(admission: Admission): boolean;
  /** The call says nothing about the service: another one may probe. */
  withdraw(admission: Admission): void;
}

export function createCircuit(options: CircuitOptions, steps?: Step[]): Circuit {
  const { openDurationMs, minimumFailures = 20, failureRateThreshold = 0.5 } = options;
  const { windowMs = DEFAULT_WINDOW_MS } = options;
  let results = createSlidingWindow(windowMs, steps);
  /** When the circuit opened or admitted its last probe; undefined while it is closed. */
  let openedAt: number | undefined;
  let whileClosed = ADMITTED_EARLIER;

  const nextGeneration = () => {
    whileClosed = { generation: whileClosed.generation + 1, isProbe: false };
  };
  const remainingOpenMs = () => (openedAt === undefined ? 0 : openedAt + openDurationMs - performance.now());
  const isCurrent = ({ generation }: Admission) => generation === whileClosed.generation;

  return {
    get state() {
      if (openedAt === undefined) return 'closed';
      return remainingOpenMs() > 0 ? 'open' : 'halfOpen';
    },
    get failures() {
      return results.totals.failures;
    },
    fork() {
      const successes = results.steps.map(({ startedAt, calls, failures }) => ({
        startedAt,
        calls: calls - failures,
        failures: 0,
      }));
      return createCircuit(options, successes);
    },
    check() {
      const remainingMs = remainingOpenMs();
      if (remainingMs <= 0) return;
      const retryAfterSeconds = Math.max(1, Math.ceil(remainingMs / 1000));
      throw new ServiceError('circuitOpen', { retryAfterSeconds });
    },
    admit() {
      if (openedAt === undefined) return whileClosed;
      // If the probe hangs, the next one may probe after the same time again.
      openedAt = performance.now();
      return { ...whileClosed, isProbe: true };
    },
    succeed(admission) {
      if (!isCurrent(admission)) return false;
      if (!admission.isProbe) {
        results.add(false);
        return false;
      }
      openedAt = undefined;
      nextGeneration();
      results = createSlidingWindow(windowMs);
      return true;
    },
    fail(admission) {
      if (!isCurrent(admission) || admission.isProbe) return false;
      const { calls, failures } = results.add(true);
      if (failures < minimumFailures || failures < failureRateThreshold * calls) return false;
      openedAt = performance.now();
      nextGeneration();
      return true;
    },
    withdraw(admission) {
      if (isCurrent(admission) && admission.isProbe) openedAt = -Infinity; // lets the next call probe immediately
    },
  };
}

interface Step {
  startedAt: number;
  calls: number;
  failures: number;
}

/** Counts recent calls and failures in ten steps, each of which expires as one. */
function createSlidingWindow(windowMs: number, steps: Step[] = []) {
  const stepMs = windowMs / 10;
  const totals = { calls: 0, failures: 0 };
  for (const { calls, failures } of steps) {
    totals.calls += calls;
    totals.failures += failures;
  }
  return {
    steps: steps as readonly Readonly<Step>[],
    totals: totals as Readonly<typeof totals>,
    /** Adds a call; returns the totals of the window, including it. */
    add(isFailure: boolean): Readonly<typeof totals> {
      const now = performance.now();
      for (let [first] = steps; first && now - first.startedAt >= windowMs; [first] = steps) {
        steps.shift();
        totals.calls -= first.calls;
        totals.failures -= first.failures;
      }
      let step = steps.at(-1);
      if (step === undefined || now - step.startedAt >= stepMs) {
        step = { startedAt: now, calls: 0, failures: 0 };
        steps.push(step);
      }
      const failures = isFailure ? 1 : 0;
      step.calls += 1;
      step.failures += failures;
      totals.calls += 1;
      totals.failures += failures;
      return totals;
    },
  };
}
