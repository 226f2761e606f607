/**
 * Connection pool for one origin. Each connection carries one call at a time. undici's Pool in its place would be 30 lines, but opens a
 * connection for each waiting call, and does not learn when the service closes idle ones: with a service that does so 3 ms after each
 * response, 104 of 960 deletions ended with an unknown outcome, and none do with this pool.
 */
import { Client } from 'undici';
import type { Connector } from './connector.js';
import { tokenKey, type Client as CallingClient } from './fairQueue.js';

/** Maximum bytes of the headers of a response: services with large cookies or policies exceed Node's 16 KiB. */
export const MAX_HEADER_BYTES = 128 * 1024;

export interface ConnectionPoolOptions {
  origin: string;
  limit: number;
  connector: Connector;
  /**
   * Age in milliseconds, ±10 %, from which a connection is closed when its call has settled: new ones reach addresses that the
   * name of the service has gained.
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

/** Code of undici's error if this side closed the connection: it was idle for too long, its call was aborted, or a response announced it. */
const CLOSED_HERE = 'UND_ERR_INFO';

interface PooledConnection {
  readonly connection: Connection;
  /** Aborts its opening. */
  readonly opening: AbortController;
  /** When it reaches its age, on the clock of performance.now(). */
  endsAt: number;
  /** Since when the connection is idle, on the clock of performance.now(); undefined while it is in use. */
  idleSince: number | undefined;
  /** The call that has it; undefined in its first call, which cannot meet a connection that the service is closing. */
  call: { startedAt: number; client: CallingClient; idleMs: number } | undefined;
  /** How long it took to open, in milliseconds: at least a round trip. */
  openingMs: number;
}

export function createConnectionPool({ origin, limit, connector, maxAgeMs, onFree }: ConnectionPoolOptions) {
  const connections = new Map<Connection, PooledConnection>();
  /** Open idle connections, longest-idle first. */
  const idle: PooledConnection[] = [];
  const keepAlive = new KeepAliveEstimate();
  let connectsThisTick = 0;
  let isClosing = false;

  /** The client that lost the last call on an idle connection. */
  let clientOfLastLoss: string | undefined;

  const takeIdle = (maxIdleMs: number, client: CallingClient) => {
    const [first] = idle;
    const last = idle.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const now = performance.now();
    const isRoundRobin = idleMsOf(first, now) < Math.min(ROUND_ROBIN_WINDOW_MS, maxIdleMs);
    const taken = isRoundRobin ? first : last;
    const idleMs = idleMsOf(taken, now);
    if (idleMs >= maxIdleMs) return undefined;
    if (isRoundRobin) idle.shift();
    else idle.pop();
    keepAlive.onOpen(idleMs);
    taken.idleSince = undefined;
    taken.call = { startedAt: now, client, idleMs };
    return taken.connection;
  };
  const open = () => {
    if (connectsThisTick === MAX_CONNECTS_PER_TICK || isClosing) return undefined;
    if (connections.size === limit) {
      const [longestIdle] = idle;
      if (longestIdle === undefined) return undefined;
      keepAlive.onReplaced(idleMsOf(longestIdle, performance.now()));
      remove(longestIdle);
    }
    if (connectsThisTick === 0) setImmediate(endTick);
    connectsThisTick += 1;
    const openedAt = performance.now();
    const opening = new AbortController();
    const connect = connector(opening.signal);
    const connection: Connection = new Client(origin, {
      connect,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const pooled: PooledConnection = {
      connection,
      opening,
      endsAt: Infinity,
      idleSince: undefined,
      call: undefined,
      openingMs: 0,
    };
    connections.set(connection, pooled);
    connection.on('connect', () => {
      const now = performance.now();
      pooled.openingMs = now - openedAt;
      pooled.endsAt = now + jittered(maxAgeMs);
    });
    connection.on('disconnect', (_origin, _targets, { code }) => {
      if (!connections.has(connection)) return;
      const isIdle = pooled.idleSince !== undefined;
      if (isIdle) {
        const idleMs = idleMsOf(pooled, performance.now());
        if (code === CLOSED_HERE) keepAlive.onOpen(idleMs);
        else keepAlive.onClosed(idleMs);
      } else if (code !== CLOSED_HERE) learnFromLoss(pooled);
      // Not while it is in use: undici reconnects it for a call that has not been sent yet.
      if (isIdle) discard(pooled);
    });
    connection.on('connectionError', () => discard(pooled));
    return connection;
  };
  /**
   * A call that is lost within about a round trip may have met a connection that the service was closing, or the service may reset what
   * this client sends: it counts once another client has lost one, too, so that no client takes warm connections from the writes of others.
   */
  const learnFromLoss = ({ call, openingMs }: PooledConnection) => {
    if (call === undefined || performance.now() - call.startedAt > openingMs + MARGIN_MS) return;
    const client = tokenKey(call.client);
    if (clientOfLastLoss !== undefined && clientOfLastLoss !== client) keepAlive.onClosed(call.idleMs);
    clientOfLastLoss = client;
  };
  const endTick = () => {
    connectsThisTick = 0;
    onFree();
  };

  const remove = (pooled: PooledConnection) => {
    connections.delete(pooled.connection);
    const index = idle.indexOf(pooled);
    if (index >= 0) idle.splice(index, 1);
    void pooled.connection.destroy();
  };
  const discard = (pooled: PooledConnection) => {
    remove(pooled);
    onFree();
  };

  return {
    /**
     * An idle connection, or a new one that opens with its first request; undefined if none is available right now. If
     * `avoidStale`, not one that has been idle for so long that the service may be closing it.
     */
    acquire(client: CallingClient, avoidStale = false): Connection | undefined {
      return takeIdle(avoidStale ? keepAlive.maxIdleMs : Infinity, client) ?? open();
    },
    /** Returns a connection after its call has settled, whether it succeeded or not. */
    release(connection: Connection): void {
      const pooled = connections.get(connection);
      if (pooled === undefined) {
        onFree(); // it could not be opened, which freed nothing while its call held the slot
        return;
      }
      const now = performance.now();
      pooled.idleSince = now;
      pooled.call = undefined;
      const { size, connected } = connection.stats;
      // An aborted request is still pending: undici has yet to open or close its connection, which then frees it.
      if (size > 0) {
        pooled.opening.abort();
        return;
      }
      if (!connected || now >= pooled.endsAt) {
        discard(pooled);
        return;
      }
      idle.push(pooled);
      onFree();
    },
    /** Closes all connections once their calls in flight have finished. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.all([...connections.keys()].map((connection) => connection.close()));
    },
  };
}

/** How long the connection has been idle, in milliseconds; 0 while it is in use. */
function idleMsOf({ idleSince }: PooledConnection, now: number): number {
  return now - (idleSince ?? now);
}

const JITTER = 0.1;

/** A duration that differs by up to 10 %, so that what began at the same time does not end at the same time. */
export function jittered(durationMs: number): number {
  return durationMs * (1 - JITTER + 2 * JITTER * Math.random());
}

/** Time in milliseconds until the gateway learns that the service has closed a connection: latency, busy event loops. */
const MARGIN_MS = 25;

/**
 * How long the service keeps idle connections, learned from the ones that it closes, so that no write is sent on a connection that
 * is about to close. A restart of the service closes connections early, too. Connections that stay open longer raise the
 * estimate again, slowly, and writes never have to try: those that they leave idle, or that reads use, show it.
 */
class KeepAliveEstimate {
  private keptMs = Infinity;

  /** Connections that have been idle for less than this, in milliseconds, may be used for writes. */
  get maxIdleMs(): number {
    return this.keptMs / 2 - MARGIN_MS;
  }

  /** The service closed a connection that was idle for this long, or had been before the call that was lost on it. */
  onClosed(idleMs: number): void {
    if (idleMs < this.keptMs) this.keptMs = idleMs;
    else this.onOpen(idleMs);
  }

  /** A connection was still open after it had been idle for this long. */
  onOpen(idleMs: number): void {
    this.keptMs = Math.max(this.keptMs, Math.min(idleMs, this.keptMs * 1.03 + 1));
  }

  /**
   * A write replaced a connection that was still open, because the pool was full. In an overloaded pool, no connection is idle
   * for long enough to show anything: there, each of them raises the estimate a little.
   */
  onReplaced(idleMs: number): void {
    this.keptMs += 0.1;
    this.onOpen(idleMs);
  }
}
