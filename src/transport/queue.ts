/** The queue in front of a limited number of slots, such as connections: divides slots and places to wait among clients. */
import { isTooLateToSend, type Cancellation } from './cancellation.js';
import { createFairQueue, FAIR_SHARE, type Accounts, type Client, type QueuedCall } from './fairQueue.js';
import { GatewayError } from '../gatewayError.js';

/** The slots that calls in flight occupy, one each. */
export interface SlotPool<Slot> {
  /** Takes a free slot, or returns undefined. With `avoidStale`, skips connections that the other end may be closing. */
  acquire(client: Client, avoidStale: boolean): Slot | undefined;
  release(slot: Slot): void;
}

export interface QueueOptions<Slot> {
  slots: SlotPool<Slot>;
  /** Maximum slots, and so maximum calls in flight. */
  limit: number;
  /** Maximum calls that wait for a slot; beyond them, calls fail. */
  queueLimit: number;
}

export interface SlotRequest {
  readonly client: Client;
  /** @default false */
  avoidStale?: boolean;
  /** When the wait times out, on the clock of performance.now(). */
  readonly deadline: number;
  readonly cancellation: Cancellation;
  /** Called when a wait ends, with or without a slot; not if the queue is full. */
  readonly onWaited?: (durationMs: number) => void;
}

/** Calls that hold a slot, and calls that wait for one. */
export interface QueueLoad {
  active: Usage;
  waiting: Usage;
}

/** A limit, and how much of it is in use. */
export interface Usage {
  value: number;
  limit: number;
}

interface WaitingCall<Slot> extends QueuedCall<WaitingCall<Slot>> {
  readonly avoidStale: boolean;
  readonly deadline: number;
  admit(slot: Slot): void;
  fail(failure: 'cancelled' | 'deadlinePassed'): void;
}

/** Share of the slots that are reserved: bursts and lists leave them free. */
const RESERVED_SHARE = 1 / 8;
/** Share of the places to wait that a token or an address may have. */
const MAX_WAITING_SHARE = 1 / 2;

/**
 * Clients are served in turn. While others wait, a token or an address gets no more than its fair share of the slots. The last eighth of
 * the slots is for single calls of clients that hold less than that, whether others wait or not. Half of the places to wait are for one
 * token or address. Items of lists wait without a place: their number is limited where they come from.
 */
