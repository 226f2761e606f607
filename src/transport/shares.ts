/**
 * Fair shares: what each client has of something limited. A known client has one, by its name; of others, token and address both count,
 * so that neither multiplies a share.
 */
import { tokenOf } from '../domain/parameters.js';

/** Share of what is limited that a token or an address may hold while others ask. */
export const FAIR_SHARE = 1 / 4;

/** By what a client is known where something limited is divided among clients. */
export interface Identity {
  /** Names the share of a known client, whatever its token and address. */
  readonly share?: string | undefined;
  /** The Authorization header; in calls only if it holds a well-formed bearer token. */
  readonly authorization: string | undefined;
  readonly peer: Peer;
}

/** The other end of the client's connection. */
export interface Peer {
  /** The IP address; for IPv6 its /64 network. Limits read it only when calls queue or fail, because reading it takes time. */
  readonly address: string;
}

/**
 * Identifies the token, in whatever letter case the scheme is sent; a client without a token is identified by its
 * address alone. No token contains a comma, and no address an equals sign.
 */
export function tokenKey({ share, authorization, peer }: Identity): string {
  if (share !== undefined) return `,=${share}`;
  return authorization === undefined ? `,${peer.address}` : tokenOf(authorization);
}

export function addressKey({ share, peer }: Identity): string {
  return share === undefined ? peer.address : `=${share}`;
}

interface AddressItems<Item> {
  /** Of all tokens. */
  size: number;
  /** By token; each token's own in order of arrival. */
  readonly byToken: Map<string, Set<Item>>;
}

/** Items of a limited number by their holders; one of the client with the most makes room for a newcomer. */
export class Shares<Item> {
  private readonly tokens = new Map<string, Set<Item>>();
  private readonly addresses = new Map<string, AddressItems<Item>>();
  private total = 0;

  get size(): number {
    return this.total;
  }

  add(item: Item, identity: Identity): void {
    const token = tokenKey(identity);
    const address = addressKey(identity);
    const ofAddress = this.addresses.get(address) ?? { size: 0, byToken: new Map<string, Set<Item>>() };
    this.addresses.set(address, ofAddress);
    ofAddress.size += 1;
    this.total += 1;
    for (const sets of [this.tokens, ofAddress.byToken]) {
      const items = sets.get(token);
      if (items) items.add(item);
      else sets.set(token, new Set([item]));
    }
  }

  /** Does nothing if the item is not there. `identity` is the one with which it was added. */
  delete(item: Item, identity: Identity): void {
    const token = tokenKey(identity);
    const address = addressKey(identity);
    const ofAddress = this.addresses.get(address);
    if (!ofAddress?.byToken.get(token)?.has(item)) return;
    ofAddress.size -= 1;
    this.total -= 1;
    if (ofAddress.size === 0) this.addresses.delete(address);
    for (const sets of [this.tokens, ofAddress.byToken]) {
      const items = sets.get(token);
      items?.delete(item);
      if (items?.size === 0) sets.delete(token);
    }
  }

  /**
   * Items of the client that has to make room for the newcomer, oldest first: the client with the most, if the newcomer has at least two
   * fewer; else, by the same rule, the token with the most at the newcomer's address. Empty if nobody has to.
   */
  most(newcomer: Identity): ReadonlySet<Item> {
    const ownToken = tokenKey(newcomer);
    const ownAddress = this.addresses.get(addressKey(newcomer));
    const own = Math.max(this.tokens.get(ownToken)?.size ?? 0, ownAddress?.size ?? 0);
    const address = largest(this.addresses.values());
    const token = largest(this.tokens.values());
    if (address && token && Math.max(address.size, token.size) > own + 1)
      return address.size >= token.size ? (largest(address.byToken.values()) ?? token) : token;
    const sibling = ownAddress && largest(ownAddress.byToken.values());
    const ofToken = ownAddress?.byToken.get(ownToken)?.size ?? 0;
    return sibling && sibling.size > ofToken + 1 ? sibling : new Set();
  }
}

/** Amounts that clients hold, such as bytes. */
export class AmountsByClient {
  private readonly tokens = new Map<string, number>();
  private readonly addresses = new Map<string, number>();
  private sum = 0;

  get total(): number {
    return this.sum;
  }

  /** The larger of the amounts of token and address. */
  of(identity: Identity): number {
    return Math.max(this.tokens.get(tokenKey(identity)) ?? 0, this.addresses.get(addressKey(identity)) ?? 0);
  }

  /** @param amount negative for what the client no longer holds */
  add(identity: Identity, amount: number): void {
    this.sum += amount;
    addTo(this.tokens, tokenKey(identity), amount);
    addTo(this.addresses, addressKey(identity), amount);
  }
}

function addTo(amounts: Map<string, number>, key: string, amount: number): void {
  const sum = (amounts.get(key) ?? 0) + amount;
  if (sum === 0) amounts.delete(key);
  else amounts.set(key, sum);
}

/** The last one of those that are equally large. */
function largest<T extends { readonly size: number }>(groups: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const group of groups) if (found === undefined || group.size >= found.size) found = group;
  return found;
}
