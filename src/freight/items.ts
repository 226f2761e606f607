/** Sends the items of a list: what ends the list, and which items are sent again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isServerFault } from '../failures.js';
import { GatewayError } from '../gatewayError.js';
import type { Cancellation, Ends } from '../transport/cancellation.js';

/** No item starts after one of them. */
export interface ListEnds extends Ends {
  /** Fires when the process shuts down. */
  readonly shutdown: Cancellation;
  /** Whether the token, which all items share, authenticates them: then none succeeds after a 401. */
  readonly isTokenShared: boolean;
}

/** Wait after a failure without Retry-After. */
const PAUSE_SECONDS = 1;
/** A longer one is left to the client. */
const MAX_RETRY_AFTER_SECONDS = 5;

/**
 * Returns the function that sends each item of a list, with `send`. Once one ends with a 401 of the token or a long Retry-After, no further
 * item starts. An item that the service surely did not process, for example because the gateway shed it, waits and is sent again.
 */
export function createItemSender({ deadline, cancellation, shutdown, isTokenShared }: ListEnds) {
  /** Why no further item starts. */
  let end: GatewayError | undefined;
  const findEnd = () => {
    if (performance.now() >= deadline) end ??= new GatewayError('bulkTimedOut');
    if (cancellation.isCancelled) end ??= new GatewayError('cancelled');
    if (shutdown.isCancelled) end ??= new GatewayError('shuttingDown');
    return end;
  };
  return async <Result>(send: () => Promise<Result>): Promise<Result> => {
    let previous: GatewayError | undefined;
    for (;;) {
      const reason = findEnd();
      if (reason) throw previous ?? reason;
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const { failure, retryAfterSeconds = PAUSE_SECONDS } = error;
        if (failure === 'unauthenticated' && isTokenShared) end ??= new GatewayError(failure);
        const canResend = allowsResend(error, previous);
        const isLong =
          retryAfterSeconds > MAX_RETRY_AFTER_SECONDS ||
          performance.now() + retryAfterSeconds * 1000 >= deadline;
        if (isLong && (canResend || failure === 'rateLimited'))
          end ??= new GatewayError(failure, { retryAfterSeconds });
        if (!canResend) throw error;
        previous = error;
        if (!end) await sleep(retryAfterSeconds * 1000);
      }
    }
  };
}

/**
 * Whether an item may be sent again: the queue, the circuit breaker or the store of keys, for example, stopped it before the service
 * received anything, or the service was not ready for it (425). A claim that failed may have taken effect, and keeps the key in progress
 * until the store has withdrawn it.
 */
function allowsResend({ failure, outcome, meaning }: GatewayError, previous?: GatewayError): boolean {
  if (failure === 'keyInProgress')
    return previous?.failure === 'keyNotRecorded' || previous?.failure === failure;
  const isNotApplied = outcome === 'NOT_APPLIED' && meaning.outcome === 'NOT_APPLIED';
  return isNotApplied && meaning.isTransient && isServerFault(meaning.code);
}
