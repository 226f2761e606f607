/** How bulk fields send their items: how many at a time, in which order, and what ends a list. */
import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  startFaultGateway,
  type FaultGateway,
  type FaultGatewayOptions,
} from '../support/gateway/faultGateway.js';
import { startGateway } from '../support/gateway/gateway.js';
import { startInProcessGateway } from '../support/gateway/inProcessGateway.js';
import { bulkOperation, itemAbout } from '../support/graphql/bulkFields.js';
import { startFaultServer } from '../support/service/faultServer.js';
import type { Operation } from '../support/graphql/rootFields.js';
import { createGate, until } from '../support/tools/waiting.js';
import { post } from '../support/http/post.js';

async function start({ env, ...options }: FaultGatewayOptions = {}): Promise<FaultGateway> {
  const gateway = await startFaultGateway({
    env: { IDEMPOTENCY_STORE: 'memory', SERVICE_RETRIES: '0', SERVICE_CONNECTIONS: '8', ...env },
    ...options,
  });
  onTestFinished(() => gateway.stop());
  return gateway;
}

const names = (count: number, prefix = 'load') =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
const loads = (count: number, prefix?: string) =>
  names(count, prefix).map((name) => itemAbout('trackShipment', name));
const track = (items: readonly object[], args?: Parameters<typeof bulkOperation>[2]) =>
  bulkOperation('trackShipments', items, {
    selection: 'results { outcome evidence errors { code retryable retryAfterSeconds } }',
    ...args,
  });
const subjectsOf = (gateway: FaultGateway) => gateway.service.requests.map(({ subject }) => subject);

interface Result {
  outcome: string;
  evidence: string | null;
  errors: { code: string; retryable: boolean; retryAfterSeconds: number | null }[];
}

/** The results, each in one line. */
function linesOf(data: unknown): string[] {
  const [field] = Object.values(data as Record<string, { results: Result[] }>);
  return (field?.results ?? []).map(({ outcome, evidence, errors: [error] }) =>
    [outcome, evidence, error?.code, error?.retryable && 'retryable', error?.retryAfterSeconds]
      .filter(Boolean)
      .join(' '),
  );
}

async function results(gateway: FaultGateway, operation: Operation): Promise<string[]> {
  const { data, errors } = await gateway.execute(operation);
  expect(errors).toBeUndefined();
  return linesOf(data);
}

const APPLIED = 'APPLIED RESPONSE';
const UNSENT = 'NOT_APPLIED NOT_SENT SERVICE_UNAVAILABLE retryable';
const repeat = (text: string, times: number) => Array<string>(times).fill(text);

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

  test('by default, 32 items', async () => {
    const gateway = await start({ env: { SERVICE_CONNECTIONS: '128' } });
    const gate = createGate();
    gateway.service.plan = () => ({ kind: 'delay', until: () => gate.opened });
    const response = results(gateway, track(loads(100)));
    await until(() => gateway.service.requests.length === 32);
    gate.open();
    expect(await response).toEqual(repeat(APPLIED, 100));
    expect(gateway.service.maxInFlight).toBe(32);
  });
});

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

test('claims the key of an item when it starts, not with the list', async () => {
  const gateway = await start({ env: { SERVICE_CONNECTIONS: '4' } });
  const gate = createGate();
  gateway.service.plan = ({ subject, before }) =>
    subject === 'load-0' && before === 0 ? { kind: 'delay', until: () => gate.opened } : undefined;
  const items = names(2).map((name) => itemAbout('trackShipment', name, { idempotencyKey: randomUUID() }));
  const first = results(gateway, track(items));
  await until(() => gateway.service.requests.length === 1);
  // The key of the second item is free as long as the first one is in flight.
  expect(await results(gateway, track(items.slice(1)))).toEqual([APPLIED]);
  gate.open();
  expect(await first).toEqual([APPLIED, 'APPLIED REPLAY']);
  expect(subjectsOf(gateway)).toEqual(names(2));
});

test('A 401 of the service ends the list: those in flight finish, and no further item starts', async () => {
  const gateway = await start();
  const gate = createGate();
  gateway.service.plan = ({ subject }) =>
    subject === 'load-0' ? { kind: 'respond', status: 401 } : { kind: 'delay', until: () => gate.opened };
  const response = results(gateway, track(loads(5)));
  await until(() => gateway.logLines.some(({ msg, status }) => msg === 'REST call' && status === 401));
  gate.open();
  expect(await response).toEqual([
    'NOT_APPLIED RESPONSE UNAUTHENTICATED',
    APPLIED,
    ...repeat('NOT_APPLIED NOT_SENT UNAUTHENTICATED', 3),
  ]);
  expect(subjectsOf(gateway).sort()).toEqual(names(2));
});

