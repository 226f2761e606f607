/** Sends the items of a list: how many at a time, in which order, and what ends the list. */
import type { RequestClient } from './restCall.js';
import type { Lane, Lanes } from './lanes.js';
import { ServiceError } from '../transport/serviceError.js';
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
  readonly client: RequestClient;
  /** Whether the token, which all items share, authenticates them: then none succeeds after a 401. */
  readonly isTokenShared: boolean;
  /** Shared with all other lists. */
  readonly lanes: Lanes;
  /** No item starts after it, on the clock of performance.now(). */
  readonly deadline: number;
  /** Fires when the process shuts down. */
  readonly shutdown: Cancellation;
}

/** Without a Retry-After. */
const PAUSE_SECONDS = 1;
/** A longer one is left to the client: a list that waits takes the place of a request in flight. */
const MAX_RETRY_AFTER_SECONDS = 5;

/**
 * Sends items in their order, several at a time, but items of one resource one after the other: the service replaces whole
 * definitions. Once one ends with a 401 of the token, no further item starts. After a 429, none does for as long as the service asks, and then half as
 * many at a time. An item that the gateway itself rejects waits and is sent again: first one alone, then twice as many with each success.
 */
export function sendItems<Report>(
  items: readonly Item<Report>[],
  { client, isTokenShared, lanes, deadline, shutdown }: SendLimits,
): Promise<Report[]> {
  const { cancellation } = client;
  const reports: Report[] = [];
  const waiting = new Map(items.entries());
  /** Why each item that waits again was last rejected. */
  const rejections = new Map<number, ServiceError>();
  const busy = new Set<string>();
  let unfinished = items.length;
  let inFlight = 0;
  /** Maximum items in flight, halved by 429s, and what the gateway's own rejections leave of it. */
  let maxInFlight = lanes.perClient;
  let allowedInFlight = maxInFlight;
  let halvedAt = -Infinity;
  let pause: NodeJS.Timeout | undefined;
  let resumeAt = -Infinity;
  /** What items get that cannot wait any longer. */
  let waitReason = new ServiceError('queueFull');
  /** Why no further item starts. */
  let end: Error | undefined;

  return new Promise((resolve, reject) => {
    const proceed = () => {
      if (performance.now() >= deadline) end ??= new ServiceError('bulkTimedOut');
      for (const [index, item] of waiting) {
        if (end) {
          waiting.delete(index);
          report(index, item, Promise.reject(rejections.get(index) ?? end)).then(proceed, reject);
        } else if (!busy.has(item.resource ?? '')) {
          const lane = pause || inFlight >= allowedInFlight ? undefined : ownLanes.take();
          if (lane === undefined) break;
          waiting.delete(index);
          send(index, item, lane).then(proceed, reject);
        }
      }
      cancellation.endWait = inFlight === 0 && waiting.size > 0 ? endWait : undefined;
      if (unfinished === 0) finish();
    };
    const send = async (index: number, item: Item<Report>, lane: Lane) => {
      const { resource } = item;
      const startedAt = performance.now();
      inFlight += 1;
      if (resource !== undefined) busy.add(resource);
      const sent = item.send();
      const error: unknown = await sent.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      inFlight -= 1;
      if (resource !== undefined) busy.delete(resource);
      if (error === undefined) allowedInFlight = Math.min(2 * allowedInFlight, maxInFlight);
      const isRejectedHere = isOwnRejection(error, rejections.get(index));
      if (error instanceof ServiceError) reactTo(error, isRejectedHere, startedAt);
      ownLanes.release(lane);
      if (isRejectedHere) {
        rejections.set(index, error);
        waiting.set(index, item);
      } else await report(index, item, sent);
    };
    const report = async (index: number, item: Item<Report>, sent: Promise<object>) => {
      reports[index] = await item.report(() => sent);
      unfinished -= 1;
    };
    const reactTo = (error: ServiceError, isRejectedHere: boolean, startedAt: number) => {
      const { failure, retryAfterSeconds = PAUSE_SECONDS } = error;
      if (failure === 'unauthenticated' && isTokenShared) end ??= new ServiceError(failure);
      if (failure === 'rateLimited') {
        // Those in flight may get a 429, too, which says the same.
        if (startedAt > halvedAt) {
          maxInFlight = Math.ceil(maxInFlight / 2);
          allowedInFlight = Math.min(allowedInFlight, maxInFlight);
          halvedAt = performance.now();
        }
      } else if (isRejectedHere) allowedInFlight = 1;
      else return;
      const now = performance.now();
      resumeAt = Math.max(resumeAt, now + retryAfterSeconds * 1000);
      waitReason = new ServiceError(failure, { retryAfterSeconds });
      ownLanes.leave();
      clearTimeout(pause);
      if (resumeAt >= deadline || (!isRejectedHere && retryAfterSeconds > MAX_RETRY_AFTER_SECONDS))
        end ??= waitReason;
      else
        pause = setTimeout(() => {
          pause = undefined;
          proceed();
        }, resumeAt - now);
    };
    const endWait = () => {
      end ??= waitReason;
      proceed();
    };
    const endWith = (failure: 'bulkTimedOut' | 'cancelled' | 'shuttingDown') => () => {
      end ??= new ServiceError(failure);
      proceed();
    };
    const [onCancel, onShutdown] = [endWith('cancelled'), endWith('shuttingDown')];
    const timeout = setTimeout(endWith('bulkTimedOut'), deadline - performance.now());
    const ownLanes = lanes.forList(client, proceed);
    const finish = () => {
      clearTimeout(pause);
      clearTimeout(timeout);
      ownLanes.leave();
      cancellation.offCancel(onCancel);
      shutdown.offCancel(onShutdown);
      resolve(reports);
    };
    cancellation.onCancel(onCancel);
    shutdown.onCancel(onShutdown);
    if (cancellation.isCancelled) onCancel();
    else if (shutdown.isCancelled) onShutdown();
    else if (cancellation.isDisplaced) endWait();
    else proceed();
  });
}

/**
 * Whether queue, circuit breaker, connections or the store of keys rejected an item, of which the service then received nothing. A claim
 * that failed may have taken effect, and keeps the key in progress until the store has withdrawn it.
 */
function isOwnRejection(error: unknown, earlier: ServiceError | undefined): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
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

/** Why an item of a list is not sent if others are invalid: it is valid, or was not checked. */
export function notSent(failure: 'itemUnchecked' | 'otherItemInvalid'): ServiceError {
  return new ServiceError(failure);
}
