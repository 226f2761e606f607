/** Circuit breaker: fails calls immediately while the service is down, and probes whether it has recovered. */
import { tokenKey, type ClientIdentity } from './calls.js';
import {
  ADMITTED_EARLIER,
  createCircuit,
  DEFAULT_WINDOW_MS,
  type Admission,
  type Circuit,
  type CircuitOptions,
} from './circuit.js';
import { ServiceError } from './serviceError.js';

export interface CircuitBreakerOptions extends CircuitOptions {
  /** Called when the shared circuit opens, with the last failure, and when it closes. */
  onChange?: (state: 'closed' | 'open', failure?: Error) => void;
  /** Called when the circuit of one client opens or closes. */
  onClientChange?: (state: 'closed' | 'open', client: ClientIdentity, failure?: Error) => void;
}

/** Maximum circuits of clients; the one that failed longest ago makes room. */
const MAX_CLIENT_CIRCUITS = 500;

/**
 * One circuit that all clients share, and one for each client whose calls fail. A call is made if both are closed.
 *
 * - The shared circuit opens after `minimumFailures` that are at least `failureRateThreshold` of the calls within the
 *   window. A failed connection always counts. A timeout, a 5xx and a lost connection may be due to one client's input,
 *   so they count once per token and once per address within the window: it takes as many clients as failures.
 * - A client's circuit counts all its timeouts, 5xx and lost connections, with the same thresholds. The client is the
 *   token, or the address without one. Its successes are counted from its first failure on; before that, all clients'
 *   count for it, so that a short burst of failures opens neither circuit.
 * - After `openDurationMs` one call is the probe.
 */
export function createCircuitBreaker(options: CircuitBreakerOptions) {
  const { windowMs = DEFAULT_WINDOW_MS, onChange, onClientChange } = options;
  const shared = createCircuit(options);
  let failedClients = createFailedClients(windowMs);
  /** By token key, the one that failed last at the end. Empty as long as no call fails, which spares calls the lookup. */
  const circuits = new Map<string, Circuit>();

  const circuitOf = (client: ClientIdentity) =>
    circuits.size === 0 ? undefined : circuits.get(tokenKey(client));

  const recordSuccess = (client: ClientIdentity, admission: Admission, ownAdmission: Admission) => {
    if (shared.succeed(admission)) {
      failedClients = createFailedClients(windowMs);
      onChange?.('closed');
    }
    const own = circuitOf(client);
    if (own?.succeed(ownAdmission)) onClientChange?.('closed', client);
    if (own?.state === 'closed' && own.failures === 0) circuits.delete(tokenKey(client));
  };

  const recordClientFailure = (client: ClientIdentity, admission: Admission, failure: Error) => {
    const key = tokenKey(client);
    const own = circuits.get(key) ?? shared.fork();
    circuits.delete(key);
    circuits.set(key, own);
    const [oldest] = circuits.keys();
    if (circuits.size > MAX_CLIENT_CIRCUITS && oldest !== undefined) circuits.delete(oldest);
    if (own.fail(admission)) onClientChange?.('open', client, failure);
  };

  const recordError = (
    error: unknown,
    client: ClientIdentity,
    admission: Admission,
    ownAdmission: Admission,
  ) => {
    // A bug of the gateway, too, comes after a response of the service.
    if (!(error instanceof ServiceError) || error.meaning.circuit === undefined) {
      recordSuccess(client, admission, ownAdmission);
      return;
    }
    const { circuit } = error.meaning;
    if (circuit === 'client') {
      if (failedClients.add(client) && shared.fail(admission)) onChange?.('open', error);
      recordClientFailure(client, ownAdmission, error);
      return;
    }
    circuitOf(client)?.withdraw(ownAdmission);
    if (circuit === 'none') shared.withdraw(admission);
    else if (shared.fail(admission)) onChange?.('open', error);
  };

  return {
    /** Of the circuit that all clients share. */
    get state() {
      return shared.state;
    },
    /** Runs a call for a client; rejects with a ServiceError, `circuitOpen`, if a circuit is open. */
    async run<T>(call: () => Promise<T>, client: ClientIdentity): Promise<T> {
      const own = circuitOf(client);
      own?.check();
      shared.check();
      const admission = shared.admit();
      const ownAdmission = own?.admit() ?? ADMITTED_EARLIER;
      try {
        const result = await call();
        recordSuccess(client, admission, ownAdmission);
        return result;
      } catch (error) {
        recordError(error, client, admission, ownAdmission);
        throw error;
      }
    },
  };
}

/** Maximum tokens, and maximum addresses. A token has at most 16 KiB, because all headers do. */
const MAX_KEYS = 500;

/** The clients whose failures count already: within a window of time, each counts once. */
export function createFailedClients(windowMs: number) {
  /** When each was counted, on the clock of performance.now(), oldest first. */
  const tokens = new Map<string, number>();
  const addresses = new Map<string, number>();
  return {
    /**
     * Whether a failure of this client counts: once per window for its token and once for its address, so that neither
     * many tokens of one address nor many addresses with one token look like many clients.
     */
    add(client: ClientIdentity): boolean {
      const token = tokenKey(client);
      const { address } = client.peer;
      const now = performance.now();
      for (const counted of [tokens, addresses]) {
        for (const [key, countedAt] of counted) {
          if (now - countedAt < windowMs && counted.size < MAX_KEYS) break;
          counted.delete(key);
        }
      }
      if (tokens.has(token) || addresses.has(address)) return false;
      tokens.set(token, now);
      addresses.set(address, now);
      return true;
    },
  };
}
