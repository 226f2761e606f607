/** The memory budget of the process: what exceeds it fails with a clear outcome, and everything reserved is released. */
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { until } from '../support/tools/waiting.js';
import { about, failure, success, type Failure } from '../support/graphql/faultOperations.js';
import { asVariables, type Operation } from '../support/graphql/rootFields.js';
import type { FaultPlan } from '../support/service/faults.js';
import { notification } from '../support/service/faultServer.js';
import { scrape } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';

const MAX_BYTES_IN_FLIGHT = '360000';
const config = { service: { maxResponseBytes: 130_000 }, graphql: { maxResultBytes: 100_000 } };

const discarded: Failure = {
  message: 'The gateway has no memory left for the response of the service',
  code: 'SERVICE_UNAVAILABLE',
  outcome: 'UNKNOWN',
  retryable: true,
  retryAfterSeconds: 1,
};
const notSent: Failure = {
  ...discarded,
  message: 'The gateway has no memory left for another list',
  outcome: 'NOT_APPLIED',
};
const tooLarge: Failure = {
  message: 'Expected a result of at most 100000 bytes, got more: select fewer fields',
  code: 'QUERY_TOO_COMPLEX',
  outcome: 'UNKNOWN',
  retryable: false,
};
let metricsUrl = '';
const gateway = useFaultGateway(async () => {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  return { env: { MAX_BYTES_IN_FLIGHT, METRICS_PORT: String(port) }, config };
});
/** Lets the calls proceed whose subject starts with "held". */
let release: () => void;
let released: Promise<void>;
beforeEach(() => {
  released = new Promise((resolve) => {
    release = resolve;
  });
  gateway.service.faults.clear();
  gateway.service.plan = ({ subject, before }) =>
    subject.startsWith('held')
      ? { kind: 'delay', until: () => released }
      : gateway.service.faults.get(subject)?.[before];
});

/** A body with one notification, of about this many bytes, that proves any write. */
function bodyOf(subject: string, bytes: number): string {
  const lastUpdateDate = new Date().toISOString();
  const row = {
    ...notification(subject, 'robin.planner'),
    notificationMetaData: 'x'.repeat(bytes),
    lastUpdateDate,
  };
  return JSON.stringify({ data: [row], messages: [], totalPossibleCount: 1, success: true });
}

const framings: Readonly<Record<string, (body: string) => FaultPlan>> = {
  'of declared length': (body) => ({
    kind: 'respond',
    headers: { 'content-length': String(body.length) },
    body,
  }),
  'of unknown length': (body) => ({ kind: 'respond', body }),
  'that is compressed': (body) => ({
    kind: 'respond',
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(body),
  }),
};

async function execute(operation: Operation): Promise<{ data: unknown; errors: unknown }> {
  const { data, errors } = await gateway.execute(operation);
  return { data, errors };
}

async function bytesInFlight(): Promise<number> {
  return (await scrape(metricsUrl))['shipment_gateway_bytes_in_flight'] ?? NaN;
}

async function untilReleased(): Promise<void> {
  await expect.poll(bytesInFlight).toBe(0);
}

const HOLD = `
  query ($large: JSONObject, $held: ID!) {
    notifications(additionalParameters: $large) { totalPossibleCount }
    notification(notificationGuid: $held) { notificationGuid }
  }
`;

/** Sends a request that keeps a body of 100 kB reserved until `release`, or until the signal disconnects its client. */
async function hold(name: string, signal?: AbortSignal) {
  gateway.service.faults.set(name, [{ kind: 'respond', body: bodyOf(name, 100_000) }]);
  const response = gateway.execute(
    { query: HOLD, variables: { large: { subject: name }, held: `held ${name}` } },
    signal && { signal },
  );
  await expect.poll(bytesInFlight).toBeGreaterThan(100_000);
  return { response };
}

const heldResult = (name: string) => ({
  notifications: { totalPossibleCount: 1 },
  notification: { notificationGuid: `held ${name}` },
});