describe('After a 429 of the service', () => {
  test('whose item fails, the others pause for as long as it says, and half as many run at a time', async () => {
    const gateway = await start({ env: { SERVICE_CONNECTIONS: '16' } });
    const [start4, later] = [createGate(), createGate()];
    let [inFlight, maxInFlight] = [0, 0];
    // The four of the start arrive together; two get a 429, which counts once.
    gateway.service.plan = ({ subject }) => {
      if (subject === 'load-0' || subject === 'load-1')
        return { kind: 'respond', status: 429, headers: { 'retry-after': '2' } };
      if (gateway.service.requests.length <= 4) return { kind: 'delay', until: () => start4.opened };
      inFlight += 1;
      maxInFlight = Math.max(maxInFlight, inFlight);
      const end = () => {
        inFlight -= 1;
      };
      return { kind: 'delay', until: () => later.opened.then(end) };
    };
    const response = results(gateway, track(loads(40)));
    const limitedCalls = () =>
      gateway.logLines.filter(({ msg, status }) => msg === 'REST call' && status === 429);
    await until(() => limitedCalls().length === 2);
    start4.open();
    await until(() => gateway.service.requests.length === 6);
    later.open();
    const limited = 'NOT_APPLIED RESPONSE RATE_LIMITED retryable 2';
    expect(await response).toEqual([limited, limited, ...repeat(APPLIED, 38)]);
    const { requests } = gateway.service;
    expect(subjectsOf(gateway).sort()).toEqual(names(40).sort());
    // A timer may fire a millisecond early.
    expect(requests[4]?.at).toBeGreaterThanOrEqual((requests[3]?.at ?? 0) + 1990);
    expect(maxInFlight).toBe(2);
  });

  test('that says to wait for longer than the time that is left, the rest fails at once, with that time', async () => {
    const gateway = await start({ env: { SERVICE_CONNECTIONS: '1' } });
    gateway.service.plan = ({ subject }) =>
      subject === 'load-1' ? { kind: 'respond', status: 429, headers: { 'retry-after': '60' } } : undefined;
    expect(await results(gateway, track(loads(4)))).toEqual([
      APPLIED,
      'NOT_APPLIED RESPONSE RATE_LIMITED retryable 60',
      ...repeat(`${UNSENT} 60`, 2),
    ]);
    expect(subjectsOf(gateway)).toEqual(names(2));
  });
});

test('No item starts after BULK_TIMEOUT_MS, counted from the first bulk field; those in flight finish', async () => {
  const gateway = await start({ env: { SERVICE_CONNECTIONS: '1', BULK_TIMEOUT_MS: '2000' } });
  gateway.service.plan = ({ at }) => ({
    kind: 'delay',
    until: () => until(() => performance.now() > at + 2000, 100),
  });
  const { query, variables } = track(loads(2));
  const field = query.slice(query.indexOf('trackShipments'), -2);
  const { data, errors } = await gateway.execute({
    query: query.replace(field, `first: ${field} second: ${field}`),
    variables,
  });
  expect(errors).toBeUndefined();
  const unsent = {
    outcome: 'NOT_APPLIED',
    evidence: 'NOT_SENT',
    errors: [{ code: 'SERVICE_UNAVAILABLE', retryable: true, retryAfterSeconds: null }],
  };
  const applied = { outcome: 'APPLIED', evidence: 'RESPONSE', errors: [] };
  expect(data).toEqual({ first: { results: [applied, unsent] }, second: { results: [unsent, unsent] } });
  expect(subjectsOf(gateway)).toEqual(['load-0']);
});

test.each([
  [
    'demo-401',
    ['NOT_APPLIED RESPONSE UNAUTHENTICATED', ...repeat('NOT_APPLIED NOT_SENT UNAUTHENTICATED', 2)],
  ],
  ['demo-404', repeat('NOT_APPLIED RESPONSE NOT_FOUND', 3)],
  ['demo-429', ['NOT_APPLIED RESPONSE RATE_LIMITED retryable 30', ...repeat(`${UNSENT} 30`, 2)]],
  ['demo-hangup', repeat('UNKNOWN SERVICE_ERROR', 3)],
])('The mock service shows with the token %s how a list ends', async (token, expected) => {
  const gateway = await startGateway({ env: { SERVICE_CONNECTIONS: '1' } });
  onTestFinished(() => gateway.stop());
  const { query, variables } = track(loads(3));
  const { data, errors } = await gateway.execute(query, { variables, token });
  expect([linesOf(data), errors]).toEqual([expected, undefined]);
});

test('When the client disconnects, no further item starts, and those in flight are recorded for their keys', async () => {
  const gateway = await start();
  const gate = createGate();
  gateway.service.plan = () => ({ kind: 'delay', until: () => gate.opened });
  const items = names(4).map((name) => itemAbout('trackShipment', name, { idempotencyKey: randomUUID() }));
  const connection = new AbortController();
  const response = gateway.execute(track(items), { signal: connection.signal });
  await until(() => gateway.service.requests.length === 2);
  connection.abort();
  await expect(response).rejects.toThrow();
  await until(() => gateway.logLines.some(({ msg }) => msg === 'Client disconnected before the response'));
  gate.open();
  await until(() => gateway.logLines.some(({ msg }) => msg === 'Request'));
  expect(gateway.logLines.find(({ msg }) => msg === 'Request')).toMatchObject({
    items: { total: 4, applied: 2, notApplied: 2, unknown: 0, failed: 2, errorCodes: ['SERVICE_ERROR'] },
  });
  expect(subjectsOf(gateway).sort()).toEqual(names(2));
  // A repeat with the same keys continues where the list stopped.
  expect(await results(gateway, track(items))).toEqual([
    ...repeat('APPLIED REPLAY', 2),
    ...repeat(APPLIED, 2),
  ]);
  expect(subjectsOf(gateway).sort()).toEqual(names(4));
});

test('When the gateway shuts down, no further item starts, and the response has the rest as unsent', async () => {
  const service = await startFaultServer();
  const gateway = await startInProcessGateway(service, { env: { SERVICE_CONNECTIONS: '8' } });
  const { url } = gateway;
  const gate = createGate();
  service.plan = () => ({ kind: 'delay', until: () => gate.opened });
  const response = post(url, track(loads(4)));
  await until(() => service.requests.length === 2);
  const stopped = gateway.stop();
  await until(() =>
    post(url, { query: '{ __typename }' }).then(
      () => false,
      () => true,
    ),
  );
  gate.open();
  expect(linesOf((await response).data)).toEqual([...repeat(APPLIED, 2), ...repeat(UNSENT, 2)]);
  await stopped;
  expect(service.requests.map(({ subject }) => subject).sort()).toEqual(names(2));
});
