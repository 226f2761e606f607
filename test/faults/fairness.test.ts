/** Fairness: no client's calls take the places, the queue or the circuit that others need. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startFaultGateway, type FaultGateway } from '../support/gateway/faultGateway.js';
import { forTest } from '../support/tools/useStarted.js';
import { createGate, until } from '../support/tools/waiting.js';
import { statusFailure, statusFault } from '../support/service/faultCases.js';
import { keyLine, writeKeysFile } from '../support/http/clientCredentials.js';
import { about, failure, success, type Failure } from '../support/graphql/faultOperations.js';

const CONNECTIONS = 8;
/** Connections that one client gets. */
const SHARED = 7;
const QUEUE = 64;
/** Identifiers that a list reads at a time. */
const LIST = 32;

interface Client {
  token: string;
  address: string;
  headers?: Record<string, string>;
}

let gateway: FaultGateway;
/** Responses that the service holds back, oldest first. */
let held: (() => void)[];

describe('places and queue', () => {
  beforeEach(async () => {
    gateway = await startFaultGateway({
      env: {
        TRUST_PROXY: '1',
        CLIENT_KEYS_FILE: writeKeysFile(`${keyLine('heavy', 'heavy')}\n${keyLine('light', 'light')}`),
        SERVICE_CONNECTIONS: String(CONNECTIONS),
        SERVICE_TIMEOUT_MS: '60000',
      },
      config: { service: { queueLimit: QUEUE } },
    });
    held = [];
    gateway.service.plan = () => ({
      kind: 'delay',
      until: () => new Promise<void>((resolve) => held.push(resolve)),
    });
  });
  afterEach(() => gateway.stop());

  const rejectedCalls = () => gateway.logLines.filter(({ msg }) => msg === 'REST call shed').length;

  /** Reads a list; returns how many of its identifiers were read. */
  const readList = async (client: Client, name: string, count: number): Promise<number> => {
    const subjects = Array.from({ length: count }, (_, index) => `${name} ${index}`);
    const { data } = await gateway.execute(
      {
        query:
          'query ($subjects: [ID!]!) { notificationsByGuid(notificationGuids: $subjects) { notificationGuid } }',
        variables: { subjects },
      },
      client,
    );
    const { notificationsByGuid } = data as { notificationsByGuid: unknown[] };
    return notificationsByGuid.filter((each) => each !== null).length;
  };
  /** Fills what one client gets of connections and queue with lists. */
  const fillWith = async (clients: readonly Client[]) => {
    const reading = clients.map((client, index) => readList(client, `list ${index}`, LIST));
    await until(() => rejectedCalls() === clients.length * LIST - SHARED - QUEUE / 2);
    await until(() => held.length === SHARED);
    return reading;
  };
  /** Responds to held calls one by one, the oldest first, until none is left; returns the order of all calls by client. */
  const respondInOrder = async (total: number, nameOf: (token: string) => string) => {
    const { requests } = gateway.service;
    for (let responded = 0; responded < total; responded += 1) {
      await until(() => held.length >= Math.min(SHARED, total - responded));
      await sleep(5); // until the gateway has used all connections that it may use
      held.shift()?.();
    }
    await until(() => requests.length === total && held.length === 0);
    return requests.map(({ headers }) => nameOf(String(headers['authorization']))).join('');
  };

  const heavy = (index: number): Client => ({ token: 'heavy', address: `192.0.2.${index}` });
  const known = (name: string, client: Client) => ({ ...client, headers: { 'x-client-key': name } });
  const light = { token: 'light', address: '192.0.2.200' };
  test.each<[string, Client[], Client?]>([
    [
      'the lists of one known client with many tokens from many addresses, one of them its own',
      [1, 2, 3].map((index) => known('heavy', { token: `heavy-${index}`, address: `192.0.2.${index}` })),
      known('light', { token: 'light', address: '192.0.2.1' }),
    ],
    ['the lists of one client', [1, 1, 1].map(heavy)],
    ['the lists of one token from many addresses', [1, 2, 3].map(heavy)],
    [
      'the lists of many tokens from one address',
      Array.from({ length: 3 }, (_, index) => ({ token: `heavy-${index}`, address: '192.0.2.1' })),
    ],
  ])('go to another client in turn, before %s', async (_name, clients, other = light) => {
    const lists = await fillWith(clients);
    const before = rejectedCalls();
    const read30 = readList(other, 'light', 30);
    await until(() => held.length === CONNECTIONS);
    expect(rejectedCalls()).toBe(before);

    const total = SHARED + QUEUE / 2 + 30;
    const order = await respondInOrder(total, (token) => (token.includes('light') ? 'L' : 'h'));
    // The last connection is free for its first call, and then it gets every second one.
    expect(order.slice(0, CONNECTIONS)).toBe(`${'h'.repeat(SHARED)}L`);
    expect(order.lastIndexOf('L')).toBeLessThan(CONNECTIONS + 2 * 30);
    expect(await read30).toBe(30);
    const read = await Promise.all(lists);
    expect(read.reduce((sum, each) => sum + each)).toBe(SHARED + QUEUE / 2);
  });

  test('are used by the clients of one address, each of which gets its turn', async () => {
    const address = '192.0.2.1';
    const list = readList({ token: 'heavy', address }, 'list', LIST);
    await until(() => held.length === SHARED);
    const light = readList({ token: 'light', address }, 'light', 4);
    const order = await respondInOrder(LIST + 4, (token) => (token.includes('light') ? 'L' : 'h'));
    // Every second one, from when its request has arrived.
    expect(order.lastIndexOf('L') - order.indexOf('L')).toBeLessThan(2 * 4);
    expect(order.lastIndexOf('L')).toBeLessThan(LIST);
    expect(await light).toBe(4);
    expect(await list).toBe(LIST);
    expect(gateway.service.maxInFlight).toBe(SHARED);
  });

  test('are taken by a list for at most 32 reads at a time', async () => {
    await gateway.stop();
    gateway = await startFaultGateway({ env: { SERVICE_CONNECTIONS: '128' } });
    const { service } = gateway;
    const { opened: released, open: respond } = createGate();
    service.plan = ({ subject }) =>
      subject.startsWith('list') ? { kind: 'delay', until: () => released } : undefined;
    const client = { token: 'any', address: '192.0.2.1' };
    const list = readList(client, 'list', 100);
    await until(() => service.requests.length === 32);
    // Later calls are sent after all that the list has queued.
    for (let index = 0; index < 3; index += 1) await readList(client, `later ${index}`, 32);
    expect(service.requests.filter(({ subject }) => subject.startsWith('list')).length).toBe(32);
    respond();
    expect(await list).toBe(100);
  });

  test('leave connections free for another client next to a burst of single calls of one', async () => {
    const burst = Array.from({ length: 20 }, (_, index) =>
      gateway.execute(about('trackShipment', `burst ${index}`), heavy(1)),
    );
    await until(() => held.length === SHARED);
    const read = readList(light, 'light', 1);
    await until(() => held.length === CONNECTIONS);
    held.pop()?.();
    expect(await read).toBe(1);
    expect(gateway.service.requests.length).toBe(CONNECTIONS);
    for (let responded = 0; responded < burst.length; responded += 1) {
      await until(() => held.length > 0);
      held.shift()?.();
    }
    expect((await Promise.all(burst)).map(({ errors }) => errors)).toEqual(Array(20).fill(undefined));
  });
});

