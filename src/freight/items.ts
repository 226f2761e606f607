/** Sends the items of a list: how many at a time, in which order, and what ends the list. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { GatewayError } from '../gatewayError.js';
import type { Cancellation } from '../transport/cancellation.js';

/** How items are sent. */
export interface ItemSender<Item> {
  /** Items with the same resource do not overlap; undefined if an item may run next to any other. */
  readonly resourceOf: (item: Item) => string | undefined;
  /** Sends an item; called again if the item may be sent again. */
  readonly send: (item: Item) => Promise<object>;
  /** Called with what `send` resolved to. */
  readonly applied: (item: Item, payload: object) => void;
  /** Called instead with why the item failed, or was not sent. */
  readonly failed: (item: Item, error: unknown) => void;
}

export interface SendLimits {
  /** Whether the token, which all items share, authenticates them: then none succeeds after a 401. */
  readonly isTokenShared: boolean;
  /** Maximum items of a list in flight. */
  readonly concurrency: number;
  /** No item starts after it, on the clock of performance.now(). */
  readonly deadline: number;
  /** Fires when the client disconnects. */
  readonly cancellation: Cancellation;
  /** Fires when the process shuts down. */
  readonly shutdown: Cancellation;
}

/** Wait after a failure without Retry-After. */
const PAUSE_SECONDS = 1;
/** A longer one is left to the client. */
const MAX_RETRY_AFTER_SECONDS = 5;

/**
 * Sends items in their order, several at a time, but items of one resource one after the other: the service replaces whole
 * definitions. Once one ends with a 401 of the token or a long Retry-After, no further item starts. An item that the service surely did not
 * process, for example because the gateway shed it, waits and is sent again.
 */
export async function sendItems<Item>(
  items: readonly Item[],
  options: ItemSender<Item> & SendLimits,
): Promise<void> {
  const { resourceOf, send, applied, failed } = options;
  const { isTokenShared, concurrency, deadline, cancellation, shutdown } = options;
  /** Why no further item starts. */
  let stopReason: GatewayError | undefined;

  const findStopReason = () => {
    if (performance.now() >= deadline) stopReason ??= new GatewayError('bulkTimedOut');
    if (cancellation.isCancelled) stopReason ??= new GatewayError('cancelled');
    if (shutdown.isCancelled) stopReason ??= new GatewayError('shuttingDown');
    return stopReason;
  };
  const reactTo = (error: GatewayError, canResend: boolean) => {
    const { failure, retryAfterSeconds } = error;
    if (failure === 'unauthenticated' && isTokenShared) stopReason ??= new GatewayError(failure);
    if (failure !== 'rateLimited' && !canResend) return;
    const waitSeconds = retryAfterSeconds ?? PAUSE_SECONDS;
    const isLong =
      waitSeconds > MAX_RETRY_AFTER_SECONDS || performance.now() + waitSeconds * 1000 >= deadline;
    if (isLong) stopReason ??= new GatewayError(failure, { retryAfterSeconds: waitSeconds });
  };
  const sendItem = async (item: Item) => {
    let previous: GatewayError | undefined;
    for (;;) {
      const problem = findStopReason();
      if (problem) throw previous ?? problem;
      try {
        return await send(item);
      } catch (error) {
        const canResend = allowsResend(error, previous);
        if (error instanceof GatewayError) reactTo(error, canResend);
        if (!canResend) throw error;
        previous = error;
        if (!stopReason) await sleep((error.retryAfterSeconds ?? PAUSE_SECONDS) * 1000);
      }
    }
  };
  /** Items of one resource, or one item without. */
  const groups = new Map<string | Item, Item[]>();
  for (const item of items) {
    const key = resourceOf(item) ?? item;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  const sendGroup = async (group: readonly Item[]) => {
    for (const item of group)
      await sendItem(item).then(
        (payload) => applied(item, payload),
        (error: unknown) => failed(item, error),
      );
  };
  await pMap(groups.values(), sendGroup, { concurrency });
}

/**
 * Whether an item may be sent again: the queue, the circuit breaker or the store of keys, for example, stopped it before the service
 * received anything, or the service was not ready for it (425). A claim that failed may have taken effect, and keeps the key in progress
 * until the store has withdrawn it.
 */
function allowsResend(error: unknown, previous: GatewayError | undefined): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  const { failure, meaning } = error;
  if (failure === 'keyInProgress')
    return previous?.failure === 'keyNotRecorded' || previous?.failure === failure;
  return (
    meaning.outcome === 'NOT_APPLIED' &&
    error.outcome === 'NOT_APPLIED' &&
    meaning.isTransient &&
    Boolean(meaning.isServerFault)
  );
}
