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

export function createConnections({ origin, limit, timeoutMs, onFree }: ConnectionsOptions): Connections {
  const connect = buildConnector({ timeout: timeoutMs });
  /** Of each whether it is in use. A set of those that are would leave a table to collect after every few calls. */
  const clients = new Map<Client, boolean>();
  /** Open and free. The last that was used is taken first, so that those that are not needed close when they have idled. */
  const free: Client[] = [];
  let begunInTurn = 0;
  let isClosing = false;

  const begin = () => {
    if (begunInTurn === BEGUN_PER_TURN || clients.size === limit || isClosing) return undefined;
    if (begunInTurn === 0) setImmediate(endTurn);
    begunInTurn += 1;
    const client = new Client(origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
    client.on('disconnect', () => {
      // For a call that has not been sent yet, undici opens it again.
      if (clients.get(client) === false) drop(client);
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
      const client = free.pop() ?? begin();
      if (client !== undefined) clients.set(client, true);
      return client;
    },
    release(client) {
      if (!clients.has(client)) return;
      clients.set(client, false);
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