describe.each(Object.entries(framings))('a body %s that exceeds the budget', (framing, respondWith) => {
  test('fails a read once, without a retry, and only while the budget is in use', async () => {
    const name = `read ${framing}`;
    const held = await hold(`holder of ${name}`);
    gateway.service.faults.set(name, [
      respondWith(bodyOf(name, 90_000)),
      { kind: 'respond', body: bodyOf(name, 90_000) },
    ]);
    expect(await execute(about('notification', name))).toEqual(failure('notification', discarded));
    expect(gateway.service.timesExecuted('GET', name)).toBe(1);
    release();
    expect((await held.response).data).toEqual(heldResult(`holder of ${name}`));
    await untilReleased();
    expect(await execute(about('notification', name))).toEqual(success('notification', name));
    await untilReleased();
  });

  test('leaves the outcome of a write unknown', async () => {
    const name = `write ${framing}`;
    const held = await hold(`holder of ${name}`);
    gateway.service.faults.set(name, [respondWith(bodyOf(name, 90_000))]);
    expect(await execute(about('createNotification', name))).toEqual(
      failure('createNotification', discarded),
    );
    expect(gateway.service.timesExecuted('POST', name)).toBe(1);
    release();
    await held.response;
    await untilReleased();
  });
});

test('a body of short values counts for what they take when they are parsed', async () => {
  const name = 'short values';
  const withMetadata = (notificationMetaData: string) =>
    JSON.stringify({ data: [{ ...notification(name, 'robin.planner'), notificationMetaData: '@' }] }).replace(
      '"@"',
      notificationMetaData,
    );
  const members = Array.from({ length: 10_000 }, (_, index) => `"${String(index).padStart(4, '0')}":0`);
  const dense = withMetadata(`{${members.join(',')}}`);
  const ordinary = withMetadata(JSON.stringify('x'.repeat(90_000)));
  expect(dense.length).toBeLessThan(ordinary.length);
  gateway.service.faults.set(name, [
    { kind: 'respond', body: dense },
    { kind: 'respond', body: ordinary },
  ]);
  expect(await execute(about('notification', name))).toEqual(failure('notification', discarded));
  expect(await execute(about('notification', name))).toEqual(success('notification', name));
  expect(gateway.service.timesExecuted('GET', name)).toBe(2);
  await untilReleased();
});

describe('while the budget is in use', () => {
  test('small requests are served: reads, lists and writes', async () => {
    const { response } = await hold('small requests');
    for (const field of [
      'notification',
      'notifications',
      'createNotification',
      'deleteNotification',
    ] as const)
      expect(await execute(about(field, `small ${field}`))).toEqual(success(field, `small ${field}`));
    release();
    expect((await response).data).toEqual(heldResult('small requests'));
    await untilReleased();
  });

  test('a deletion whose response is discarded has an unknown outcome', async () => {
    const { response } = await hold('a deletion');
    gateway.service.faults.set('deleted', [
      { kind: 'respond', status: 200, body: bodyOf('deleted', 90_000) },
    ]);
    expect(await execute(about('deleteNotification', 'deleted'))).toEqual(
      failure('deleteNotification', discarded),
    );
    release();
    await response;
    await untilReleased();
  });

  test('a result that does not fit is an error', async () => {
    const { response } = await hold('a result');
    const large = Array.from({ length: 4 }, (_, index) => `large-${index}`);
    const others = Array.from({ length: 3 }, (_, index) => `other-${index}`);
    for (const guid of [...large, ...others])
      gateway.service.faults.set(guid, [{ kind: 'respond', body: bodyOf(guid, 24_000) }]);
    // The bodies fit, 168 kB in addition to 100 kB; the result of 96 kB does not.
    const operation = {
      query: `
        query ($large: [ID!]!, $others: [ID!]!) {
          notificationsByGuid(notificationGuids: $large) { notificationMetaData }
          others: notificationsByGuid(notificationGuids: $others) { notificationGuid }
        }
      `,
      variables: { large, others },
    };
    expect(await execute(operation)).toEqual({
      data: { notificationsByGuid: null, others: others.map((notificationGuid) => ({ notificationGuid })) },
      errors: [
        {
          message: discarded.message,
          locations: [{ line: 3, column: 11 }],
          path: ['notificationsByGuid'],
          extensions: {
            code: 'SERVICE_UNAVAILABLE',
            retryable: true,
            retryAfterSeconds: 1,
            requestId: expect.any(String) as string,
          },
        },
      ],
    });
    release();
    await response;
    await untilReleased();
  });
});

