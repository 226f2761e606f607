/** The queue in front of a limited number of slots, such as connections: divides slots and places to wait among clients. */
import { isTooLateToSend, type Ends } from './cancellation.js';
import { GatewayError } from '../gatewayError.js';

/** A client, where a limited resource is divided among clients. */
export interface Client {
  /**
   * Its token and its address: both count, so that neither many tokens nor many addresses multiply a share. A known client has its name in
   * place of both.
   */
  readonly keys: readonly [token: string, address: string];
  /** Whether its calls are items of lists, which get no reserved slot, but always may wait. @default false */
  readonly isOfList?: boolean;
}

/** A token or an address, over all of its clients, as long as they have calls. */
interface Account {
  readonly key: string;
  /** Calls that hold a slot or wait for one. */
  calls: number;
  held: number;
  /** Waiting calls that are not of lists: only these take places in the queue. */
  places: number;
  /** Number of its last turn. */
  turn: number;
}

export type Accounts = readonly [token: Account, address: Account];

export interface Slot {
  /** Whose call holds it, set by the queue; undefined while it is free. */
  holder: Accounts | undefined;
}

export interface QueueOptions<S extends Slot> {
  pool: {
    /** Takes a free slot, or returns undefined. With `avoidStale`, skips connections that the other end may be closing. */
    acquire(avoidStale: boolean): S | undefined;
    release(slot: S): void;
  };
  /** Maximum slots, and so maximum calls in flight. */
  limit: number;
  /** Maximum calls that wait for a slot; beyond them, calls fail. */
  queueLimit: number;
}

export interface SlotRequest extends Ends {
  readonly client: Client;
  /** @default false */
  avoidStale?: boolean;
  /** Called when a wait ends, with or without a slot; not if the queue is full. */
  readonly onWaited?: (durationMs: number) => void;
}

export interface Usage {
  value: number;
  limit: number;
}

/** Waiting calls of a token from an address, in order of arrival: single ones, or items of lists. */
interface Line<S> {
  readonly key: string;
  readonly accounts: Accounts;
  readonly isOfList: boolean;
  readonly calls: Set<WaitingCall<S>>;
}

interface WaitingCall<S> {
  readonly request: SlotRequest;
  readonly line: Line<S>;
  /** Ends the wait, with a slot or without one. */
  end(result: GatewayError | S): void;
}

/** Share of the slots that are reserved: a burst leaves them free. */
const RESERVED_SHARE = 1 / 8;
/** Share of the slots below which a client may take a reserved one. */
const FAIR_SHARE = 1 / 4;
/** Share of the places to wait that a token or an address may have. */
const MAX_WAITING_SHARE = 1 / 2;

/**
 * A free slot goes to the client that holds the fewest, and among equals to the one that has waited longest for its turn. The last eighth
 * of the slots is for single calls of clients that hold less than a quarter, whether others wait or not.
 */
