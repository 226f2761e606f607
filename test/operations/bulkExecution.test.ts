/** How bulk fields send their items: how many at a time, in which order, and with the policies of a single write. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  APPLIED,
  linesOf,
  loads,
  names,
  repeat,
  results,
  startBulkGateway as start,
  subjectsOf,
  track,
  UNSENT,
} from '../support/gateway/bulkLists.js';
import type { FaultGateway } from '../support/gateway/faultGateway.js';
import { bulkOperation, itemAbout, twice } from '../support/graphql/bulkFields.js';
import { asVariables } from '../support/graphql/rootFields.js';
import { createGate, until } from '../support/tools/waiting.js';

describe('at most a quarter of the connections is in flight for an operation', () => {
  test('and as soon as one item ends, the next one in order starts', async () => {
    const gateway = await start({ env: { SERVICE_CONNECTIONS: '16' } });
    const gates = new Map(names(12).map((name) => [name, createGate()]));
    gateway.service.plan = ({ subject }) => ({
      kind: 'delay',
      until: () => gates.get(subject)?.opened ?? Promise.resolve(),
    });
    const response = results(gateway, track(loads(12)));
    await until(() => gateway.service.requests.length === 4);
    expect(subjectsOf(gateway).sort()).toEqual(names(4));
    for (const [index, name] of names(12).entries()) {
      gates.get(name)?.open();
      await until(() => gateway.service.requests.length === Math.min(12, index + 5));
      expect(subjectsOf(gateway).slice(4)).toEqual(names(12).slice(4, index + 5));
    }
    expect(await response).toEqual(repeat(APPLIED, 12));
    expect(gateway.service.maxInFlight).toBe(4);
  });

  test('by default, 32 items of all of its bulk fields together', async () => {
    const gateway = await start({ env: { SERVICE_CONNECTIONS: '128' } });
    const gate = createGate();
    gateway.service.plan = () => ({ kind: 'delay', until: () => gate.opened });
    const response = gateway.execute(twice(track(loads(100), { selection: 'applied' })));
    await until(() => gateway.service.requests.length === 32);
    gate.open();
    expect((await response).data).toEqual({ first: { applied: 100 }, second: { applied: 100 } });
    expect(gateway.service.maxInFlight).toBe(32);
  });
});

test.each([
  ['many clients', (index: number) => ({ token: `token-${index}`, address: `192.0.2.${index}` })],
  ['one client', () => ({ token: 'one', address: '192.0.2.1' })],
])(
  'Lists of %s leave an eighth of the connections to another client, and all of their items are sent',
  async (_whom, clientOf) => {
    const gateway = await start({ env: { TRUST_PROXY: '1' }, config: { service: { queueLimit: 1 } } });
    const gate = holdLists(gateway);
    const lists = Array.from({ length: 6 }, (_, index) => gateway.execute(track(loads(4)), clientOf(index)));
    await until(() => gateway.service.requests.length === 7);
    await readAsOther(gateway);
    gate.open();
    for (const list of lists) expect(linesOf((await list).data)).toEqual(repeat(APPLIED, 4));
    expect(gateway.service.maxInFlight).toBe(7 + 1);
  },
);

/** Has the service hold its responses to lists until the gate is open. */
function holdLists(gateway: FaultGateway) {
  const gate = createGate();
  gateway.service.plan = ({ method }) =>
    method === 'GET' ? undefined : { kind: 'delay', until: () => gate.opened };
  return gate;
}

async function readAsOther(gateway: FaultGateway) {
  const query = '{ notification(notificationGuid: "a") { notificationGuid } }';
  const { data } = await gateway.execute({ query }, { token: 'other', address: '192.0.2.99' });
  expect(data).toEqual({ notification: { notificationGuid: 'a' } });
}