export function createQueue<Slot>({ slots, limit, queueLimit }: QueueOptions<Slot>) {
  const sharedSlots = limit - Math.floor(limit * RESERVED_SHARE);
  const maxWaiting = Math.ceil(queueLimit * MAX_WAITING_SHARE);
  const holders = createHolders<Slot>();
  const queue = createFairQueue<WaitingCall<Slot>>(Math.ceil(limit * FAIR_SHARE));
  /** Per-client accounting is on only while slots are scarce: it takes 10 µs of CPU a call, most of it for the garbage collector. */
  let tracksClients = false;

  const startTracking = () => {
    if (tracksClients) return;
    tracksClients = true;
    for (const client of holders.clients) queue.take(queue.accountsOf(client));
  };
  const stopTracking = () => {
    tracksClients = false;
    queue.clear();
  };
  const hold = (slot: Slot, client: Client) => {
    holders.add(slot, client);
    if (tracksClients) queue.take(queue.accountsOf(client));
  };
  const isAdmitted = (client: Client) => {
    if (holders.size < sharedSlots) return true;
    if (client.isOfList) return false;
    startTracking();
    return queue.isWithinShare(queue.accountsOf(client));
  };
  /** Calls that wait although a slot is to come, such as a connection that opens, have no place in the queue. */
  const isFull = ({ token, address }: Accounts<WaitingCall<Slot>>) =>
    holders.size + queue.places >= limit + queueLimit ||
    [token, address].some(({ inUse, places }) => inUse + places >= sharedSlots + maxWaiting);

  /** Gives free slots to calls that wait. */
  const drain = () => {
    while (queue.size > 0) {
      const call = queue.next(holders.size >= sharedSlots);
      if (call === undefined) return;
      if (isTooLateToSend(call.deadline)) {
        call.fail('deadlinePassed');
        continue;
      }
      const slot = slots.acquire(call.client, call.avoidStale);
      if (slot === undefined) return;
      queue.endTurn(call);
      call.admit(slot);
    }
  };

  const wait = ({
    client,
    avoidStale = false,
    deadline,
    cancellation,
    onWaited,
  }: SlotRequest): Promise<Slot> => {
    startTracking();
    const accounts = queue.accountsOf(client);
    if (!client.isOfList && isFull(accounts)) return Promise.reject(new GatewayError('queueFull'));
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const settle = (action: () => void) => {
        clearTimeout(timer);
        cancellation.offCancel(onCancel);
        action();
        queue.remove(call);
        onWaited?.(performance.now() - startedAt);
      };
      const call: WaitingCall<Slot> = {
        client,
        accounts,
        avoidStale,
        deadline,
        admit(slot) {
          settle(() => {
            hold(slot, client);
            resolve(slot);
          });
        },
        fail(failure) {
          settle(() => reject(new GatewayError(failure)));
        },
      };
      const onCancel = () => call.fail('cancelled');
      const timer = setTimeout(() => call.fail('deadlinePassed'), deadline - performance.now());
      queue.add(call);
      cancellation.onCancel(onCancel);
      if (cancellation.isCancelled) onCancel();
      else drain();
    });
  };

  const take = (request: SlotRequest): Slot | Promise<Slot> => {
    const { client, avoidStale = false } = request;
    const slot = queue.size === 0 && isAdmitted(client) ? slots.acquire(client, avoidStale) : undefined;
    if (slot === undefined) return wait(request);
    hold(slot, client);
    return slot;
  };

  return {
    load: (): QueueLoad => ({
      active: { value: holders.size, limit },
      waiting: { value: queue.size, limit: queueLimit },
    }),
    /** Takes a slot, to be released, or waits for one. Rejects with a GatewayError if the queue is full, or the wait takes too long. */
    take,
    /** Does nothing if the slot has been released. */
    release(slot: Slot): void {
      const client = holders.remove(slot);
      if (client === undefined) return;
      if (tracksClients) queue.release(queue.accountsOf(client));
      slots.release(slot);
      if (tracksClients && queue.size === 0 && holders.size < sharedSlots / 2) stopTracking();
    },
    /** Call it whenever a slot becomes free. */
    drain,
    /** Runs a call with a slot once it is the client's turn, at once if a slot is free. The call releases the slot. */
    withSlot<Result>(request: SlotRequest, run: (slot: Slot) => Promise<Result>): () => Promise<Result> {
      return () => {
        const slot = take(request);
        return slot instanceof Promise ? slot.then(run) : run(slot);
      };
    },
  };
}

/**
 * The holder of each slot. Arrays, not a Map: under churn, a Map's discarded tables keep the clients of finished calls alive until a major
 * GC (a scavenge takes three times as long). There are few slots to search.
 */
function createHolders<Slot>() {
  const slots: Slot[] = [];
  const clients: Client[] = [];
  return {
    clients: clients as readonly Client[],
    get size() {
      return slots.length;
    },
    add(slot: Slot, client: Client): void {
      slots.push(slot);
      clients.push(client);
    },
    /** Returns the client; undefined if nobody holds the slot. */
    remove(slot: Slot): Client | undefined {
      const index = slots.indexOf(slot);
      if (index === -1) return undefined;
      const client = clients[index];
      // The last one takes its place.
      const [lastSlot, lastClient] = [slots.pop() as Slot, clients.pop() as Client];
      if (index < slots.length) [slots[index], clients[index]] = [lastSlot, lastClient];
      return client;
    },
  };
}
