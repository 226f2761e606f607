/** Sends the items of a list: how many at a time, in which order, and what ends the list. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import type { RequestClient } from './restCall.js';
import { GatewayError } from '../gatewayError.js';
import type { Cancellation } from '../transport/cancellation.js';

export interface Item<Report> {
  /** Items with the same resource do not overlap; undefined if an item may run next to any other. */
  readonly resource: string | undefined;
  /** Sends it; again, if the gateway rejected it before the service could receive it. */
  readonly send: () => Promise<object>;
  /** Its entry in the response, from how it ended. */
  readonly report: (end: () => Promise<object>) => Promise<Report>;
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

/** Without a Retry-After. */
const PAUSE_SECONDS = 1;
/** A longer one is left to the client. */
const MAX_RETRY_AFTER_SECONDS = 5;

/**
 * Sends items in their order, several at a time, but items of one resource one after the other: the service replaces whole
 * definitions. Once one ends with a 401 of the token or a long Retry-After, no further item starts. An item that the gateway itself rejects
 * waits and is sent again.
 */
export async function sendItems<Report>(
  items: readonly Item<Report>[],
  { cancellation }: Pick<RequestClient, 'cancellation'>,
  { isTokenShared, concurrency, deadline, shutdown }: SendLimits,
): Promise<Report[]> {
  const reports: Report[] = [];
  /** Why no further item starts. */
  let end: GatewayError | undefined;

  const findEnd = () => {
    if (performance.now() >= deadline) end ??= new GatewayError('bulkTimedOut');
    if (cancellation.isCancelled) end ??= new GatewayError('cancelled');
    if (shutdown.isCancelled) end ??= new GatewayError('shuttingDown');
    return end;
  };
  const reactTo = (error: GatewayError, isRejectedHere: boolean) => {
    const { failure, retryAfterSeconds } = error;
    if (failure === 'unauthenticated' && isTokenShared) end ??= new GatewayError(failure);
    if (failure !== 'rateLimited' && !isRejectedHere) return;
    const waitSeconds = retryAfterSeconds ?? PAUSE_SECONDS;
    const isLong =
      waitSeconds > MAX_RETRY_AFTER_SECONDS || performance.now() + waitSeconds * 1000 >= deadline;
    if (isLong) end ??= new GatewayError(failure, { retryAfterSeconds: waitSeconds });
  };
  const sendItem = async ({ send, report }: Item<Report>) => {
    let rejection: GatewayError | undefined;
    for (;;) {
      const problem = findEnd();
      if (problem) return report(() => Promise.reject(rejection ?? problem));
      const sent = send();
      const error: unknown = await sent.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const isRejectedHere = isOwnRejection(error, rejection);
      if (error instanceof GatewayError) reactTo(error, isRejectedHere);
      if (!isRejectedHere) return report(() => sent);
      rejection = error;
      if (!end) await sleep((error.retryAfterSeconds ?? PAUSE_SECONDS) * 1000);
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
 * Whether queue, circuit breaker, connections or the store of keys rejected an item, of which the service then received nothing. A claim
 * that failed may have taken effect, and keeps the key in progress until the store has withdrawn it.
 */
function isOwnRejection(error: unknown, earlier: GatewayError | undefined): error is GatewayError {
  if (!(error instanceof GatewayError)) return false;
  const { failure, meaning } = error;
  if (failure === 'keyInProgress')
    return earlier?.failure === 'keyNotRecorded' || earlier?.failure === failure;
  return (
    meaning.outcome === 'NOT_APPLIED' &&
    error.outcome === 'NOT_APPLIED' &&
    meaning.isTransient &&
    Boolean(meaning.isDependencyFailure)
  );
}