export function createQueue<S extends Slot>({ pool, limit, queueLimit }: QueueOptions<S>) {
  const sharedSlots = limit - Math.floor(limit * RESERVED_SHARE);
  const fairShare = Math.ceil(limit * FAIR_SHARE);
  const maxOfClient = sharedSlots + Math.ceil(queueLimit * MAX_WAITING_SHARE);
  const lines = new Map<string, Line<S>>();
  const accounts = new Map<string, Account>();
  let active = 0;
  let waiting = 0;
  let places = 0;
  let lastTurn = 0;

  /** The account of a key, with a call more, which has to `leave`. */
  const enter = (key: string): Account => {
    const account = accounts.get(key) ?? { key, calls: 0, held: 0, places: 0, turn: lastTurn };
    account.calls += 1;
    accounts.set(key, account);
    return account;
  };
  const leave = (counted: Accounts) => {
    for (const account of counted) {
      account.calls -= 1;
      if (account.calls === 0) accounts.delete(account.key);
    }
  };
  const countWaiting = ({ accounts: counted, isOfList }: Line<S>, change: -1 | 1) => {
    waiting += change;
    if (isOfList) return;
    places += change;
    for (const account of counted) account.places += change;
  };
  const hold = (slot: S, counted: Accounts) => {
    slot.holder = counted;
    active += 1;
    for (const account of counted) account.held += 1;
  };
  const isAdmitted = ({ isOfList = false }: Client, counted: Accounts) =>
    active < sharedSlots || (!isOfList && counted.every(({ held }) => held < fairShare));
  /** Calls that wait although a slot is to come, such as a connection that opens, have no place in the queue. */
  const isFull = (counted: Accounts) =>
    active + places >= limit + queueLimit ||
    counted.some(({ held, places: taken }) => held + taken >= maxOfClient);

  const next = (): WaitingCall<S> | undefined => {
    const isReserved = active >= sharedSlots;
    let best: Line<S> | undefined;
    let [bestHeld, bestTurn] = [isReserved ? fairShare : Infinity, -Infinity];
    for (const line of lines.values()) {
      if (isReserved && line.isOfList) continue;
      const [token, address] = line.accounts;
      const held = Math.max(token.held, address.held);
      const turn = Math.max(token.turn, address.turn);
      if (held < bestHeld || (held === bestHeld && turn < bestTurn))
        [best, bestHeld, bestTurn] = [line, held, turn];
    }
    const [call] = best?.calls ?? [];
    return call;
  };
  /** Gives free slots to calls that wait. */
  const drain = () => {
    for (let call = next(); call; call = next()) {
      const { deadline, avoidStale = false } = call.request;
      if (isTooLateToSend(deadline)) {
        call.end(new GatewayError('deadlinePassed'));
        continue;
      }
      const slot = pool.acquire(avoidStale);
      if (slot === undefined) return;
      const { accounts: counted } = call.line;
      lastTurn += 1;
      for (const account of counted) account.turn = lastTurn;
      hold(slot, counted);
      call.end(slot);
    }
  };

  const lineOf = (counted: Accounts, isOfList: boolean): Line<S> => {
    const key = `${counted[0].key} ${counted[1].key} ${isOfList}`;
    return lines.get(key) ?? { key, accounts: counted, isOfList, calls: new Set() };
  };
  const wait = (request: SlotRequest, counted: Accounts): Promise<S> => {
    const { client, deadline, cancellation, onWaited } = request;
    const line = lineOf(counted, client.isOfList ?? false);
    if (!line.isOfList && isFull(counted)) {
      leave(counted);
      return Promise.reject(new GatewayError('queueFull'));
    }
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const call: WaitingCall<S> = {
        request,
        line,
        end(result) {
          clearTimeout(timer);
          cancellation.offCancel(onCancel);
          line.calls.delete(call);
          lines.delete(line.key);
          if (line.calls.size > 0) lines.set(line.key, line); // behind those that had their turn as long ago
          countWaiting(line, -1);
          onWaited?.(performance.now() - startedAt);
          if (result instanceof GatewayError) {
            leave(counted);
            reject(result);
          } else resolve(result);
        },
      };
      const onCancel = () => call.end(new GatewayError('cancelled'));
      const timer = setTimeout(() => call.end(new GatewayError('deadlinePassed')), deadline - startedAt);
      line.calls.add(call);
      lines.set(line.key, line);
      countWaiting(line, 1);
      cancellation.onCancel(onCancel);
      drain();
    });
  };
  const take = (request: SlotRequest): S | Promise<S> => {
    const { client, avoidStale = false } = request;
    const counted: Accounts = [enter(client.keys[0]), enter(client.keys[1])];
    const slot = waiting === 0 && isAdmitted(client, counted) ? pool.acquire(avoidStale) : undefined;
    if (slot === undefined) return wait(request, counted);
    hold(slot, counted);
    return slot;
  };

  return {
    /** Calls that hold a slot, and calls that wait for one. */
    load: (): Record<'active' | 'waiting', Usage> => ({
      active: { value: active, limit },
      waiting: { value: waiting, limit: queueLimit },
    }),
    /** Takes a slot, to be released, or waits for one. Rejects with a GatewayError if the queue is full, or the wait takes too long. */
    take,
    /** Does nothing if the slot has been released. */
    release(slot: S): void {
      const { holder } = slot;
      if (holder === undefined) return;
      slot.holder = undefined;
      active -= 1;
      for (const account of holder) account.held -= 1;
      leave(holder);
      pool.release(slot);
    },
    /** Call it whenever a slot becomes free. */
    drain,
  };
}
