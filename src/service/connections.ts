/** The connections to one origin of the REST service, each with one call at a time. */
import { buildConnector, Client } from 'undici';

export interface ConnectionsOptions {
  origin: string;
  /** Connections at the most. */
  limit: number;
  /** Bound on the opening of a connection in milliseconds. */
  timeoutMs: number;
  /** Told whenever a connection may have become free. */
  onFree: () => void;
}

export type Connection = Client;

export interface Connections {
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
const BEGUN_PER_TURN = 4;

/**
 * Time in milliseconds within which a connection that became free is used again in its turn, so that under load none
 * idles until it closes. After it the one that became free last is used, so that calls keep away from connections that
 * the service may be about to close, and those that are not needed close.
 */
const ROTATED_MS = 1000;

export function createConnections({ origin, limit, timeoutMs, onFree }: ConnectionsOptions): Connections {
  const connect = buildConnector({ timeout: timeoutMs });
  /** Of each since when it is free, by performance.now(), or undefined while it is in use. */
  const clients = new Map<Client, number | undefined>();
  /** Open and free, in the order in which they became so. */
  const free: Client[] = [];
  let begunInTurn = 0;
  let isClosing = false;

  const takeFree = () => {
    const [first] = free;
    if (first === undefined) return undefined;
    return performance.now() - (clients.get(first) ?? 0) < ROTATED_MS ? free.shift() : free.pop();
  };
  const begin = () => {
    if (begunInTurn === BEGUN_PER_TURN || clients.size === limit || isClosing) return undefined;
    if (begunInTurn === 0) setImmediate(endTurn);
    begunInTurn += 1;
    const client = new Client(origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
    client.on('disconnect', () => {
      // For a call that has not been sent yet, undici opens it again.
      if (clients.get(client) !== undefined) drop(client);
    });
    client.on('connectionError', () => {
      drop(client);
    });
    return client;
  };
  const endTurn = () => {
    begunInTurn = 0;
    onFree();
  };

  const drop = (client: Client) => {
    clients.delete(client);
    const index = free.indexOf(client);
    if (index >= 0) free.splice(index, 1);
    void client.destroy();
    onFree();
  };

  return {
    acquire() {
      const client = takeFree() ?? begin();
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
        drop(client);
        return;
      }
      free.push(client);
      onFree();
    },
    async close() {
      isClosing = true;
      await Promise.all([...clients.keys()].map((client) => client.close()));
    },
  };
}
