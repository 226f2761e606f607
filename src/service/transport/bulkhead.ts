/** A bound on the calls in flight, and on those that wait for their turn. */
import type { Cancellation } from './cancellation.js';
import { CancelledError, BulkheadFullError } from './errors.js';

/** What calls in flight take up, each a place of its own. */
export interface SlotPool<Slot> {
  /** A place that is free; undefined when there is none for now. */
  acquire(): Slot | undefined;
  release(slot: Slot): void;
}

export interface BulkheadOptions<Slot> {
  slots: SlotPool<Slot>;
  /** Places, and so calls in flight, at the most. */
  limit: number;
  /** Calls beyond the limit that wait at the most; a further one fails at once. */
  queueLimit: number;
}

export interface WaitOptions {
  /** Reading of performance.now() at which the wait ends. */
  deadline: number;
  cancellation: Cancellation;
}

export interface Bulkhead<Slot> {
  /** Waits for a place, first come, first served. */
  acquireSlot(bounds: WaitOptions): Promise<Slot>;
  /** Gives a place back. */
  releaseSlot(slot: Slot): void;
  /** Lets calls in that wait, as far as there are places: to be called whenever one has become free. */
  drainQueue(): void;
}

export function createBulkhead<Slot>({ slots, limit, queueLimit }: BulkheadOptions<Slot>): Bulkhead<Slot> {
  let inFlight = 0;
  const waiting = new Set<(slot: Slot) => void>();

  const take = () => {
    const slot = slots.acquire();
    if (slot !== undefined) inFlight += 1;
    return slot;
  };

  return {
    drainQueue() {
      for (const proceed of waiting) {
        const slot = take();
        if (slot === undefined) return;
        proceed(slot);
      }
    },
    releaseSlot(slot) {
      inFlight -= 1;
      slots.release(slot);
    },
    acquireSlot({ deadline, cancellation }) {
      const slot = take();
      if (slot !== undefined) return Promise.resolve(slot);
      if (inFlight + waiting.size >= limit + queueLimit) {
        return Promise.reject(
          new BulkheadFullError('The queue of REST calls is full', { retryAfterSeconds: 1 }),
        );
      }
      return new Promise((resolve, reject) => {
        const settle = (conclude: () => void) => {
          waiting.delete(proceed);
          clearTimeout(timer);
          cancellation.offCancel(onCancel);
          conclude();
        };
        const proceed = (free: Slot) => {
          settle(() => {
            resolve(free);
          });
        };
        const onCancel = () => {
          settle(() => {
            reject(new CancelledError('Cancelled before the request was sent'));
          });
        };
        const onDeadline = () => {
          settle(() => {
            reject(new BulkheadFullError('No free connection before the deadline', { retryAfterSeconds: 1 }));
          });
        };
        const timer = setTimeout(onDeadline, deadline - performance.now());
        waiting.add(proceed);
        cancellation.onCancel(onCancel);
        if (cancellation.isCancelled) onCancel();
      });
    },
  };
}
