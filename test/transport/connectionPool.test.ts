/** The connection pool over real sockets: which connections calls get, and when connections open and close. */
import type { Socket } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createConnectionPool, type Connection } from '../../src/transport/connectionPool.js';
import { createConnector } from '../../src/transport/connector.js';
import { Cancellation } from '../../src/transport/cancellation.js';
import type { Accounts, Client } from '../../src/transport/queue.js';
import { exchange } from '../../src/transport/exchange.js';
import { until } from '../support/tools/waiting.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { clientNamed } from '../support/service/callClients.js';
import { memoryOf } from '../support/service/responseMemory.js';

type ConnectionPool = ReturnType<typeof createConnectionPool>;
type CreatedPool = ReturnType<typeof createPool>;

const CLIENT = clientNamed('a client');

let service: FaultServer;
beforeEach(async () => {
  service = await startFaultServer();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await service.stop();
});

describe('a connection pool', () => {
  test('reopens a connection that closes just before a write is sent, and sends the write once', async () => {
    const { pool } = createPool(service.url, 1);
    const connection = pool.acquire(false) as Connection;
    await get(connection);
    pool.release(connection);
    await nextTick();
    expect(pool.acquire(false)).toBe(connection);
    service.disconnect();
    await expect(send(connection, 'DELETE')).resolves.toBeDefined();
    expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
    pool.release(connection);
    await nextTick();
    expect(pool.acquire(false)).toBe(connection);
  });

  test('closes the connection of an aborted call before opening another one', async () => {
    const { pool, freeEvents } = createPool(service.url, 1);
    service.plan = ({ before }) => (before === 0 ? { kind: 'hang' } : undefined);
    const connection = pool.acquire(false) as Connection;
    const cancellation = new Cancellation();
    const aborted = expect(get(connection, cancellation)).rejects.toMatchObject({ name: 'CancelledError' });
    await until(() => service.requests.length === 1);
    cancellation.cancel();
    await aborted;
    const freedBefore = freeEvents.count;
    pool.release(connection);
    expect(pool.acquire(false)).toBeUndefined();
    await until(() => freeEvents.count > freedBefore);
    await until(() => service.connections[0]?.closedAt !== undefined);
    expect(service.connections.length).toBe(1);

    await expect(get(pool.acquire(false) as Connection)).resolves.toMatchObject({ status: 200 });
    expect(service.connections.length).toBe(2);
  });

  test('closes a connection that has reached its age when its call has settled, and opens another one', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.spyOn(Math, 'random').mockReturnValue(0.5); // no jitter
    const { pool, freeEvents } = createPool(service.url, 1, 60_000);
    const first = pool.acquire(false) as Connection;
    await get(first);
    vi.advanceTimersByTime(59_999);
    pool.release(first);
    expect(pool.acquire(false)).toBe(first); // used, not replaced, although it was idle
    vi.advanceTimersByTime(1);
    await expect(send(first, 'DELETE')).resolves.toMatchObject({ status: 204 });
    const freedBefore = freeEvents.count;
    pool.release(first);
    expect(freeEvents.count).toBe(freedBefore + 1);
    await nextTick();
    const second = pool.acquire(false) as Connection;
    expect(second).not.toBe(first);
    await get(second);
    pool.release(second);
    expect(pool.acquire(false)).toBe(second);
    expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'GET']);
    await until(() => service.connections[0]?.closedAt !== undefined);
    expect(service.connections.length).toBe(2);
    expect(service.connections[1]?.closedAt).toBeUndefined();
  });
});

