/** Bulkhead: limits the calls in flight and the calls that wait for a free slot. */
import type { Cancellation } from './cancellation.js';
import { CancelledError, BulkheadFullError } from './errors.js';

/** The slots that calls in flight occupy, one each; in the transport these are connections. */
export interface SlotPool<Slot> {
  /** Takes a free slot; undefined if there is none at the moment. */
  acquire(): Slot | undefined;
  release(slot: Slot): void;
}

export interface BulkheadOptions<Slot> {
  slots: SlotPool<Slot>;
  /** Maximum slots, and so maximum calls in flight. */
  limit: number;
  /** Maximum calls that wait for a slot; further calls fail immediately. */
  queueLimit: number;
}

export interface WaitOptions {
  /** When the wait times out, on the clock of performance.now(). */
  deadline: number;
  cancellation: Cancellation;
}

export interface Bulkhead<Slot> {
  /** Waits for a free slot, first come, first served. */
  acquireSlot(options: WaitOptions): Promise<Slot>;
  releaseSlot(slot: Slot): void;
  /** Admits queued calls while slots are free. Call it whenever a slot becomes free. */
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
        const settle = (action: () => void) => {
          waiting.delete(proceed);
          clearTimeout(timer);
          cancellation.offCancel(onCancel);
          action();
        };
        const proceed = (freeSlot: Slot) => {
          settle(() => {
            resolve(freeSlot);
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
