/** The connections to one origin of the REST service, each with one call at a time. */
import { buildConnector, Client } from 'undici';

export interface ConnectionPoolOptions {
  origin: string;
  /** Connections at the most. */
  limit: number;
  /** Bound on the opening of a connection in milliseconds. */
  timeoutMs: number;
  /** Told whenever a connection may have become free. */
  onFree: () => void;
}

export type Connection = Client;

export interface ConnectionPool {
  /** A connection that is free, or that opens with the first request; undefined when there is none for now. */
  acquire(): Connection | undefined;
  /** Gives back a connection whose call has ended, however it has. */
  release(connection: Connection): void;
  /** Waits for the calls in flight. */
  close(): Promise<void>;
}

/**
 * Connections that are begun in one turn of the event loop. Opening one takes longer than a call does: were all opened
 * at once that the calls of a busy moment ask for, the answers on those that are open would wait for it. This way they
 * are read in between, and what they free is used instead.
 */
const MAX_CONNECTS_PER_TICK = 4;

/**
 * Time in milliseconds within which a connection that became free is used again in its turn, so that under load none
 * idles until it closes. After it the one that became free last is used, so that calls keep away from connections that
 * the service may be about to close, and those that are not needed close.
 */
const ROUND_ROBIN_WINDOW_MS = 1000;

export function createConnectionPool({
  origin,
  limit,
  timeoutMs,
  onFree,
}: ConnectionPoolOptions): ConnectionPool {
  const connect = buildConnector({ timeout: timeoutMs });
  /** Of each since when it is free, by performance.now(), or undefined while it is in use. */
  const clients = new Map<Client, number | undefined>();
  /** Open and free, in the order in which they became so. */
  const idle: Client[] = [];
  let connectsThisTick = 0;
  let isClosing = false;

  const takeIdle = () => {
    const [first] = idle;
    if (first === undefined) return undefined;
    return performance.now() - (clients.get(first) ?? 0) < ROUND_ROBIN_WINDOW_MS ? idle.shift() : idle.pop();
  };
  const open = () => {
    if (connectsThisTick === MAX_CONNECTS_PER_TICK || clients.size === limit || isClosing) return undefined;
    if (connectsThisTick === 0) setImmediate(endTick);
    connectsThisTick += 1;
    const client = new Client(origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
    client.on('disconnect', () => {
      // For a call that has not been sent yet, undici opens it again.
      if (clients.get(client) !== undefined) discard(client);
    });
    client.on('connectionError', () => {
      discard(client);
    });
    return client;
  };
  const endTick = () => {
    connectsThisTick = 0;
    onFree();
  };

  const discard = (client: Client) => {
    clients.delete(client);
    const index = idle.indexOf(client);
    if (index >= 0) idle.splice(index, 1);
    void client.destroy();
    onFree();
  };

  return {
    acquire() {
      const client = takeIdle() ?? open();
      if (client !== undefined) clients.set(client, undefined);
      return client;
    },
    release(client) {
      if (!clients.has(client)) return;
      clients.set(client, performance.now());
      const { size, connected } = client.stats;
      // A request that was given up is still there: it has yet to open its connection, or to close it.
      if (size > 0) return;
      if (!connected) {
        discard(client);
        return;
      }
      idle.push(client);
      onFree();
    },
    async close() {
      isClosing = true;
      await Promise.all([...clients.keys()].map((client) => client.close()));
    },
  };
}
