/** Opens connections to an origin: directly or through a proxy, with TLS for https. */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { buildConnector } from 'undici';
import { createTunnels, type Proxy } from './proxy.js';

export interface ConnectorOptions {
  /** Timeout in milliseconds of each step: the connection, the proxy's response, TLS. */
  timeoutMs: number;
  /** @default the connections are direct */
  proxy?: Proxy | undefined;
}

/** What a client of undici opens its connection with. Aborting the signal tears down a tunnel that is not complete. */
export type Connector = (signal: AbortSignal) => buildConnector.connector;

export function createConnector({ timeoutMs, proxy }: ConnectorOptions): Connector {
  const connect = createDirectConnector(timeoutMs);
  if (proxy === undefined) return () => connect;
  const openTunnel = createTunnels(proxy, createDirectConnector(timeoutMs), timeoutMs);
  return (signal) => (options, callback) => {
    openTunnel(options, signal, (error, socket) => {
      if (error !== null) callback(error, null);
      else if (options.protocol === 'https:') connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
  };
}

function createDirectConnector(timeoutMs: number): buildConnector.connector {
  return buildConnector({ timeout: timeoutMs, lookup: lookupShuffled });
}

/**
 * dns.lookup() with the addresses of each family in random order: getaddrinfo() sorts them (RFC 6724), so one could get all
 * connections. The preferred family stays the first. If an address does not respond, Node tries the next one.
 */
export function lookupShuffled(hostname: string, options: LookupOptions, callback: LookupCallback): void {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, []);
      return;
    }
    const shuffled = shuffle(addresses);
    if (options.all) callback(null, shuffled);
    else callback(null, shuffled[0]?.address ?? '', shuffled[0]?.family);
  });
}

/** As `lookup` of net.connect() expects it. */
type LookupCallback = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

function shuffle(addresses: readonly LookupAddress[]): LookupAddress[] {
  const families = addresses.map(({ family }) => family);
  return addresses
    .map((address) => ({ address, rank: families.indexOf(address.family) + Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ address }) => address);
}
