import { beforeEach, describe, expect, test } from 'vitest';
import { statusFault, statusFailure } from '../support/service/faultCases.js';
import { startFaultGateway, TOKEN, type FaultGateway } from '../support/gateway/faultGateway.js';
import { forTest } from '../support/tools/useStarted.js';
import { createGate, until } from '../support/tools/waiting.js';
import { notification } from '../support/service/faultServer.js';
import type { FaultPlan } from '../support/service/faults.js';
import { about, failure, success } from '../support/graphql/faultOperations.js';

const READ = about('notification', 'the same');
const CLIENTS = 20;

const options = { readsBack: false, config: { service: { retries: 0 } } };
let gateway: FaultGateway;
let respond: () => void;
beforeEach(async () => {
  gateway = await forTest(startFaultGateway(options));
  holdResponses();
});

/** Lets the service respond to no call before `respond` is called, and then with this fault. */
function holdResponses(then?: FaultPlan) {
  const { opened, open } = createGate();
  respond = open;
  gateway.service.plan = () => ({ kind: 'delay', until: () => opened, ...(then && { then }) });
}

/** The log lines about reads that joined a REST call in flight. */
const deduplicatedCalls = () => gateway.logLines.filter(({ msg }) => msg === 'REST call deduplicated');

/** Sends the read for `count` clients, and waits until each has started or joined a REST call. */
async function startReads(count: number, options: Parameters<FaultGateway['execute']>[1] = {}) {
  const started = () => deduplicatedCalls().length + gateway.service.requests.length;
  const before = started();
  const reads = Array.from({ length: count }, () => gateway.result(READ, options));
  await until(() => started() === before + count);
  return reads;
}

const sent = () => gateway.service.requests.map(({ method, path }) => `${method} ${path}`);
const GET = 'GET /v1/customnotifications/the%20same';

test('concurrent identical reads with the same token share one REST call', async () => {
  const reads = await startReads(CLIENTS);
  respond();
  expect(await Promise.all(reads)).toEqual(Array(CLIENTS).fill(success('notification', 'the same')));
  expect(sent()).toEqual([GET]);
  expect(deduplicatedCalls().map(({ method, route }) => ({ method, route }))).toEqual(
    Array(CLIENTS - 1).fill({ method: 'GET', route: '/v1/customnotifications/{notificationGuid}' }),
  );
});

test('a failure of the shared REST call reaches all clients', async () => {
  holdResponses(statusFault(503));
  const reads = await startReads(CLIENTS);
  respond();
  expect(await Promise.all(reads)).toEqual(Array(CLIENTS).fill(failure('notification', statusFailure(503))));
  expect(sent()).toEqual([GET]);
});

test('a read with its own deadline, such as that before an update, shares no REST call', async () => {
  const update = {
    query: `mutation {
      updateNotification(notificationGuid: "the same", input: { notificationName: "New" }) { notificationGuid }
    }`,
  };
  const results: Promise<unknown>[] = [];
  for (const operation of [update, READ, update]) {
    results.push(gateway.execute(operation));
    await until(() => deduplicatedCalls().length + gateway.service.requests.length === results.length);
  }
  expect([sent(), deduplicatedCalls()]).toEqual([[GET, GET, GET], []]);
  respond();
  expect(await Promise.all(results)).toMatchObject([
    { data: { updateNotification: { notificationGuid: 'the same' } } },
    success('notification', 'the same'),
    { data: { updateNotification: { notificationGuid: 'the same' } } },
  ]);
});

test('clients with different tokens do not share REST calls', async () => {
  const reads = [
    await startReads(2, { token: 'one' }),
    await startReads(2, { token: 'other' }),
    await startReads(2),
  ].flat();
  respond();
  expect(await Promise.all(reads)).toEqual(Array(6).fill(success('notification', 'the same')));
  expect(gateway.service.requests.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer one',
    'Bearer other',
    `Bearer ${TOKEN}`,
  ]);
});

describe('a disconnecting client', () => {
  test('does not affect the others, even if its read started the call', async () => {
    const disconnect = new AbortController();
    const [first] = await startReads(1, { signal: disconnect.signal });
    const others = await startReads(2);
    disconnect.abort();
    await expect(first).rejects.toThrow();
    await until(() => gateway.logLines.some(({ result }) => result === 'aborted'));
    respond();
    expect(await Promise.all(others)).toEqual(Array(2).fill(success('notification', 'the same')));
    expect(sent()).toEqual([GET]);
  });

  test('aborts the shared call if it is the last one waiting', async () => {
    const disconnect = new AbortController();
    const reads = await startReads(3, { signal: disconnect.signal });
    disconnect.abort();
    await Promise.allSettled(reads);
    await until(() => gateway.service.requests.every(({ connection }) => connection?.closedAt !== undefined));
    expect(gateway.logLines.filter(({ result }) => result === 'aborted').length).toBe(3);
    const errors = gateway.logLines.filter(({ msg }) => msg === 'REST call').map(({ error }) => error);
    expect(errors).toEqual(['CancelledError']); // rather than a timeout

    const later = await startReads(1);
    respond();
    expect(await Promise.all(later)).toEqual([success('notification', 'the same')]);
    expect(sent()).toEqual([GET, GET]);
  });
});

test.each<[string, FaultPlan | undefined]>([
  ['finished', undefined],
  ['ended with an unknown outcome', { kind: 'reset' }],
])('a read never joins one that started before a write %s', async (_how, fault) => {
  const early = await startReads(1);
  const heldPlan = gateway.service.plan;
  gateway.service.plan = () => fault;
  await gateway.execute(about('updateNotification', 'the same'));
  gateway.service.plan = heldPlan;
  const late = await startReads(1);
  respond();
  await Promise.all([...early, ...late]);
  expect(sent()).toEqual([GET, 'PUT /v1/customnotifications/the%20same', GET]);
});

test('a list and a read of one notification with the same path do not share a REST call', async () => {
  const env = { NOTIFICATION_PATH: '/v1/customnotifications' };
  gateway = await forTest(startFaultGateway({ ...options, env }));
  const body = JSON.stringify({ data: [notification('one', 'any')], messages: [], totalPossibleCount: 7 });
  holdResponses({ kind: 'respond', body });
  const results = [
    '{ notification(notificationGuid: "one") { notificationName } }',
    '{ notifications(additionalParameters: { notificationGuid: "one" }) { totalPossibleCount } }',
  ].map(async (query) => (await gateway.execute({ query })).data);
  await until(() => gateway.service.requests.length + deduplicatedCalls().length === 2);
  respond();
  expect(await Promise.all(results)).toEqual([
    { notification: { notificationName: 'About one' } },
    { notifications: { totalPossibleCount: 7 } },
  ]);
  expect(gateway.service.requests.map(({ path, query }) => `${path}?${query}`)).toEqual(
    Array(2).fill('/v1/customnotifications?notificationGuid=one'),
  );
});
