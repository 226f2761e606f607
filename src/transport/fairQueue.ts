/**
 * Divides a limited resource among clients, and serves them in turn. A known client has one share, by its name; of others, token and
 * address both count, so that neither many tokens nor many addresses multiply a share.
 */
import { tokenOf } from '../domain/parameters.js';

/** Fraction of a limited resource that a token or an address may hold while others ask. */
export const FAIR_SHARE = 1 / 4;

/** Identifies a client where a limited resource is divided among clients. */
export interface Client {
  /** Key under which limits count a known client, whatever its token and address; undefined for other clients. */
  readonly quotaKey?: string | undefined;
  /** The Authorization header; in calls only if it holds a well-formed bearer token. */
  readonly authorization: string | undefined;
  readonly peer: Peer;
  /** Whether its calls are items of lists, which get no reserved connection, but always may wait. @default false */
  readonly isOfList?: boolean;
}

/** The other end of the client's connection, as far as trusted proxies tell. */
export interface Peer {
  /** The IP address; for IPv6 its /64 network. Limits read it only when calls queue or fail, because reading it takes time. */
  readonly address: string;
}

/**
 * Identifies the token, in whatever letter case the scheme is sent; a client without a token is identified by its
 * address alone. No token contains a comma, and no address an equals sign.
 */
export function tokenKey({ quotaKey, authorization, peer }: Client): string {
  if (quotaKey !== undefined) return `,=${quotaKey}`;
  return authorization === undefined ? `,${peer.address}` : tokenOf(authorization);
}

export function addressKey({ quotaKey, peer }: Client): string {
  return quotaKey === undefined ? peer.address : `=${quotaKey}`;
}

/** The slots that a token or an address holds, and the calls that wait, over all of its clients. */
interface Account {
  readonly key: string;
  inUse: number;
  waiting: number;
  /** Waiting calls that are not of lists: only these take places in the queue. */
  places: number;
  /** Number of its last turn, or of the one when it began to wait; the lowest is next. */
  turn: number;
}

interface AddressAccount<Call> extends Account {
  /** Waiting calls by token, in turn; each token's own in order of arrival. */
  readonly calls: Map<Account, Set<Call>>;
}

/** The two accounts of a client. */
export interface Accounts<Call> {
  readonly token: Account;
  readonly address: AddressAccount<Call>;
}

export interface QueuedCall<Call> {
  readonly client: Client;
  readonly accounts: Accounts<Call>;
}

/** `fairShare` is the number of slots that a token or an address may hold while others wait. */
export function createFairQueue<Call extends QueuedCall<Call>>(fairShare: number) {
  let tokens = new Map<string, Account>();
  let addresses = new Map<string, AddressAccount<Call>>();
  /** The addresses with waiting calls, by ascending turn. */
  const turns = new Set<AddressAccount<Call>>();
  let waiting = 0;
  let places = 0;
  let lastTurn = 0;

  const keep = ({ token, address }: Accounts<Call>) => {
    tokens.set(token.key, token);
    addresses.set(address.key, address);
  };
  const dropIfUnused = ({ token, address }: Accounts<Call>) => {
    if (token.inUse + token.waiting === 0) tokens.delete(token.key);
    if (address.inUse + address.waiting === 0) addresses.delete(address.key);
  };
  const isWithinShare = ({ token, address }: Accounts<Call>) =>
    token.inUse < fairShare && address.inUse < fairShare;
  const countPlaces = ({ client, accounts: { token, address } }: Call, change: 1 | -1) => {
    if (client.isOfList) return;
    places += change;
    token.places += change;
    address.places += change;
  };
  const startWaiting = (account: Account) => {
    if (account.waiting === 0) account.turn = lastTurn;
    account.waiting += 1;
  };
  /** The next call of an address: of the first of its tokens that holds less than its share, or else of the first one. */
  const nextOf = ({ calls }: AddressAccount<Call>) => {
    for (const [token, queued] of calls) if (token.inUse < fairShare) return first(queued);
    return first(first(calls.values()) ?? []);
  };
  const nextReservedOf = ({ calls }: AddressAccount<Call>) => {
    for (const [token, queued] of calls) {
      if (token.inUse >= fairShare) continue;
      for (const call of queued) if (!call.client.isOfList) return call;
    }
    return undefined;
  };

  return {
    get size() {
      return waiting;
    },
    /** Waiting calls that are not of lists. */
    get places() {
      return places;
    },
    /** The accounts to queue or hold with. They are kept as long as there is a call. */
    accountsOf(client: Client): Accounts<Call> {
      const [token, address] = [tokenKey(client), addressKey(client)];
      return {
        token: tokens.get(token) ?? createAccount(token),
        address: addresses.get(address) ?? { ...createAccount(address), calls: new Map() },
      };
    },
    add(call: Call): void {
      const { token, address } = call.accounts;
      keep(call.accounts);
      const calls = address.calls.get(token);
      if (calls) calls.add(call);
      else address.calls.set(token, new Set([call]));
      lastTurn += 1;
      startWaiting(token);
      startWaiting(address);
      turns.add(address);
      waiting += 1;
      countPlaces(call, 1);
    },
    remove(call: Call): void {
      const { token, address } = call.accounts;
      const calls = address.calls.get(token);
      if (!calls?.delete(call)) return;
      if (calls.size === 0) address.calls.delete(token);
      if (address.calls.size === 0) turns.delete(address);
      waiting -= 1;
      countPlaces(call, -1);
      token.waiting -= 1;
      address.waiting -= 1;
      dropIfUnused(call.accounts);
    },
    isWithinShare,
    /**
     * The call whose token and address have both waited longest for their turn, among those that hold less than their
     * share; if there are none, among all. A reserved slot is only for calls that are not of lists, of clients within their share.
     */
    next(isReserved: boolean): Call | undefined {
      let best: { call: Call; turn: number; isWithin: boolean } | undefined;
      for (const address of turns) {
        if (best?.isWithin && best.turn <= address.turn) break; // no later address can be better
        const call = isReserved ? nextReservedOf(address) : nextOf(address);
        if (!call) continue;
        const turn = Math.max(address.turn, call.accounts.token.turn);
        const isWithin = isWithinShare(call.accounts);
        if (isReserved && !isWithin) continue;
        const isBetter = best === undefined || (isWithin === best.isWithin ? turn < best.turn : isWithin);
        if (isBetter) best = { call, turn, isWithin };
      }
      return best?.call;
    },
    /** Ends the turn of a call's address and token. Call it before the call is removed. */
    endTurn({ accounts: { token, address } }: Call): void {
      lastTurn += 1;
      token.turn = lastTurn;
      address.turn = lastTurn;
      const calls = address.calls.get(token);
      if (calls && address.calls.size > 1) {
        address.calls.delete(token);
        address.calls.set(token, calls);
      }
      if (turns.size > 1 && turns.delete(address)) turns.add(address);
    },
    /** Counts a slot that a client holds. */
    take(accounts: Accounts<Call>): void {
      keep(accounts);
      accounts.token.inUse += 1;
      accounts.address.inUse += 1;
    },
    release(accounts: Accounts<Call>): void {
      accounts.token.inUse -= 1;
      accounts.address.inUse -= 1;
      dropIfUnused(accounts);
    },
    /** Forgets what clients hold, while no call waits. */
    clear(): void {
      tokens = new Map();
      addresses = new Map();
    },
  };
}

function createAccount(key: string): Account {
  return { key, inUse: 0, waiting: 0, places: 0, turn: 0 };
}

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}