describe('once the budget is used up', () => {
  /** Sends a request whose bodies leave no room for anything that counts until `release`. */
  const fill = async (name: string) => {
    const guids = Array.from({ length: 11 }, (_, index) => `${name}-${index}`);
    for (const guid of guids)
      gateway.service.faults.set(guid, [{ kind: 'respond', body: bodyOf(guid, 30_000) }]);
    const response = execute({
      query: `
        query ($guids: [ID!]!, $held: ID!) {
          notificationsByGuid(notificationGuids: $guids) { notificationGuid }
          notification(notificationGuid: $held) { notificationGuid }
        }
      `,
      variables: { guids, held: `held ${name}` },
    });
    await expect.poll(bytesInFlight).toBeGreaterThan(330_000);
    const expected = {
      data: {
        notificationsByGuid: guids.map((notificationGuid) => ({ notificationGuid })),
        notification: { notificationGuid: `held ${name}` },
      },
      errors: undefined,
    };
    return { response, expected };
  };

  test('a list is not sent, but single reads are', async () => {
    const { response, expected } = await fill('list');
    expect(await execute(about('notifications', 'not sent'))).toEqual(failure('notifications', notSent));
    expect(gateway.service.requests.filter(({ subject }) => subject === 'not sent')).toEqual([]);
    expect(await execute(about('notification', 'sent'))).toEqual(success('notification', 'sent'));
    release();
    expect(await response).toEqual(expected);
    await untilReleased();
  });

  test('several writes of a request succeed, because they took effect', async () => {
    const { response, expected } = await fill('writes');
    const names = ['first', 'second', 'third'];
    for (const name of names)
      gateway.service.faults.set(name, [{ kind: 'respond', body: bodyOf(name, 30_000) }]);
    const creations = names.map((name) => `${name}: createNotification(input: $${name}) { messages }`);
    const definitions = names.map((name) => `$${name}: NotificationInput!`);
    const operation = {
      query: `mutation (${definitions.join(', ')}) { ${creations.join(' ')} }`,
      variables: Object.fromEntries(
        names.map((name) => [name, about('createNotification', name).variables['input']]),
      ),
    };
    expect(await execute(operation)).toEqual({
      data: Object.fromEntries(names.map((name) => [name, { messages: [] }])),
      errors: undefined,
    });
    expect(names.map((name) => gateway.service.timesExecuted('POST', name))).toEqual([1, 1, 1]);
    release();
    expect(await response).toEqual(expected);
    await untilReleased();
  });

  test('an update is not sent if there is no memory for the notification that it must read first', async () => {
    const { response, expected } = await fill('updates');
    const names = ['fits', 'exceeds'];
    for (const name of names)
      gateway.service.faults.set(name, [{ kind: 'respond', body: bodyOf(name, 30_000) }]);
    const updates = names.map(
      (name) => `${name}: updateNotification(notificationGuid: "${name}", input: $input) { messages }`,
    );
    const result = await execute({
      query: `mutation ($input: UpdateNotificationInput!) { ${updates.join(' ')} }`,
      variables: { input: { notificationName: 'Renamed' } },
    });
    const [error] = failure('updateNotification', { ...discarded, outcome: 'NOT_APPLIED' }).errors;
    expect(result).toEqual({
      data: { fits: { messages: [] }, exceeds: null },
      errors: [{ ...error, path: ['exceeds'], locations: [{ line: 1, column: 126 }] }],
    });
    const calls = gateway.service.requests.filter(({ subject }) => names.includes(subject));
    expect(calls.map(({ method, subject }) => [method, subject])).toEqual([
      ['GET', 'fits'],
      ['PUT', 'fits'],
      ['GET', 'exceeds'],
    ]);
    release();
    expect(await response).toEqual(expected);
    await untilReleased();
  });
});

