/** The queue of a bulkhead: serves clients in turn, and counts what every token and every address holds. */
import type { ClientIdentity } from './calls.js';
import { addressKey, Shares, tokenKey } from './shares.js';

/** What a token or an address holds and waits for, over all of its clients. */
interface Account {
  readonly key: string;
  inUse: number;
  waiting: number;
  /** Number of its last turn, or of the one when it began to wait; the lowest is next. */
  turn: number;
}

interface AddressAccount<Call> extends Account {
  /** Waiting calls by token, in turn; each token's own in order of arrival. */
  readonly calls: Map<Account, Set<Call>>;
}

/** The two accounts of a client. Both count, so that neither many tokens nor many addresses multiply its share. */
export interface Accounts<Call> {
  readonly token: Account;
  readonly address: AddressAccount<Call>;
}

export interface QueuedCall<Call> {
  readonly client: ClientIdentity;
  readonly accounts: Accounts<Call>;
}

/** `share` is the number of slots that a token or an address may hold while others wait. */
export function createFairQueue<Call extends QueuedCall<Call>>(share: number) {
  const tokens = new Map<string, Account>();
  const addresses = new Map<string, AddressAccount<Call>>();
  /** The addresses with waiting calls, by ascending turn. */
  const turns = new Set<AddressAccount<Call>>();
  const waiting = new Shares<Call>();
  let lastTurn = 0;

  const dropIfUnused = ({ token, address }: Accounts<Call>) => {
    if (token.inUse + token.waiting === 0) tokens.delete(token.key);
    if (address.inUse + address.waiting === 0) addresses.delete(address.key);
  };
  const startWaiting = (account: Account) => {
    if (account.waiting === 0) account.turn = lastTurn;
    account.waiting += 1;
  };
  /** The first of an address's tokens that holds less than its share, or else the first one. */
  const nextToken = ({ calls }: AddressAccount<Call>) => {
    for (const token of calls.keys()) if (token.inUse < share) return token;
    return first(calls.keys());
  };

  return {
    get size() {
      return waiting.size;
    },
    /** The accounts to queue or hold with. Accounts without a call are dropped with the next one that ends. */
    accountsOf(client: ClientIdentity): Accounts<Call> {
      const key = { token: tokenKey(client), address: addressKey(client) };
      const token = tokens.get(key.token) ?? { key: key.token, inUse: 0, waiting: 0, turn: 0 };
      const address = addresses.get(key.address) ?? {
        key: key.address,
        inUse: 0,
        waiting: 0,
        turn: 0,
        calls: new Map<Account, Set<Call>>(),
      };
      tokens.set(token.key, token);
      addresses.set(address.key, address);
      return { token, address };
    },
    add(call: Call): void {
      const { token, address } = call.accounts;
      const calls = address.calls.get(token);
      if (calls) calls.add(call);
      else address.calls.set(token, new Set([call]));
      lastTurn += 1;
      startWaiting(token);
      startWaiting(address);
      turns.add(address);
      waiting.add(call, call.client);
    },
    remove(call: Call): void {
      const { token, address } = call.accounts;
      const calls = address.calls.get(token);
      if (!calls?.delete(call)) return;
      if (calls.size === 0) address.calls.delete(token);
      if (address.calls.size === 0) turns.delete(address);
      waiting.delete(call, call.client);
      token.waiting -= 1;
      address.waiting -= 1;
      dropIfUnused(call.accounts);
    },
    /**
     * The call whose token and address have both waited longest for their turn, among those that hold less than their
     * share; among all if there are none, because idle slots are used whoever waits for them.
     */
    next(): Call | undefined {
      let best: { queue: Set<Call>; turn: number; isWithinShare: boolean } | undefined;
      for (const address of turns) {
        if (best?.isWithinShare && best.turn <= address.turn) break; // no later address can be better
        const token = nextToken(address);
        const queue = token && address.calls.get(token);
        if (!queue) continue;
        const turn = Math.max(address.turn, token.turn);
        const isWithinShare = address.inUse < share && token.inUse < share;
        const isBetter =
          best === undefined || (isWithinShare === best.isWithinShare ? turn < best.turn : isWithinShare);
        if (isBetter) best = { queue, turn, isWithinShare };
      }
      return best && first(best.queue);
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
    /** The newest call of the client with the most waiting calls, if this client would still have fewer. */
    findCallToDisplace: (client: ClientIdentity) => last(waiting.most(client)),
    /** Counts a slot that a client holds. */
    take({ token, address }: Accounts<Call>): void {
      token.inUse += 1;
      address.inUse += 1;
    },
    release(accounts: Accounts<Call>): void {
      accounts.token.inUse -= 1;
      accounts.address.inUse -= 1;
      dropIfUnused(accounts);
    },
  };
}

function first<T>(items: Iterable<T>): T | undefined {
  for (const item of items) return item;
  return undefined;
}

function last<T>(items: Iterable<T>): T | undefined {
  return [...items].at(-1);
}
