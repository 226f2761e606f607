/** Sends the items of a list: how many at a time, in which order, and what ends the list. */
import { ServiceError } from '../transport/serviceError.js';
import type { Cancellation } from '../transport/time.js';

export interface Item<Report> {
  /** Why it is not sent, if that is known from the start. */
  readonly reason: Error | undefined;
  /** The notification that it is about. */
  readonly notification: string | undefined;
  /** Sends it, unless there is a reason not to. */
  readonly end: (reason: Error | undefined) => Promise<Report>;
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
 * many at a time.
 */
export function sendItems<Report extends { readonly failure?: unknown }>(
  items: readonly Item<Report>[],
  { maxInFlight, deadline, cancellation, shutdown }: SendLimits,
): Promise<Report[]> {
  const reports: Report[] = [];
  const waiting = new Map(items.entries());
  const busy = new Set<string>();
  let unfinished = items.length;
  let inFlight = 0;
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
        const reason = item.reason ?? end;
        if (reason === undefined && (pause || inFlight >= lanes || busy.has(notification))) continue;
        waiting.delete(index);
        run(index, item, reason).then(proceed, reject);
      }
      if (unfinished === 0) finish();
    };
    const run = async (
      index: number,
      { notification, end: endItem }: Item<Report>,
      reason: Error | undefined,
    ) => {
      if (reason !== undefined) {
        reports[index] = await endItem(reason);
      } else {
        const startedAt = performance.now();
        inFlight += 1;
        if (notification !== undefined) busy.add(notification);
        const report = await endItem(undefined);
        reports[index] = report;
        inFlight -= 1;
        if (notification !== undefined) busy.delete(notification);
        if (report.failure instanceof ServiceError) reactTo(report.failure, startedAt);
      }
      unfinished -= 1;
    };
    const reactTo = ({ failure, retryAfterSeconds = PAUSE_SECONDS }: ServiceError, startedAt: number) => {
      if (failure === 'unauthenticated') end ??= new ServiceError(failure);
      if (failure !== 'rateLimited') return;
      // Those in flight may get a 429, too, which says the same.
      if (startedAt > halvedAt) {
        lanes = Math.ceil(lanes / 2);
        halvedAt = performance.now();
      }
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

/** Why the valid items of a list are not sent if others are invalid. */
export function otherItemInvalid(): ServiceError {
  return new ServiceError('otherItemInvalid');
}