describe('a connection pool whose service closes connections', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(60_000);
  });

  test.each<[string, (created: CreatedPool) => Promise<unknown>]>([
    ['closes it', (created) => closeIdle(created)],
    ['resets it', (created) => closeIdle(created, (socket) => socket.resetAndDestroy())],
    ['closes its own direction of it', (created) => closeIdle(created, (socket) => socket.end())],
  ])('uses one for writes for less than half of the time after which the service %s', async (_how, close) => {
    const created = createPool(service.url, 2);
    const { pool } = created;
    await use(pool);
    await nextTick();
    vi.advanceTimersByTime(2000);
    await close(created);
    service.plan = () => undefined;
    await nextTick();

    await expectUseForWrites(pool, 975);
  });

  test.each<[string, (pool: ConnectionPool, client: Client) => Promise<unknown>]>([
    [
      'just before a read is sent',
      async (pool, client) => {
        const connection = pool.acquire(false) as Connection;
        connection.holder = accountsOf(client);
        service.disconnect();
        await get(connection);
        pool.release(connection);
      },
    ],
    [
      'while a read is sent',
      async (pool, client) => {
        service.plan = () => ({ kind: 'close' });
        await expect(use(pool, false, client)).rejects.toMatchObject({ name: 'ServiceFailureError' });
      },
    ],
  ])('learns from one that the service closes %s once it has done so to two clients', async (_when, lose) => {
    const { pool } = createPool(service.url, 2);
    const loseIdle = async (name: string) => {
      await use(pool);
      await nextTick();
      vi.advanceTimersByTime(2000);
      await lose(pool, clientNamed(name));
      service.plan = () => undefined;
      await nextTick();
    };
    await loseIdle('one');
    await loseIdle('one');
    const connection = await use(pool, true);
    vi.advanceTimersByTime(60_000);
    expect(pool.acquire(true)).toBe(connection);
    pool.release(connection);
    await loseIdle('two');
    await expectUseForWrites(pool, 975);
  });

  test('forgets a restart of the service after a minute in which it closes no connection as early', async () => {
    const created = createPool(service.url, 4);
    const { pool } = created;
    await use(pool);
    await closeIdle(created);
    const connection = await use(pool, true);
    expect(await use(pool, true)).not.toBe(connection);
    vi.advanceTimersByTime(40_000);
    await closeIdle(created); // after 40 s, which says nothing about the restart
    vi.advanceTimersByTime(20_000);
    const later = await use(pool, true);
    vi.advanceTimersByTime(10_000);
    expect(await use(pool, true)).toBe(later);
  });

  test('replaces the longest-idle connection if a write finds the pool full of connections that it may not use', async () => {
    const created = createPool(service.url, 2);
    const { pool } = created;
    await use(pool);
    await closeIdle(created);
    const first = await use(pool, true);
    const second = await use(pool, true);
    const third = await use(pool, true);
    await untilNext(() => service.connections[1]?.closedAt !== undefined);
    expect(new Set([first, second, third]).size).toBe(3);
    expect([pool.acquire(false), pool.acquire(false)]).toEqual([third, second]);
    expect(service.connections.filter(({ closedAt }) => closedAt === undefined).length).toBe(2);
  });

  /** Sends a call, a write if `avoidStale`, and returns the connection that it used. */
  async function use(pool: ConnectionPool, avoidStale = false, client: Client = CLIENT): Promise<Connection> {
    const connection = pool.acquire(avoidStale) as Connection;
    connection.holder = accountsOf(client);
    await send(connection, avoidStale ? 'DELETE' : 'GET').finally(() => pool.release(connection));
    return connection;
  }

  /** A write uses a connection that has been idle for less than this, in milliseconds. */
  async function expectUseForWrites(pool: ConnectionPool, maxIdleMs: number): Promise<void> {
    const connection = await use(pool, true);
    vi.advanceTimersByTime(maxIdleMs - 1);
    expect(pool.acquire(true)).toBe(connection);
    pool.release(connection);
    vi.advanceTimersByTime(maxIdleMs);
    expect(pool.acquire(true)).not.toBe(connection);
    expect(pool.acquire(false)).toBe(connection);
  }

  /** The service closes all connections, which are idle. */
  async function closeIdle({ freeEvents }: CreatedPool, close?: (socket: Socket) => void): Promise<void> {
    const freedBefore = freeEvents.count;
    service.disconnect(close);
    await untilNext(() => freeEvents.count > freedBefore);
  }

  /** Unlike `until`, does not advance the clock. */
  async function untilNext(condition: () => boolean): Promise<void> {
    while (!condition()) await nextTick();
  }
});

/** What the queue counts the only call of a client in. */
function accountsOf({ keys: [token, address] }: Client): Accounts {
  const accountOf = (key: string) => ({ key, calls: 1, held: 1, places: 0, turn: 0 });
  return [accountOf(token), accountOf(address)];
}

function createPool(url: string, limit: number, maxAgeMs = Infinity) {
  const freeEvents = { count: 0 };
  const pool = createConnectionPool({
    origin: new URL(url).origin,
    limit,
    connector: createConnector({ timeoutMs: 10_000 }),
    maxAgeMs,
    onFree() {
      freeEvents.count += 1;
    },
  });
  return { pool, freeEvents };
}

const get = (connection: Connection, cancellation?: Cancellation) => send(connection, 'GET', cancellation);

function send(connection: Connection, method: 'DELETE' | 'GET', cancellation = new Cancellation()) {
  return exchange(
    connection,
    { method, path: '/v1/customnotifications', headers: { authorization: 'Bearer any' } },
    {
      deadline: performance.now() + 10_000,
      minConnectTimeMs: 0,
      cancellation,
      maxResponseBytes: 10_000,
      memory: memoryOf(),
      messagesOf: () => undefined,
      onDetached: () => undefined,
    },
  );
}
