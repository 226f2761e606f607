/**
 * Fair shares: what each client has of something limited. A known client has one, by its name; of others, token and address both count,
 * so that neither multiplies a share.
 */
import { tokenOf } from '../domain/parameters.js';

/** Share of what is limited that a token or an address may hold while others ask. */
export const FAIR_SHARE = 1 / 4;

/** By what a client is known where something limited is divided among clients. */
export interface Client {
  /** Names the share of a known client, whatever its token and address. */
  readonly share?: string | undefined;
  /** The Authorization header; in calls only if it holds a well-formed bearer token. */
  readonly authorization: string | undefined;
  readonly peer: Peer;
  /** Whether its calls are items of lists, which get no reserved connection, but always may wait. @default false */
  readonly isOfList?: boolean;
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
export function tokenKey({ share, authorization, peer }: Client): string {
  if (share !== undefined) return `,=${share}`;
  return authorization === undefined ? `,${peer.address}` : tokenOf(authorization);
}

export function addressKey({ share, peer }: Client): string {
  return share === undefined ? peer.address : `=${share}`;
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
  of(client: Client): number {
    return Math.max(this.tokens.get(tokenKey(client)) ?? 0, this.addresses.get(addressKey(client)) ?? 0);
  }

  /** @param amount negative for what the client no longer holds */
  add(client: Client, amount: number): void {
    this.sum += amount;
    addTo(this.tokens, tokenKey(client), amount);
    addTo(this.addresses, addressKey(client), amount);
  }
}

function addTo(amounts: Map<string, number>, key: string, amount: number): void {
  const sum = (amounts.get(key) ?? 0) + amount;
  if (sum === 0) amounts.delete(key);
  else amounts.set(key, sum);
}
