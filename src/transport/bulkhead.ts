/** Bulkhead: limits the calls in flight and the calls that wait for a free slot, and divides both among clients. */
import type { ClientIdentity, ConnectionWait, WaitFailure } from './calls.js';
import { createFairQueue, type Accounts, type QueuedCall } from './fairQueue.js';
import { ServiceError } from './serviceError.js';
import { FAIR_SHARE } from './shares.js';
import type { Cancellation } from './cancellation.js';
import { isTooLateToSend } from './time.js';

/** The slots that calls in flight occupy, one each; in the transport these are connections. */
export interface SlotPool<Slot> {
  /** Takes a free slot, if `mustBeFresh` one that is unlikely to fail; undefined if there is none at the moment. */
  acquire(mustBeFresh: boolean): Slot | undefined;
  release(slot: Slot): void;
}

export interface BulkheadOptions<Slot> {
  slots: SlotPool<Slot>;
  /** Maximum slots, and so maximum calls in flight. */
  limit: number;
  /** Maximum calls that wait for a slot; beyond them, calls fail. */
  queueLimit: number;
}

export interface WaitOptions {
  client: ClientIdentity;
  mustBeFresh: boolean;
  /** When the wait times out, on the clock of performance.now(). */
  deadline: number;
  cancellation: Cancellation;
  /** Called when a wait ends; not if the queue is full. */
  onWaited: (wait: Omit<ConnectionWait, 'server'>) => void;
}

/** A slot that a call in flight holds. */
export interface Lease<Slot> {
  readonly slot: Slot;
  readonly client: ClientIdentity;
  /** Position in the list of leases. */
  index: number;
  /** Where it counts for its client; undefined as long as no call has had to wait. */
  accounts: Accounts<WaitingCall<Slot>> | undefined;
}

/** Calls that hold a slot, and calls that wait for one. */
export interface BulkheadLoad {
  active: Usage;
  waiting: Usage;
}

/** How much of a limit is in use. */
export interface Usage {
  value: number;
  limit: number;
}

interface WaitingCall<Slot> extends QueuedCall<WaitingCall<Slot>> {
  readonly mustBeFresh: boolean;
  readonly deadline: number;
  admit(slot: Slot): void;
  fail(failure: WaitFailure): void;
}

export function createBulkhead<Slot>({ slots, limit, queueLimit }: BulkheadOptions<Slot>) {
  const leases: Lease<Slot>[] = [];
  const queue = createFairQueue<WaitingCall<Slot>>(Math.ceil(limit * FAIR_SHARE));

  const lease = (slot: Slot, client: ClientIdentity, accounts?: Accounts<WaitingCall<Slot>>): Lease<Slot> => {
    const created = { slot, client, index: leases.length, accounts };
    leases.push(created);
    if (accounts) queue.take(accounts);
    return created;
  };
  /** Only fairness needs the accounts, so that calls which need not wait are spared the lookup. */
  const countLeases = () => {
    for (const each of leases) {
      if (each.accounts) continue;
      each.accounts = queue.accountsOf(each.client);
      queue.take(each.accounts);
    }
  };

  return {
    load: (): BulkheadLoad => ({
      active: { value: leases.length, limit },
      waiting: { value: queue.size, limit: queueLimit },
    }),
    /** Admits queued calls while slots are free. Call it whenever a slot becomes free. */
    drainQueue(): void {
      if (queue.size === 0) return; // as after nearly every call
      for (let call = queue.next(); call !== undefined; call = queue.next()) {
        if (isTooLateToSend(call.deadline)) {
          call.fail('deadlinePassed');
          continue;
        }
        const slot = slots.acquire(call.mustBeFresh);
        if (slot === undefined) return;
        queue.endTurn(call);
        call.admit(slot);
      }
    },
    /** Does nothing if the lease has been released. */
    releaseSlot(lease: Lease<Slot>): void {
      const { slot, index, accounts } = lease;
      if (leases[index] !== lease) return;
      const last = leases.pop();
      if (last !== undefined && last.index !== index) {
        leases[index] = last;
        last.index = index;
      }
      if (accounts) queue.release(accounts);
      slots.release(slot);
    },
    /** Takes a free slot; undefined if there is none, or if others wait for one. */
    takeSlot(client: ClientIdentity, mustBeFresh: boolean): Lease<Slot> | undefined {
      const slot = queue.size === 0 ? slots.acquire(mustBeFresh) : undefined;
      return slot === undefined ? undefined : lease(slot, client);
    },
    /**
     * Waits for a slot, after `takeSlot` had none. While clients wait, they are served in turn, and no token or address gets
     * more than a quarter of the slots before the others. If the queue is full, the newest call of the client with the most
     * waiting calls makes room for a client with fewer; otherwise the call fails immediately.
     */
    waitForSlot({
      client,
      mustBeFresh,
      deadline,
      cancellation,
      onWaited,
    }: WaitOptions): Promise<Lease<Slot>> {
      if (leases.length + queue.size >= limit + queueLimit) {
        const displaced = queue.findCallToDisplace(client);
        if (displaced === undefined) return Promise.reject(new ServiceError('queueFull'));
        displaced.fail('queueFull');
      }
      if (queue.size === 0) countLeases();
      return new Promise((resolve, reject) => {
        const startedAt = performance.now();
        const settle = (action: () => void, failure?: WaitFailure) => {
          clearTimeout(timer);
          cancellation.offCancel(onCancel);
          action();
          queue.remove(call);
          onWaited({ startedAt, endedAt: performance.now(), failure });
        };
        const call: WaitingCall<Slot> = {
          client,
          accounts: queue.accountsOf(client),
          mustBeFresh,
          deadline,
          admit(freeSlot) {
            settle(() => resolve(lease(freeSlot, client, call.accounts)));
          },
          fail(failure) {
            settle(() => reject(new ServiceError(failure)), failure);
          },
        };
        const onCancel = () => call.fail('cancelled');
        const onDeadline = () => call.fail('deadlinePassed');
        const timer = setTimeout(onDeadline, deadline - performance.now());
        queue.add(call);
        cancellation.onCancel(onCancel);
        if (cancellation.isCancelled) onCancel();
      });
    },
  };
}