describe('everything is released', () => {
  test('when the client disconnects while its request is in flight', async () => {
    const client = new AbortController();
    const { response } = await hold('a disconnect', client.signal);
    client.abort();
    await expect(response).rejects.toThrow('aborted');
    await untilReleased();
    release();
  });

  test('when a write has finished whose client had disconnected', async () => {
    const client = new AbortController();
    gateway.service.faults.set('large write', [{ kind: 'respond', body: bodyOf('large write', 90_000) }]);
    const response = gateway.execute(
      {
        query: `
          mutation ($first: ID!, $second: ID!) {
            a: updateNotification(notificationGuid: $first, input: ${INPUT}) { messages }
            b: deleteNotification(notificationGuid: $second) { messages }
          }
        `,
        variables: { first: 'large write', second: 'held write' },
      },
      { signal: client.signal },
    );
    await until(() => gateway.service.requests.some(({ subject }) => subject === 'held write'));
    expect(await bytesInFlight()).toBeGreaterThan(90_000);
    client.abort();
    await expect(response).rejects.toThrow('aborted');
    expect(await bytesInFlight()).toBeGreaterThan(90_000);
    release();
    await untilReleased();
  });

  test('when several requests have used one body', async () => {
    const subject = 'shared body';
    gateway.service.faults.set(subject, [
      { kind: 'delay', until: () => released, then: { kind: 'respond', body: bodyOf(subject, 100_000) } },
    ]);
    const responses = Array.from({ length: 8 }, () => execute(about('notifications', subject)));
    const joined = () => gateway.logLines.filter(({ msg }) => msg === 'REST call deduplicated');
    await until(() => joined().length === 7);
    release();
    expect(await Promise.all(responses)).toEqual(
      Array.from({ length: 8 }, () => success('notifications', subject)),
    );
    expect(gateway.service.timesExecuted('GET', subject)).toBe(1);
    await untilReleased();
  });

  test('when the body violates the contract', async () => {
    const padding = 'x'.repeat(100_000);
    gateway.service.faults.set('broken', [{ kind: 'respond', body: JSON.stringify({ data: 7, padding }) }]);
    const { errors } = await execute(about('notification', 'broken'));
    expect(errors).toMatchObject([{ extensions: { code: 'SERVICE_RESPONSE_INVALID' } }]);
    await untilReleased();
  });
});

const INPUT = `{
  notificationName: "name"
  recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } }
  trigger: { shipmentStatusChange: [DELIVERED] }
  filters: []
}`;

describe('a result that is too large', () => {
  const aliases = (count: number) =>
    Array.from({ length: count }, (_, index) => `a${index}: notificationMetaData`).join(' ');

  test.each([1, 30])('fails its field alone, the request repeated %i times', async (times) => {
    const subject = `repeated ${times}`;
    const operation = asVariables('notification', { notificationGuid: subject }, `{ ${aliases(49)} }`);
    const body = bodyOf(subject, 2500);
    gateway.service.faults.set(subject, Array<FaultPlan>(times).fill({ kind: 'respond', body }));
    for (let index = 0; index < times; index += 1)
      expect(await execute(operation)).toEqual(failure('notification', tooLarge));
    expect(gateway.service.timesExecuted('GET', subject)).toBe(times);
    await untilReleased();
  });

  test('is measured with its keys', async () => {
    const row = notification('list', 'robin.planner');
    const data = Array<typeof row>(100).fill(row);
    const body = JSON.stringify({ data, messages: [], totalPossibleCount: 100 });
    gateway.service.faults.set('keys', [
      { kind: 'respond', body },
      { kind: 'respond', body },
    ]);
    const list = (key: string) =>
      asVariables(
        'notifications',
        { additionalParameters: { subject: 'keys' } },
        `{ notifications { ${key}: __typename } }`,
      );
    expect(await execute(list('x'.repeat(1000)))).toEqual(failure('notifications', tooLarge));
    const short = Array<object>(100).fill({ x: 'Notification' });
    expect(await execute(list('x'))).toEqual({
      data: { notifications: { notifications: short } },
      errors: undefined,
    });
  });

  test('is an unknown outcome of a mutation that was applied, and its other fields keep theirs', async () => {
    gateway.service.faults.set('large', [{ kind: 'respond', body: bodyOf('large', 2500) }]);
    const query = `
      mutation {
        large: updateNotification(notificationGuid: "large", input: ${INPUT}) { notification { ${aliases(48)} } }
        small: deleteNotification(notificationGuid: "small") { notificationGuid }
      }
    `;
    expect(await execute({ query })).toEqual({
      data: { large: null, small: { notificationGuid: 'small' } },
      errors: [
        {
          message: tooLarge.message,
          locations: [{ line: 3, column: 9 }],
          path: ['large'],
          extensions: {
            code: 'QUERY_TOO_COMPLEX',
            outcome: 'UNKNOWN',
            retryable: false,
            requestId: expect.any(String) as string,
          },
        },
      ],
    });
    expect(gateway.service.timesExecuted('PUT', 'large')).toBe(1);
    await untilReleased();
  });
});
