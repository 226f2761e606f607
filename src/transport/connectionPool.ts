/** Connection pool for one origin. Each connection carries one call at a time. */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { buildConnector, Client } from 'undici';
import { jittered } from './time.js';

export interface ConnectionPoolOptions {
  origin: string;
  limit: number;
  /** Timeout for opening a connection in milliseconds. */
  timeoutMs: number;
  /**
   * Age in milliseconds, ±10 %, from which a connection is closed when its call has settled: new ones reach addresses that the
   * name of the service has gained. 0 for no limit.
   */
  maxAgeMs: number;
  /** Called whenever a connection may have become free. */
  onFree: () => void;
}

export type Connection = Client;

/**
 * Connections opened per tick. A handshake takes longer than a call; opening all at once would delay the responses on
 * connections already open, which free those connections for the waiting calls.
 */
const MAX_CONNECTS_PER_TICK = 4;

/**
 * Under load, connections are used round-robin so that none idles out and has to be reopened. If the longest-idle one
 * has been idle for this many milliseconds, the most recently used one is used instead (LIFO), which avoids connections
 * that the service may be closing and lets spare ones expire.
 */
const ROUND_ROBIN_WINDOW_MS = 1000;

export function createConnectionPool({ origin, limit, timeoutMs, maxAgeMs, onFree }: ConnectionPoolOptions) {
  const connect = buildConnector({ timeout: timeoutMs, lookup: lookupShuffled });
  /** Since when each connection is idle, on the clock of performance.now(); undefined while it is in use. */
  const connections = new Map<Connection, number | undefined>();
  /** When each open connection reaches its age. */
  const ends = new WeakMap<Connection, number>();
  /** Open idle connections, longest-idle first. */
  const idle: Connection[] = [];
  let connectsThisTick = 0;
  let isClosing = false;

  const takeIdle = () => {
    const [first] = idle;
    if (first === undefined) return undefined;
    return performance.now() - (connections.get(first) ?? 0) < ROUND_ROBIN_WINDOW_MS
      ? idle.shift()
      : idle.pop();
  };
  const open = () => {
    if (connectsThisTick === MAX_CONNECTS_PER_TICK || connections.size === limit || isClosing)
      return undefined;
    if (connectsThisTick === 0) setImmediate(endTick);
    connectsThisTick += 1;
    const connection: Connection = new Client(origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
    if (maxAgeMs > 0)
      connection.on('connect', () => ends.set(connection, performance.now() + jittered(maxAgeMs)));
    connection.on('disconnect', () => {
      // Not while it is in use: undici reconnects it for a call that has not been sent yet.
      if (connections.get(connection) !== undefined) discard(connection);
    });
    connection.on('connectionError', () => discard(connection));
    return connection;
  };
  const endTick = () => {
    connectsThisTick = 0;
    onFree();
  };

  const discard = (connection: Connection) => {
    connections.delete(connection);
    const index = idle.indexOf(connection);
    if (index >= 0) idle.splice(index, 1);
    void connection.destroy();
    onFree();
  };

  return {
    /** An idle connection, or a new one that opens with its first request; undefined if none is available right now. */
    acquire(): Connection | undefined {
      const connection = takeIdle() ?? open();
      if (connection !== undefined) connections.set(connection, undefined);
      return connection;
    },
    /** Returns a connection after its call has settled, whether it succeeded or not. */
    release(connection: Connection): void {
      if (!connections.has(connection)) return;
      const now = performance.now();
      connections.set(connection, now);
      const { size, connected } = connection.stats;
      // An aborted request is still pending: undici has yet to open or close its connection, which then frees it.
      if (size > 0) return;
      if (!connected || now >= (ends.get(connection) ?? Infinity)) {
        discard(connection);
        return;
      }
      idle.push(connection);
      onFree();
    },
    /** Closes all connections once their calls in flight have finished. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.all([...connections.keys()].map((connection) => connection.close()));
    },
  };
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
