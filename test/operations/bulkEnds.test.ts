/** What ends the list of a bulk field: a 401, a long Retry-After, its timeout, a disconnect and a shutdown. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  APPLIED,
  LINE,
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
import { startInProcessGateway } from '../support/gateway/inProcessGateway.js';
import { bulkOperation, itemAbout, twice } from '../support/graphql/bulkFields.js';
import type { Operation } from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';
import { startFaultServer } from '../support/service/faultServer.js';
import { createGate, until } from '../support/tools/waiting.js';

const UNSENT_LIMITED = 'NOT_APPLIED NOT_SENT RATE_LIMITED retryable';

describe('After a 401 of the service,', () => {
  const executeWith401 = async (operation: Operation) => {
    const gateway = await start();
    const gate = createGate();
    gateway.service.plan = ({ subject }) =>
      subject === 'load-0' ? { kind: 'respond', status: 401 } : { kind: 'delay', until: () => gate.opened };
    const response = results(gateway, operation);
    await until(() => gateway.logLines.some(({ msg, status }) => msg === 'REST call' && status === 401));
    gate.open();
    return { results: await response, subjects: subjectsOf(gateway).sort() };
  };
  const REJECTED = 'NOT_APPLIED RESPONSE UNAUTHENTICATED';

  test('those in flight finish, and no further item starts, where the service requires the token', async () => {
    const items = names(5).map((name) => itemAbout('deleteNotification', name));
    expect(await executeWith401(bulkOperation('deleteNotifications', items, { selection: LINE }))).toEqual({
      results: [REJECTED, APPLIED, ...repeat('NOT_APPLIED NOT_SENT UNAUTHENTICATED', 3)],
      subjects: names(2),
    });
  });

  test('its item fails alone where the token is optional', async () => {
    expect(await executeWith401(track(loads(5)))).toEqual({
      results: [REJECTED, ...repeat(APPLIED, 4)],
      subjects: names(5),
    });
  });
});

describe('After a 429 of the service', () => {
  test('that names a short time or none, only its item fails', async () => {
    const gateway = await start({ env: { SERVICE_CONNECTIONS: '16' } });
    gateway.service.plan = ({ subject }) => {
      if (subject === 'load-0') return { kind: 'respond', status: 429, headers: { 'retry-after': '2' } };
      return subject === 'load-1' ? { kind: 'respond', status: 429 } : undefined;
    };
    const limited = 'NOT_APPLIED RESPONSE RATE_LIMITED retryable';
    expect(await results(gateway, track(loads(40)))).toEqual([
      `${limited} 2`,
      limited,
      ...repeat(APPLIED, 38),
    ]);
    expect(subjectsOf(gateway).sort()).toEqual(names(40).sort());
  });

  test.each([
    ['than five seconds', '6', 30_000],
    ['than the time that is left', '3', 2500],
  ])(
    'that says to wait for longer %s, the rest fails at once, with that time',
    async (_than, wait, bulkTimeoutMs) => {
      const gateway = await start({
        env: { SERVICE_CONNECTIONS: '1' },
        config: { graphql: { bulkTimeoutMs } },
      });
      gateway.service.plan = ({ subject }) =>
        subject === 'load-1' ? { kind: 'respond', status: 429, headers: { 'retry-after': wait } } : undefined;
      expect(await results(gateway, track(loads(4)))).toEqual([
        APPLIED,
        `NOT_APPLIED RESPONSE RATE_LIMITED retryable ${wait}`,
        ...repeat(`${UNSENT_LIMITED} ${wait}`, 2),
      ]);
      expect(subjectsOf(gateway)).toEqual(names(2));
    },
  );
});

test('No item starts after the time of a list, counted from the first bulk field; those in flight finish', async () => {
  const gateway = await start({
    env: { SERVICE_CONNECTIONS: '1' },
    config: { graphql: { bulkTimeoutMs: 2000 } },
  });
  gateway.service.plan = ({ at }) => ({
    kind: 'delay',
    until: () => until(() => performance.now() > at + 2000, 100),
  });
  const { data, errors } = await gateway.execute(twice(track(loads(2))));
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
  ['recorded for their keys', 'trackShipment', undefined, 'applied', 'APPLIED REPLAY'],
  ['read back if their responses are lost', 'deleteNotification', { kind: 'reset' }, 'unknown', APPLIED],
] as const)(
  'When the client disconnects, no further item starts, and those in flight are %s',
  async (_how, one, then, ending, repeated) => {
    const gateway = await start({});
    const gate = createGate();
    gateway.service.plan = ({ method }) =>
      method === 'GET' ? undefined : { kind: 'delay', until: () => gate.opened, ...(then && { then }) };
    const items = names(4).map((name) => itemAbout(one, name, { idempotencyKey: randomUUID() }));
    const operation = bulkOperation(`${one}s`, items, { selection: LINE });
    const connection = new AbortController();
    const response = gateway.execute(operation, { signal: connection.signal });
    await until(() => gateway.service.requests.length === 2);
    connection.abort();
    await expect(response).rejects.toThrow();
    await until(() => gateway.logLines.some(({ msg }) => msg === 'Client disconnected before the response'));
    gate.open();
    await until(() => gateway.logLines.some(({ msg }) => msg === 'Request'));
    expect(gateway.logLines.find(({ msg }) => msg === 'Request')).toMatchObject({
      items: { total: 4, notApplied: 2, [ending]: 2, errorCodes: ['SERVICE_ERROR'] },
    });
    expect(subjectsOf(gateway).sort()).toEqual(names(2).flatMap((name) => (then ? [name, name] : [name])));
    // A repeat with the same keys continues where the list stopped.
    gateway.service.plan = () => undefined;
    expect(await results(gateway, operation)).toEqual([...repeat(repeated, 2), ...repeat(APPLIED, 2)]);
    const writes = gateway.service.requests.filter(({ method }) => method !== 'GET');
    expect(writes.map(({ subject }) => subject).sort()).toEqual(
      [...names(4), ...(then ? names(2) : [])].sort(),
    );
  },
);

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
