/** Circuit breaker: fails calls immediately while the service is down, and probes whether it has recovered. */
import { LRUCache } from 'lru-cache';
import type { ClientIdentity } from './calls.js';
import { addressKey, tokenKey } from './shares.js';
import { ServiceError } from './serviceError.js';

interface CircuitOptions {
  /** How long the circuit stays open before each probe, in milliseconds. */
  openDurationMs: number;
  /** Minimum failures within the window before the circuit may open. @default 20 */
  minimumFailures?: number;
}

/** Minimum share of failed calls within the window for the circuit to open. */
const FAILURE_RATE_THRESHOLD = 0.5;
/** Length of the sliding window in milliseconds. */
const WINDOW_MS = 10_000;

interface CircuitBreakerOptions extends CircuitOptions {
  /** Called when the shared circuit opens, with the last failure, and when it closes. */
  onChange?: (state: 'closed' | 'open', failure?: Error) => void;
  /** Called when the circuit of one client opens or closes. */
  onClientChange?: (state: 'closed' | 'open', client: ClientIdentity, failure?: Error) => void;
}

/**
 * One circuit that all clients share, and one for each client whose calls fail. A call is made if both are closed.
 *
 * - The shared circuit opens after `minimumFailures` that are at least half of the calls within the window. A failed connection
 *   always counts. A timeout, a 5xx and a lost connection may be due to one client's input, so they count once per token and once
 *   per address within the window: it takes as many clients as failures.
 * - A client's circuit counts all its timeouts, 5xx and lost connections, with the same thresholds. The client is the
 *   token, or the address without one. Its successes are counted from its first failure on; before that, all clients'
 *   count for it, so that a short burst of failures opens neither circuit.
 * - After `openDurationMs` one call is the probe.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions) {
  const { onChange, onClientChange } = options;
  const shared = createCircuit(options);
  let failedClients = createFailedClients();
  /** By token key; the one that failed longest ago makes room. Empty as long as no call fails, which spares calls the lookup. */
  const circuits = new LRUCache<string, Circuit>({ max: 500 });

  const ownCircuitOf = (client: ClientIdentity) =>
    circuits.size === 0 ? undefined : circuits.peek(tokenKey(client));

  const recordSuccess = ({ client, admission, ownAdmission }: AdmittedCall) => {
    if (shared.succeed(admission)) {
      failedClients = createFailedClients();
      onChange?.('closed');
    }
    const own = ownCircuitOf(client);
    if (own?.succeed(ownAdmission)) onClientChange?.('closed', client);
    if (own?.state === 'closed' && own.failures === 0) circuits.delete(tokenKey(client));
  };

  const recordClientFailure = (client: ClientIdentity, admission: Admission, failure: Error) => {
    const key = tokenKey(client);
    const own = circuits.get(key) ?? shared.fork();
    circuits.set(key, own);
    if (own.fail(admission)) onClientChange?.('open', client, failure);
  };

  const recordError = (error: ServiceError, { client, admission, ownAdmission }: AdmittedCall) => {
    const { circuit } = error.meaning;
    if (circuit === 'client') {
      if (failedClients.add(client) && shared.fail(admission)) onChange?.('open', error);
      recordClientFailure(client, ownAdmission, error);
      return;
    }
    ownCircuitOf(client)?.withdraw(ownAdmission);
    if (circuit === 'none') shared.withdraw(admission);
    else if (shared.fail(admission)) onChange?.('open', error);
  };

  return {
    /** Of the circuit that all clients share. */
    get state() {
      return shared.state;
    },
    /** Admits a call for a client, to be settled; throws a ServiceError, `circuitOpen`, if a circuit is open. */
    admit(client: ClientIdentity): AdmittedCall {
      const own = ownCircuitOf(client);
      own?.check();
      shared.check();
      return { client, admission: shared.admit(), ownAdmission: own?.admit() ?? ADMITTED_EARLIER };
    },
    /** Counts how a call ended: without an error, if it succeeded. */
    settle(call: AdmittedCall, error?: unknown): void {
      // A bug of the gateway, too, comes after a response of the service.
      if (error instanceof ServiceError && error.meaning.circuit !== undefined) recordError(error, call);
      else recordSuccess(call);
    },
  };
}

/** The clients whose failures count already: within a window of time, each counts once. */
export function createFailedClients() {
  // A token has at most 16 KiB, because all headers do.
  const options = { max: 500, ttl: WINDOW_MS, ttlResolution: 0, perf: performance };
  const tokens = new LRUCache<string, true>(options);
  const addresses = new LRUCache<string, true>(options);
  return {
    /**
     * Whether a failure of this client counts: once per window for its token and once for its address, so that neither
     * many tokens of one address nor many addresses with one token look like many clients.
     */
    add(client: ClientIdentity): boolean {
      const token = tokenKey(client);
      const address = addressKey(client);
      if (tokens.has(token) || addresses.has(address)) return false;
      tokens.set(token, true);
      addresses.set(address, true);
      return true;
    },
  };
}

/** A call that the circuits admitted. */
export interface AdmittedCall {
  readonly client: ClientIdentity;
  readonly admission: Admission;
  /** That of the client's own circuit. */
  readonly ownAdmission: Admission;
}

/** What a circuit knows of a call that it admitted. Results of calls admitted before it opened or closed are ignored. */
interface Admission {
  readonly generation: number;
  readonly isProbe: boolean;
}

/** The admission of a call that started before its circuit existed. */
const ADMITTED_EARLIER: Admission = { generation: 0, isProbe: false };

interface Circuit {
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

/** Counts results in a sliding window, opens when too many failed, and probes while it is open. */
function createCircuit(options: CircuitOptions, steps?: Step[]): Circuit {
  const { openDurationMs, minimumFailures = 20 } = options;
  let results = createSlidingWindow(steps);
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
      results = createSlidingWindow();
      return true;
    },
    fail(admission) {
      if (!isCurrent(admission) || admission.isProbe) return false;
      const { calls, failures } = results.add(true);
      if (failures < minimumFailures || failures < FAILURE_RATE_THRESHOLD * calls) return false;
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
function createSlidingWindow(steps: Step[] = []) {
  const stepMs = WINDOW_MS / 10;
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
      for (let [first] = steps; first && now - first.startedAt >= WINDOW_MS; [first] = steps) {
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
