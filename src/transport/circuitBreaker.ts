/** Circuit breaker: fails calls immediately while the service is down, and probes whether it has recovered. */
import { GatewayError } from '../gatewayError.js';

interface CircuitBreakerOptions {
  /** How long the circuit stays open before each probe, in milliseconds. */
  openDurationMs: number;
  /** Called when the circuit opens, with the last failure, and when it closes. */
  onChange: (failure?: Error) => void;
}

/**
 * Failures in a row after which the circuit opens. Any call that the service responds to in between, of whatever client, proves that it
 * is up: so one client's input cannot open the circuit for others, and an outage opens it even if there is only one client.
 */
const MAX_FAILURES = 20;

/** A circuit of an origin, which all clients share. After `openDurationMs` one call is the probe. */
export function createCircuitBreaker({ openDurationMs, onChange }: CircuitBreakerOptions) {
  let failures = 0;
  /** When the circuit opened or admitted its last probe; undefined while it is closed. */
  let openedAt: number | undefined;
  /** Counts how often the circuit has opened and closed. Calls that were admitted before the last change say nothing about it. */
  let period = 0;

  const change = (failure?: Error) => {
    openedAt = failure && performance.now();
    failures = 0;
    period += 1;
    onChange(failure);
  };
  /** Makes a call the next probe, or throws the error of one that must not be sent. */
  const beginProbe = (since: number) => {
    const remainingMs = since + openDurationMs - performance.now();
    if (remainingMs > 0)
      throw new GatewayError('circuitOpen', { retryAfterSeconds: Math.ceil(remainingMs / 1000) });
    openedAt = performance.now(); // if the probe hangs, the next one may probe after the same time again
  };
  /** Counts how a call ended that was admitted in a period: without an error, if it succeeded. */
  const settle = (admittedIn: number, error?: unknown) => {
    if (admittedIn !== period) return;
    // A bug of the gateway, too, comes after a response of the service.
    const effect = error instanceof GatewayError ? error.meaning.circuit : undefined;
    if (effect === 'failure') {
      failures += 1;
      if (openedAt === undefined && failures >= MAX_FAILURES) change(error as GatewayError);
    } else if (effect !== undefined) {
      if (openedAt !== undefined) openedAt = -Infinity; // lets the next call probe immediately
    } else if (openedAt === undefined) failures = 0;
    else change();
  };

  return {
    isOpen: () => openedAt !== undefined,
    /** The same call, which rejects with a GatewayError, `circuitOpen`, while the circuit is open. */
    guarded<Result>(send: () => Promise<Result>): () => Promise<Result> {
      return async () => {
        if (openedAt !== undefined) beginProbe(openedAt);
        const admittedIn = period;
        try {
          const result = await send();
          settle(admittedIn);
          return result;
        } catch (error) {
          settle(admittedIn, error);
          throw error;
        }
      };
    },
  };
}