test.each([
  ['updateNotifications', 'updateNotification', 'PUT'],
  ['deleteNotifications', 'deleteNotification', 'DELETE'],
] as const)(
  '%s sends items of one notification, in whatever case, one after the other',
  async (many, one, method) => {
    const gateway = await start({ env: { SERVICE_CONNECTIONS: '128' } });
    const gate = createGate();
    gateway.service.plan = ({ subject }) =>
      subject.toLowerCase() === 'a' ? { kind: 'delay', until: () => gate.opened } : undefined;
    const date = (day: number) => ({ ifLastUpdateDate: `2024-05-0${day}T08:30:00.1234567-05:00` });
    const items = [
      itemAbout(one, 'A'),
      itemAbout(one, 'a', one === 'updateNotification' ? { input: { notificationName: 'Other' } } : date(1)),
      itemAbout(one, 'b'),
    ];
    const response = results(gateway, bulkOperation(many, items));
    await until(() => subjectsOf(gateway).includes('b'));
    expect(gateway.service.requests.map(({ method: sent, subject }) => `${sent} ${subject}`).sort()).toEqual([
      `${method} A`,
      `${method} b`,
    ]);
    gate.open();
    expect(await response).toEqual(repeat(APPLIED, 3));
    expect(
      gateway.service.requests.map(({ method: sent, subject }) => `${sent} ${subject}`).slice(2),
    ).toEqual(['GET a', `${method} a`]);
  },
);

describe('Each item has, like a single write,', () => {
  test('its own deadline', async () => {
    const gateway = await start({ env: { SERVICE_CONNECTIONS: '4', SERVICE_TIMEOUT_MS: '2000' } });
    gateway.service.plan = ({ subject }) => (subject === 'load-1' ? undefined : { kind: 'hang' });
    const timedOut = 'UNKNOWN SERVICE_TIMEOUT';
    expect(await results(gateway, track(loads(3)))).toEqual([timedOut, APPLIED, timedOut]);
    expect(subjectsOf(gateway)).toEqual(names(3));
  });

  test('the circuit breaker, which rejects the rest while the service is down', async () => {
    const gateway = await start({
      env: { SERVICE_CONNECTIONS: '4' },
      config: { service: { circuitOpenMs: 60_000 } },
    });
    gateway.service.plan = () => ({ kind: 'respond', status: 500 });
    expect(await results(gateway, track(loads(30)))).toEqual([
      ...repeat('UNKNOWN SERVICE_ERROR', 20),
      ...repeat(`${UNSENT} 60`, 10),
    ]);
    expect(subjectsOf(gateway)).toEqual(names(20));
  });
});

describe('An item of which the service received nothing waits, and is sent again', () => {
  test('while the circuit breaker is open', async () => {
    const env = { SERVICE_CONNECTIONS: '160', SERVICE_TIMEOUT_MS: '3000' };
    const gateway = await start({ env, config: { service: { retries: 0 } } });
    gateway.service.refuse();
    const response = results(gateway, track(loads(100)));
    await until(() => gateway.logLines.some(({ msg }) => msg === 'Circuit breaker opened'));
    await gateway.service.accept();
    expect(await response).toEqual(repeat(APPLIED, 100));
    expect(subjectsOf(gateway).sort()).toEqual(names(100).sort());
  });
});

test('claims the key of an item when it starts, not with the list', async () => {
  const gateway = await start({ env: { SERVICE_CONNECTIONS: '4' } });
  const gate = createGate();
  gateway.service.plan = ({ subject, before }) =>
    subject === 'load-0' && before === 0 ? { kind: 'delay', until: () => gate.opened } : undefined;
  const items = names(2).map((name) => itemAbout('trackShipment', name, { idempotencyKey: randomUUID() }));
  const list = results(gateway, track(items));
  await until(() => gateway.service.requests.length === 1);
  // The key of the second item is free as long as the first one is in flight.
  const single = asVariables('trackShipment', { ...items[1] }, '{ outcome evidence }');
  expect((await gateway.execute(single)).data).toEqual({
    trackShipment: { outcome: 'APPLIED', evidence: 'RESPONSE' },
  });
  gate.open();
  expect(await list).toEqual([APPLIED, 'APPLIED REPLAY']);
  expect(subjectsOf(gateway)).toEqual(names(2));
});