describe('the circuit', () => {
  beforeEach(async () => {
    const config = { service: { retries: 0, circuitOpenMs: 60_000 } };
    gateway = await forTest(startFaultGateway({ env: { TRUST_PROXY: '1' }, config }));
  });

  const open: Failure = {
    message: 'Circuit breaker is open',
    code: 'SERVICE_UNAVAILABLE',
    outcome: 'NOT_APPLIED',
    retryable: true,
    retryAfterSeconds: expect.any(Number) as number, // how long a busy machine has taken decides
  };
  const resultFor = (client: Client, subject: string) =>
    gateway.result(about('notification', subject), client);
  const circuitEvents = () =>
    gateway.logLines
      .filter(({ msg }) => String(msg).startsWith('Circuit breaker'))
      .map(({ level, msg, failure: name, reason }) => ({ level, msg, name, reason }));
  const other = { token: 'other', address: '192.0.2.200' };

  test('stays closed for the failures of one client while the calls of another succeed', async () => {
    gateway.service.plan = ({ subject }) => (subject.startsWith('reset') ? { kind: 'reset' } : undefined);
    const one = { token: 'one', address: '192.0.2.1' };
    for (let index = 0; index < 60; index += 1) {
      await resultFor(one, `reset ${index}`);
      if (index % 15 === 0) expect(await resultFor(other, 'fine')).toEqual(success('notification', 'fine'));
    }
    expect(gateway.service.requests.length).toBe(64);
    expect(circuitEvents()).toEqual([]);
  });

  test('opens after 20 failures in a row, even if all of them are of one client', async () => {
    gateway.service.plan = () => statusFault(500);
    const one = { token: 'one', address: '192.0.2.1' };
    const results = [];
    for (let index = 0; index < 22; index += 1) results.push(await resultFor(one, `read ${index}`));
    expect(results).toEqual([
      ...Array<unknown>(20).fill(failure('notification', statusFailure(500))),
      ...Array<unknown>(2).fill(failure('notification', open)),
    ]);
    expect(await resultFor(other, 'fine')).toEqual(failure('notification', open));
    expect(circuitEvents()).toEqual([
      {
        level: 50,
        msg: 'Circuit breaker opened',
        name: 'ServiceFailureError',
        reason: 'The service failed to process the request',
      },
    ]);
  });
});
