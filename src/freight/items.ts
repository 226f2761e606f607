/** Sends the items of a list: how many at a time, in which order, and what ends the list. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import type { RequestClient } from './restCall.js';
import { GatewayError } from '../gatewayError.js';
import type { Cancellation } from '../transport/cancellation.js';

export interface Item<Report> {
  /** Items with the same resource do not overlap; undefined if an item may run next to any other. */
  readonly resource: string | undefined;
  /** Sends it; called again if the item may be sent again. */
  readonly send: () => Promise<object>;
  /** Returns its entry in the response, from how it ended. */
  readonly report: (settled: () => Promise<object>) => Promise<Report>;
}

export interface SendLimits {
  /** Whether the token, which all items share, authenticates them: then none succeeds after a 401. */
  readonly isTokenShared: boolean;
  /** Maximum items of a list in flight. */
  readonly concurrency: number;
  /** No item starts after it, on the clock of performance.now(). */
  readonly deadline: number;
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
export async function sendItems<Report>(
  items: readonly Item<Report>[],
  { cancellation }: Pick<RequestClient, 'cancellation'>,
  { isTokenShared, concurrency, deadline, shutdown }: SendLimits,
): Promise<Report[]> {
  const reports: Report[] = [];
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
  const sendItem = async ({ send, report }: Item<Report>) => {
    let previous: GatewayError | undefined;
    for (;;) {
      const problem = findStopReason();
      if (problem) return report(() => Promise.reject(previous ?? problem));
      const sent = send();
      const error: unknown = await sent.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const canResend = allowsResend(error, previous);
      if (error instanceof GatewayError) reactTo(error, canResend);
      if (!canResend) return report(() => sent);
      previous = error;
      if (!stopReason) await sleep((error.retryAfterSeconds ?? PAUSE_SECONDS) * 1000);
    }
  };
  const sendGroup = async (indexes: readonly number[]) => {
    for (const index of indexes) reports[index] = await sendItem(items[index] as Item<Report>);
  };
  await pMap(groupsOf(items), sendGroup, { concurrency });
  return reports;
}

/** The indexes of items that are sent one after the other. */
function groupsOf(items: readonly Item<unknown>[]): number[][] {
  const groups = new Map<string | number, number[]>();
  for (const [index, { resource = index }] of items.entries()) {
    const group = groups.get(resource);
    if (group) group.push(index);
    else groups.set(resource, [index]);
  }
  return [...groups.values()];
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
    Boolean(meaning.isDependencyFailure)
  );
}
