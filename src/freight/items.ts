/** Sends the items of a list: how many at a time, in which order, and what ends the list. */
import { ServiceError } from '../transport/serviceError.js';
import type { Cancellation } from '../transport/time.js';

export interface Item<Report> {
  /** Why it is not sent, if that is known from the start. */
  readonly reason: Error | undefined;
  /** The notification that it is about. */
  readonly notification: string | undefined;
  /** Sends it; again, if the gateway rejected it before the service could receive it. */
  readonly send: () => Promise<object>;
  /** Its entry in the response, from how it ended. */
  readonly report: (end: () => Promise<object>) => Promise<Report>;
}

export interface SendLimits {
  /** Maximum items in flight. */
  readonly maxInFlight: number;
  /** No item starts after it, on the clock of performance.now(). */
  readonly deadline: number;
  /** Fires when the client disconnects. */
  readonly cancellation: Cancellation;
  /** Fires when the process shuts down. */
  readonly shutdown: Cancellation;
}

/** Without a Retry-After. */
const PAUSE_SECONDS = 1;

/**
 * Sends items in their order, several at a time, and those of one notification one after the other: the service replaces whole
 * definitions. Once one ends with a 401, no further item starts. After a 429, none does for as long as the service asks, and then half as
 * many at a time. An item that the gateway itself rejects waits and is sent again: first one alone, then twice as many with each success.
 */
export function sendItems<Report>(
  items: readonly Item<Report>[],
  { maxInFlight, deadline, cancellation, shutdown }: SendLimits,
): Promise<Report[]> {
  const reports: Report[] = [];
  const waiting = new Map(items.entries());
  /** Why each item that waits again was last rejected. */
  const rejections = new Map<number, ServiceError>();
  const busy = new Set<string>();
  let unfinished = items.length;
  let inFlight = 0;
  /** Maximum lanes, halved by 429s, and the lanes in use, which the gateway's own rejections reduce. */
  let maxLanes = maxInFlight;
  let lanes = maxInFlight;
  let halvedAt = -Infinity;
  let pause: NodeJS.Timeout | undefined;
  let resumeAt = -Infinity;
  /** Why no further item starts. */
  let end: Error | undefined;

  return new Promise((resolve, reject) => {
    const proceed = () => {
      if (performance.now() >= deadline) end ??= new ServiceError('bulkTimedOut');
      for (const [index, item] of waiting) {
        const { notification = '' } = item;
        const reason = item.reason ?? (end && (rejections.get(index) ?? end));
        if (reason === undefined && (pause || inFlight >= lanes || busy.has(notification))) continue;
        waiting.delete(index);
        run(index, item, reason).then(proceed, reject);
      }
      if (unfinished === 0) finish();
    };
    const run = async (index: number, item: Item<Report>, reason: Error | undefined) => {
      const attempt = reason === undefined ? await send(index, item) : { sent: Promise.reject(reason) };
      if (attempt === undefined) return; // it waits again
      reports[index] = await item.report(() => attempt.sent);
      unfinished -= 1;
    };
    const send = async (index: number, item: Item<Report>) => {
      const { notification } = item;
      const startedAt = performance.now();
      inFlight += 1;
      if (notification !== undefined) busy.add(notification);
      const sent = item.send();
      const error: unknown = await sent.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      inFlight -= 1;
      if (notification !== undefined) busy.delete(notification);
      if (error === undefined) lanes = Math.min(2 * lanes, maxLanes);
      const isRejectedHere = isRejectionHere(error, rejections.get(index));
      if (error instanceof ServiceError) reactTo(error, isRejectedHere, startedAt);
      if (!isRejectedHere) return { sent };
      rejections.set(index, error);
      waiting.set(index, item);
      return undefined;
    };
    const reactTo = (
      { failure, retryAfterSeconds = PAUSE_SECONDS }: ServiceError,
      isRejectedHere: boolean,
      startedAt: number,
    ) => {
      if (failure === 'unauthenticated') end ??= new ServiceError(failure);
      if (failure === 'rateLimited') {
        // Those in flight may get a 429, too, which says the same.
        if (startedAt > halvedAt) {
          maxLanes = Math.ceil(maxLanes / 2);
          lanes = Math.min(lanes, maxLanes);
          halvedAt = performance.now();
        }
      } else if (isRejectedHere) lanes = 1;
      else return;
      const now = performance.now();
      resumeAt = Math.max(resumeAt, now + retryAfterSeconds * 1000);
      clearTimeout(pause);
      if (resumeAt >= deadline) {
        end ??= new ServiceError('bulkTimedOut', { retryAfterSeconds });
        return;
      }
      pause = setTimeout(() => {
        pause = undefined;
        proceed();
      }, resumeAt - now);
    };
    const endWith = (failure: 'cancelled' | 'shuttingDown') => () => {
      end ??= new ServiceError(failure);
      proceed();
    };
    const [onCancel, onShutdown] = [endWith('cancelled'), endWith('shuttingDown')];
    const finish = () => {
      clearTimeout(pause);
      cancellation.offCancel(onCancel);
      shutdown.offCancel(onShutdown);
      resolve(reports);
    };
    cancellation.onCancel(onCancel);
    shutdown.onCancel(onShutdown);
    if (cancellation.isCancelled) onCancel();
    else if (shutdown.isCancelled) onShutdown();
    else proceed();
  });
}

/**
 * Whether queue, circuit breaker, connections or the store of keys rejected an item, of which the service then received nothing. A claim
 * that failed may have taken effect, and keeps the key in progress until the store has withdrawn it.
 */
function isRejectionHere(error: unknown, earlier: ServiceError | undefined): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  const { failure, meaning } = error;
  if (failure === 'keyInProgress')
    return earlier?.failure === 'keyNotRecorded' || earlier?.failure === failure;
  return (
    meaning.effect === 'none' &&
    error.effect === 'none' &&
    meaning.isTransient &&
    Boolean(meaning.isDependencyFailure)
  );
}

/** Why the valid items of a list are not sent if others are invalid. */
export function otherItemInvalid(): ServiceError {
  return new ServiceError('otherItemInvalid');
}
