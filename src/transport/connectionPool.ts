/**
 * Connection pool for one origin. Each connection carries one call at a time. undici's Pool in its place would be 30 lines, but opens a
 * connection for each waiting call, and does not learn when the service closes idle ones: with a service that does so 3 ms after each
 * response, 104 of 960 deletions ended with an unknown outcome, and none do with this pool.
 */
import { Client } from 'undici';
import type { Connector } from './connector.js';
import type { Slot } from './queue.js';

/** Maximum bytes of the headers of a response: services with large cookies or policies exceed Node's 16 KiB. */
export const MAX_HEADER_BYTES = 128 * 1024;

interface ConnectionPoolOptions {
  origin: string;
  limit: number;
  connector: Connector;
  /** Age in milliseconds, ±10 %, at which a connection closes after its call: new ones reach addresses that the service's name has gained. */
  maxAgeMs: number;
  /** Called whenever a connection may have become free. */
  onFree: () => void;
}

export class Connection implements Slot {
  holder: Slot['holder'];
  /** When it reaches its age, on the clock of performance.now(). */
  endsAt = Infinity;
  /** Since when it is idle, on the clock of performance.now(); Infinity while it is in use. */
  idleSince = Infinity;
  /** When its call got it, and how long it had been idle. Its first call cannot meet a connection that the service is closing. */
  takenAt = -Infinity;
  idleMs = 0;
  /** How long it took to open, in milliseconds: at least a round trip. */
  openingMs = 0;

  constructor(
    readonly http: Client,
    readonly opening: AbortController,
  ) {}
}

/** A handshake takes longer than a call: opening all at once would delay the responses that free connections for waiting calls. */
const MAX_CONNECTS_PER_TICK = 4;

/** Part by which the ages of connections differ, so that those that opened together do not end together. */
const AGE_JITTER = 0.1;

/** Time in milliseconds until the gateway learns that the service has closed a connection: latency, busy event loops. */
const MARGIN_MS = 25;
/** Time in milliseconds after which an early close that nothing has confirmed was a restart of the service. */
const FORGOTTEN_AFTER_MS = 60_000;

/** Code of undici's error if this side closed the connection: it was idle for too long, its call was aborted, or a response announced it. */
const CLOSED_HERE = 'UND_ERR_INFO';

export function createConnectionPool({ origin, limit, connector, maxAgeMs, onFree }: ConnectionPoolOptions) {
  const connections = new Set<Connection>();
  /** Open idle connections, longest-idle first. */
  const idle: Connection[] = [];
  /** How long the service keeps idle connections, learned from those that it closes: no write is sent on one that is about to close. */
  let keptMs = Infinity;
  let confirmedAt = -Infinity;
  let connectsThisTick = 0;
  let isClosing = false;
  /** Key of the client that lost the last call on an idle connection. */
  let clientOfLastLoss: string | undefined;

  /**
   * Takes the connection that was used last, which the service is least likely to be closing. With a service that closes idle connections
   * after 3 ms, 5 of 100 writes are lost before the pool has learned that time; with connections in turn, 47 were.
   */
  const takeIdle = (maxIdleMs: number) => {
    const taken = idle.at(-1);
    if (taken === undefined) return undefined;
    const now = performance.now();
    const idleMs = now - taken.idleSince;
    if (idleMs >= maxIdleMs) return undefined;
    idle.pop();
    taken.idleSince = Infinity;
    taken.takenAt = now;
    taken.idleMs = idleMs;
    return taken;
  };
  const open = () => {
    if (connectsThisTick === MAX_CONNECTS_PER_TICK || isClosing) return undefined;
    if (connections.size === limit) {
      const [longestIdle] = idle;
      if (longestIdle === undefined) return undefined;
      remove(longestIdle);
    }
    if (connectsThisTick === 0) setImmediate(endTick);
    connectsThisTick += 1;
    const openedAt = performance.now();
    const opening = new AbortController();
    const http = new Client(origin, {
      connect: connector(opening.signal),
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    const connection = new Connection(http, opening);
    connections.add(connection);
    http.on('connect', () => {
      const now = performance.now();
      connection.openingMs = now - openedAt;
      connection.endsAt = now + maxAgeMs * (1 - AGE_JITTER + 2 * AGE_JITTER * Math.random());
    });
    http.on('disconnect', (_origin, _targets, { code }) => {
      if (!connections.has(connection)) return;
      const isIdle = connection.idleSince < Infinity;
      if (code !== CLOSED_HERE) {
        if (isIdle) learnKeptTime(performance.now() - connection.idleSince);
        else learnFromLoss(connection);
      }
      // Not while it is in use: undici reconnects it for a call that has not been sent yet.
      if (isIdle) discard(connection);
    });
    http.on('connectionError', () => discard(connection));
    return connection;
  };
  /**
   * A call that is lost within about a round trip may have met a connection that the service was closing, or the service may reset what
   * this client sends: it counts once another client has lost one, too, so that no client takes warm connections from the writes of others.
   */
  const learnFromLoss = ({ holder, takenAt, idleMs, openingMs }: Connection) => {
    if (holder === undefined || performance.now() - takenAt > openingMs + MARGIN_MS) return;
    const [{ key }] = holder;
    if (clientOfLastLoss !== undefined && clientOfLastLoss !== key) learnKeptTime(idleMs);
    clientOfLastLoss = key;
  };
  const currentKeptMs = () => (performance.now() - confirmedAt < FORGOTTEN_AFTER_MS ? keptMs : Infinity);
  /** The service closed a connection that was idle for this long, or had been before the call that was lost on it. */
  const learnKeptTime = (idleMs: number) => {
    const current = currentKeptMs();
    if (idleMs > 2 * (current + MARGIN_MS)) return; // confirms nothing
    keptMs = Math.min(current, idleMs);
    confirmedAt = performance.now();
  };
  const endTick = () => {
    connectsThisTick = 0;
    onFree();
  };

  const remove = (connection: Connection) => {
    connections.delete(connection);
    const index = idle.indexOf(connection);
    if (index >= 0) idle.splice(index, 1);
    void connection.http.destroy();
  };
  const discard = (connection: Connection) => {
    remove(connection);
    onFree();
  };

  return {
    /** Idle, or opened by its first request; undefined if none is available. With `avoidStale`, not one that the service may be closing. */
    acquire(avoidStale: boolean): Connection | undefined {
      return takeIdle(avoidStale ? currentKeptMs() / 2 - MARGIN_MS : Infinity) ?? open();
    },
    /** Returns a connection after its call has settled, whether it succeeded or not. */
    release(connection: Connection): void {
      if (connections.has(connection)) {
        const now = performance.now();
        connection.idleSince = now;
        const { size, connected } = connection.http.stats;
        // An aborted request is still pending: undici has yet to open or close its connection, which then frees it.
        if (size > 0) {
          connection.opening.abort();
          return;
        }
        if (connected && now < connection.endsAt) idle.push(connection);
        else remove(connection);
      }
      onFree(); // also after one that could not be opened, which freed nothing while its call held the slot
    },
    /** Closes all connections once their calls in flight have finished. */
    async close(): Promise<void> {
      isClosing = true;
      await Promise.all([...connections].map(({ http }) => http.close()));
    },
  };
}
