/** Which connections calls get, and what becomes of them; over sockets, as that is what they are about. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createConnectionPool,
  type Connection,
  type ConnectionPool,
} from '../../src/service/transport/connectionPool.js';
import { Cancellation } from '../../src/service/transport/cancellation.js';
import { exchange } from '../../src/service/transport/exchange.js';
import { until } from '../support/gateway/faultGateway.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { stubDns } from '../support/http/stubDns.js';

let service: FaultServer;
beforeEach(async () => {
  service = await startFaultServer();
});
afterEach(async () => {
  vi.useRealTimers();
  await service.stop();
});

test('few are begun in one turn of the event loop, and not more than its limit in all', async () => {
  const { connections, freed } = connectionsTo(service.url, 10);
  const counts: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    counts.push(acquireAll(connections).length);
    await turn();
  }
  expect(counts).toEqual([4, 4, 2, 0]);
  expect(freed.times).toBe(3);
});

test.each([
  ['take turns', 999, [0, 1]],
  ['are used from the last on when they have idled for a second', 1000, [1, 0]],
])('those that are open %s, and none is opened besides', async (_what, idleMs, order) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { connections } = connectionsTo(service.url, 10);
  const both = acquireAll(connections).slice(0, 2);
  for (const each of both) await get(each);
  for (const each of both) connections.release(each);
  vi.advanceTimersByTime(idleMs);
  for (const index of order) expect(connections.acquire()).toBe(both[index]);
  for (const each of both) await get(each);
  expect(service.connections.length).toBe(2);
  expect(service.requests.length).toBe(4);
});

test('in the place of those that the service has closed others are begun, few in one turn', async () => {
  const { connections, freed } = connectionsTo(service.url, 6);
  const all = acquireAll(connections);
  await turn();
  all.push(...acquireAll(connections));
  for (const each of all) await get(each);
  for (const each of all) connections.release(each);
  const times = freed.times;
  service.disconnect();
  await until(() => freed.times === times + 6);
  const others = acquireAll(connections);
  expect(others.length).toBe(4);
  await turn();
  others.push(...acquireAll(connections));
  expect(others.length).toBe(6);
  for (const each of others) await expect(get(each)).resolves.toMatchObject({ status: 200 });
  expect(service.connections.length).toBe(12);
});

test.each([
  ['is refused', 'ECONNREFUSED'],
  ['has a certificate of another name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('in the place of one that %s another may open', async (_what, code) => {
  const host = stubDns('failing-host.test', (reply) => {
    reply(Object.assign(new Error('No connection'), { code }), []);
  });
  const { connections } = connectionsTo(service.url.replace('127.0.0.1', 'failing-host.test'), 1);
  const connection = connections.acquire() as Connection;
  await expect(get(connection)).rejects.toMatchObject({ name: 'UnreachableError', cause: { code } });
  connections.release(connection);
  host.restore();
  stubDns('failing-host.test', (reply) => {
    reply(null, [{ address: '127.0.0.1', family: 4 }]);
  });
  await turn();
  await expect(get(connections.acquire() as Connection)).resolves.toMatchObject({ status: 200 });
  host.restore();
  expect(service.requests.length).toBe(1);
});

test('one that closes as a write is about to be sent opens again for it, and the write is sent once', async () => {
  const { connections } = connectionsTo(service.url, 1);
  const connection = connections.acquire() as Connection;
  await get(connection);
  connections.release(connection);
  await turn();
  expect(connections.acquire()).toBe(connection);
  service.disconnect();
  await expect(send(connection, 'DELETE')).resolves.toBeDefined();
  expect(service.requests.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
  connections.release(connection);
  await turn();
  expect(connections.acquire()).toBe(connection);
});

test('one whose call is given up closes, none opens in its place, and another may', async () => {
  const { connections, freed } = connectionsTo(service.url, 1);
  service.plan = ({ before }) => (before === 0 ? { kind: 'hang' } : undefined);
  const connection = connections.acquire() as Connection;
  const callerLeft = new Cancellation();
  const answer = expect(get(connection, callerLeft)).rejects.toMatchObject({ name: 'CancelledError' });
  await until(() => service.requests.length === 1);
  callerLeft.cancel();
  await answer;
  const times = freed.times;
  connections.release(connection);
  expect(connections.acquire()).toBeUndefined();
  await until(() => freed.times > times);
  await until(() => service.connections[0]?.closedAt !== undefined);
  expect(service.connections.length).toBe(1);

  await expect(get(connections.acquire() as Connection)).resolves.toMatchObject({ status: 200 });
  expect(service.connections.length).toBe(2);
});

test.each([
  ['opens', null],
  ['fails', Object.assign(new Error('No such host'), { code: 'ENOTFOUND' })],
])(
  'one whose call is given up before it %s counts until then, sends nothing, and another may open',
  async (_end, error) => {
    const replies: (() => void)[] = [];
    const host = stubDns('slow-host.test', (reply) => {
      const addresses = [{ address: '127.0.0.1', family: 4 }];
      replies.push(() => {
        reply(replies.length === 1 ? error : null, addresses);
      });
      if (replies.length > 1) replies.at(-1)?.();
    });
    const { connections, freed } = connectionsTo(service.url.replace('127.0.0.1', 'slow-host.test'), 1);
    const connection = connections.acquire() as Connection;
    const callerLeft = new Cancellation();
    const answer = expect(get(connection, callerLeft)).rejects.toMatchObject({ name: 'CancelledError' });
    await until(() => replies.length === 1);
    callerLeft.cancel();
    await answer;
    connections.release(connection);
    await turn();
    expect(connections.acquire()).toBeUndefined();

    const times = freed.times;
    replies[0]?.();
    await until(() => freed.times > times);
    await expect(get(connections.acquire() as Connection)).resolves.toMatchObject({ status: 200 });
    host.restore();
    expect(service.requests.length).toBe(1);
    await until(() => service.connections.slice(0, -1).every(({ closedAt }) => closedAt !== undefined));
    expect(service.connections.slice(0, -1)).toMatchObject(error ? [] : [{ bytesReceived: 0 }]);
  },
);

test('closing waits for the calls in flight, and begins no other', async () => {
  const { connections } = connectionsTo(service.url, 2);
  service.plan = () => ({ kind: 'delay', until: () => turn() });
  const connection = connections.acquire() as Connection;
  const ends: string[] = [];
  const answer = get(connection).then(() => ends.push('answered'));
  const closed = connections.close().then(() => ends.push('closed'));
  expect(connections.acquire()).toBeUndefined();
  await answer;
  connections.release(connection);
  await closed;
  expect(ends).toEqual(['answered', 'closed']);
  await until(() => service.connections[0]?.closedAt !== undefined);
  expect(connections.acquire()).toBeUndefined();
});

function connectionsTo(url: string, limit: number) {
  const freed = { times: 0 };
  const connections = createConnectionPool({
    origin: new URL(url).origin,
    limit,
    timeoutMs: 10_000,
    onFree() {
      freed.times += 1;
    },
  });
  return { connections, freed };
}

/** As many as there are for now. */
function acquireAll(connections: ConnectionPool): Connection[] {
  const acquired: Connection[] = [];
  for (let next = connections.acquire(); next !== undefined; next = connections.acquire())
    acquired.push(next);
  return acquired;
}

const get = (connection: Connection, callerLeft?: Cancellation) => send(connection, 'GET', callerLeft);

function send(connection: Connection, method: 'DELETE' | 'GET', callerLeft = new Cancellation()) {
  return exchange(
    connection,
    { method, path: '/v1/customnotifications', headers: { authorization: 'Bearer any' } },
    {
      deadline: performance.now() + 10_000,
      cancellation: callerLeft,
      maxResponseBytes: 10_000,
      statusIsConclusive: false,
      onDetached: () => undefined,
    },
  );
}
