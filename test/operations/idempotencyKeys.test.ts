/** Idempotency keys: at most one write per key, whatever becomes of the first attempt. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  startFaultGateway,
  TOKEN,
  useFaultGateway,
  type FaultGateway,
} from '../support/gateway/faultGateway.js';
import { splitEvidence, withEvidence } from '../support/graphql/evidence.js';
import {
  about,
  callOf,
  idempotentWrites,
  otherWrites,
  readBackCalls,
  replayCalls,
  success,
  writes,
} from '../support/graphql/faultOperations.js';
import { methodOf, type FieldName } from '../support/graphql/rootFields.js';
import { replyTo, startFakeRedis, type FakeChange } from '../support/process/fakeRedis.js';
import { startRedis } from '../support/process/redis.js';
import { startRedisProxy } from '../support/process/redisProxy.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';
import type { FaultPlan } from '../support/service/faults.js';
import { forTest } from '../support/tools/useStarted.js';
import { createGate, until } from '../support/tools/waiting.js';
import { post } from '../support/http/post.js';

const RETENTION_MS = 86_400_000;
const env = { IDEMPOTENCY_STORE: 'memory' };
const options = { config: { service: { retries: 0, circuitOpenMs: 1 } } };
const gateway = useFaultGateway({ env, ...options });
afterEach(() => gateway.service.faults.clear());

/** The result of a claim whose key has a record in this state. */
function foundRecord({ after, ttlMs }: FakeChange, state: string) {
  return { text: after.replace(/^\S+ STARTED/, `another-owner ${state}`), leftMs: ttlMs };
}

interface Options {
  /** The argument. */
  key?: string | null;
  header?: string;
  token?: string;
  headers?: Record<string, string>;
  at?: FaultGateway;
  signal?: AbortSignal;
}

/** Sends an operation; resolves with its response and the REST calls that were made meanwhile. */
async function send(
  { query, variables }: { query: string; variables?: Record<string, unknown> },
  { key, header, token = TOKEN, headers, at = gateway, signal }: Options = {},
) {
  const before = at.service.requests.length;
  const hasArgument = key !== undefined;
  const response = await post(
    at.url,
    {
      query: withEvidence(hasArgument ? withArgument(query) : query),
      variables: hasArgument ? { ...variables, idempotencyKey: key } : variables,
    },
    {
      token,
      headers: { ...(header !== undefined && { 'idempotency-key': header }), ...headers },
      ...(signal && { signal }),
    },
  );
  const { status, errors, extensions } = response;
  return {
    status,
    ...splitEvidence(response.data),
    errors: errors?.map(({ message, extensions: { requestId, ...others } }) => ({
      message,
      ...others,
      ...(requestId !== response.headers.get('x-request-id') && { requestId }),
    })),
    extensions,
    calls: at.service.requests.slice(before).map(({ method, path }) => `${method} ${path}`),
  };
}

function withArgument(query: string): string {
  return query
    .replace(/^mutation \(/, 'mutation ($idempotencyKey: ID, ')
    .replace(/\{ (\w+)\(/, '{ $1(idempotencyKey: $idempotencyKey, ');
}

/** The response to a mutation that fails without a REST call. */
const notSent = (field: FieldName, error: Record<string, unknown>) => ({
  status: 200,
  data: { [field]: null },
  errors: [error],
  extensions: undefined,
  calls: [],
});

const reused = {
  message: 'Expected a new idempotency key: this one was used with another field or other arguments',
  code: 'IDEMPOTENCY_KEY_REUSED',
  outcome: 'NOT_APPLIED',
  retryable: false,
};
const badKey = (message: string) => ({
  message,
  code: 'BAD_USER_INPUT',
  inputPath: ['idempotencyKey'],
  rule: 'UUID',
  outcome: 'NOT_APPLIED',
  retryable: false,
});
/** A bad argument fails its field, a bad header the request. */
const badHeader = (field: FieldName, message: string) => ({
  ...notSent(field, { ...badKey(message), field }),
  status: 422,
  data: undefined,
});

let subjects = 0;
const newSubject = () => `keyed-${(subjects += 1)}`;

const lost: FaultPlan = { kind: 'reset' };
const lostUnsent: FaultPlan = { kind: 'reset', isExecuted: false };
const rejected: FaultPlan = { kind: 'respond', status: 422, body: '{"messages":[]}' };
const unreadable: FaultPlan = { kind: 'respond', status: 500, body: '{}' };
/** Faults of the writes of a subject, and of its reads. */
const plan = (faults: { writes?: FaultPlan[]; reads?: FaultPlan[] }) => {
  const count = { writes: 0, reads: 0 };
  gateway.service.plan = ({ method }) => {
    const kind = method === 'GET' ? 'reads' : 'writes';
    return faults[kind]?.[count[kind]++];
  };
};
afterEach(() => {
  gateway.service.plan = ({ subject, before }) => gateway.service.faults.get(subject)?.[before];
});

describe.each(writes)('%s with a key', (field) => {
  test.each(['argument', 'header'] as const)(
    'is sent once for requests with the same %s, also for a client whose token was renewed',
    async (way) => {
      const subject = newSubject();
      const options = way === 'argument' ? { key: randomUUID() } : { header: randomUUID() };
      const first = await send(about(field, subject), options);
      expect(first).toEqual({
        status: 200,
        ...success(field, subject),
        extensions: undefined,
        calls: [callOf(field, subject)],
      });
      for (const token of [TOKEN, 'renewed'])
        expect(await send(about(field, subject), { ...options, token })).toEqual({
          ...first,
          evidence: { [field]: 'REPLAY' },
          calls: replayCalls(field, subject),
        });
    },
  );

  test('is sent again if the first attempt was not applied', async () => {
    const subject = newSubject();
    const key = randomUUID();
    plan({ writes: [rejected] });
    const first = await send(about(field, subject), { key });
    expect(first.errors).toEqual([
      {
        message: 'The service rejected the request',
        code: 'SERVICE_REJECTED',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 422,
      },
    ]);
    expect(await send(about(field, subject), { key })).toMatchObject({
      ...success(field, subject),
      calls: [callOf(field, subject)],
    });
    expect(gateway.service.timesExecuted(methodOf(field), subject)).toBe(1);
  });

  test('is rejected if the key was used with other arguments', async () => {
    const key = randomUUID();
    await send(about(field, newSubject()), { key });
    expect(await send(about(field, newSubject()), { key })).toEqual(notSent(field, reused));
  });

  test('waits for the attempt that is running', async () => {
    const subject = newSubject();
    const key = randomUUID();
    const { opened: isReleased, open: release } = createGate();
    plan({ writes: [{ kind: 'delay', until: () => isReleased }] });
    const before = gateway.service.requests.length;
    const first = send(about(field, subject), { key });
    await until(() => gateway.service.requests.length > before);
    expect(await send(about(field, subject), { key })).toEqual(
      notSent(field, {
        message: 'The mutation with this idempotency key is in progress',
        code: 'IDEMPOTENCY_IN_PROGRESS',
        outcome: 'UNKNOWN',
        retryable: true,
        retryAfterSeconds: 1,
      }),
    );
    release();
    expect(await first).toMatchObject(success(field, subject));
    expect(await send(about(field, subject), { key })).toMatchObject({
      ...success(field, subject),
      evidence: { [field]: 'REPLAY' },
    });
    expect(gateway.service.timesExecuted(methodOf(field), subject)).toBe(1);
  });

  test('completes and is replayed if the client disconnects', async () => {
    const subject = newSubject();
    const key = randomUUID();
    const controller = new AbortController();
    const { opened: isReleased, open: release } = createGate();
    plan({ writes: [{ kind: 'delay', until: () => isReleased }] });
    const before = gateway.service.requests.length;
    const first = send(about(field, subject), { key, signal: controller.signal });
    await until(() => gateway.service.requests.length > before);
    controller.abort();
    await expect(first).rejects.toThrow();
    release();
    await expect
      .poll(async () => (await send(about(field, subject), { key })).evidence)
      .toEqual({ [field]: 'REPLAY' });
    expect(gateway.service.timesExecuted(methodOf(field), subject)).toBe(1);
  });

  test('neither uses the key up nor is replayed in a dry run', async () => {
    const subject = newSubject();
    const key = randomUUID();
    const dryRun = () => send(about(field, subject), { key, headers: { 'x-gateway-dry-run': '1' } });
    expect((await dryRun()).errors).toMatchObject([{ code: 'DRY_RUN' }]);
    expect(await send(about(field, subject), { key })).toMatchObject({
      ...success(field, subject),
      calls: [callOf(field, subject)],
    });
    expect((await dryRun()).errors).toMatchObject([{ code: 'DRY_RUN' }]);
  });
});

describe.each(otherWrites)('%s of unknown outcome', (field) => {
  test.each([
    ['was executed', lost, 1],
    ['never arrived', lostUnsent, 0],
  ])('is never sent again with its key, whether it %s', async (_what, fault, times) => {
    const subject = newSubject();
    const key = randomUUID();
    plan({ writes: [fault] });
    const first = await send(about(field, subject), { key });
    expect(first.errors).toMatchObject([{ code: 'SERVICE_ERROR', outcome: 'UNKNOWN', retryable: false }]);
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const repeat = await send(about(field, subject), { key });
      expect(repeat).toMatchObject({
        data: { [field]: null },
        errors: [
          {
            message:
              'An earlier attempt with this idempotency key may have been applied; it was not sent again',
            code: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
            outcome: 'UNKNOWN',
            retryable: false,
          },
        ],
        calls: readBackCalls(field, subject),
      });
    }
    expect(gateway.service.timesExecuted('POST', subject)).toBe(times);
  });
});

describe.each(idempotentWrites)('%s of unknown outcome', (field) => {
  test('may be repeated: it is sent again if its state is not there', async () => {
    const subject = newSubject();
    const key = randomUUID();
    const read = readBackCalls(field, subject);
    plan({ writes: [lostUnsent] });
    const first = await send(about(field, subject), { key });
    expect(first.errors).toMatchObject([{ code: 'SERVICE_ERROR', outcome: 'UNKNOWN', retryable: true }]);
    expect(first.calls).toEqual([callOf(field, subject), ...read]);
    expect(await send(about(field, subject), { key })).toEqual({
      status: 200,
      ...success(field, subject),
      extensions: undefined,
      calls: [...read, callOf(field, subject)],
    });
    expect(await send(about(field, subject), { key })).toMatchObject({ evidence: { [field]: 'REPLAY' } });
  });

  test('keeps the outcome UNKNOWN if the repeat is surely not applied', async () => {
    const subject = newSubject();
    const key = randomUUID();
    plan({ writes: [lost, rejected] });
    await send(about(field, subject), { key });
    const repeat = await send(about(field, subject), { key });
    expect(repeat.errors).toEqual([
      {
        message: 'The service rejected the request',
        code: 'SERVICE_REJECTED',
        outcome: 'UNKNOWN',
        retryable: false,
        status: 422,
      },
    ]);
    expect(await send(about(field, subject), { key })).toMatchObject(success(field, subject));
  });
});

describe('a deletion whose outcome is unknown', () => {
  const field = 'deleteNotification';
  const gone: FaultPlan = { kind: 'respond', status: 404, body: '{"messages":[]}' };
  beforeAll(async () => {
    // A 404 means nothing before a read has succeeded, and another one has got a 404 like it.
    plan({ reads: [{ kind: 'interim', status: 102 }, gone] });
    await send(about('notification', newSubject()));
    await send(about('notification', newSubject()));
  });

  test('is not sent again with its key once the notification is gone', async () => {
    const subject = newSubject();
    const key = randomUUID();
    plan({ writes: [lost], reads: [unreadable, gone] });
    const first = await send(about(field, subject), { key });
    expect(first.errors).toMatchObject([{ outcome: 'UNKNOWN' }]);
    expect(await send(about(field, subject), { key })).toEqual({
      status: 200,
      ...success(field, subject),
      evidence: { [field]: 'READ_BACK' },
      calls: readBackCalls(field, subject),
    });
    expect(await send(about(field, subject), { key })).toMatchObject({
      evidence: { [field]: 'REPLAY' },
      calls: [],
    });
  });
});

describe('a header', () => {
  const field = 'trackShipment';

  test.each<[what: string, first: (key: string) => Options, repeat: (key: string) => Options]>([
    ['in quotes is the same key', (key) => ({ key }), (key) => ({ header: `"${key}"` })],
    ['in upper case is the same key', (header) => ({ header }), (key) => ({ header: key.toUpperCase() })],
    [
      'is ignored if there is an argument',
      (key) => ({ key, header: 'abc' }),
      (key) => ({ key, header: randomUUID() }),
    ],
    ['applies if the argument is null', (header) => ({ key: null, header }), (header) => ({ header })],
  ])('%s', async (_what, first, repeat) => {
    const operation = about(field, newSubject());
    const key = randomUUID();
    await send(operation, first(key));
    expect(await send(operation, repeat(key))).toMatchObject({ evidence: { [field]: 'REPLAY' }, calls: [] });
  });

  test.each(['', 'abc', '00000000-0000-0000-0000-000000000000', `${randomUUID()}, ${randomUUID()}`])(
    'that is no UUID is rejected: %j',
    async (header) => {
      const message = `expected a UUID of version 4 or 7 as idempotency key, got ${JSON.stringify(header)}`;
      expect(await send(about(field, newSubject()), { header })).toEqual(badHeader(field, message));
    },
  );

  test('that a browser has added, a quoted number, is no key and no mistake', async () => {
    const operation = about(field, newSubject());
    for (let count = 0; count < 2; count += 1)
      expect(await send(operation, { header: '"9876543210987654321"' })).toMatchObject({
        status: 200,
        errors: undefined,
        calls: [expect.any(String)],
      });
    // A number that a program has chosen would not protect it.
    for (const header of ['9876543210987654321', '"42"']) {
      const message = `expected a UUID of version 4 or 7 as idempotency key, got ${JSON.stringify(header)}`;
      expect(await send(operation, { header })).toEqual(badHeader(field, message));
    }
  });

  test('is ignored with several mutation fields that have a key each', async () => {
    const { query, variables } = about(field, newSubject());
    const [, head = '', fieldText = ''] = /^(.*?\) )\{ (.*) \}$/.exec(query) ?? [];
    const withKey = (alias: string) =>
      `${alias}: ${fieldText.replace('(', `(idempotencyKey: "${randomUUID()}", `)}`;
    const operation = { query: `${head}{ ${withKey('one')} ${withKey('two')} }`, variables };
    expect(await send(operation, { header: randomUUID() })).toMatchObject({
      status: 200,
      errors: undefined,
      calls: [expect.any(String), expect.any(String)],
    });
    const withOneKey = { query: `${head}{ ${withKey('one')} two: ${fieldText} }`, variables };
    expect(await send(withOneKey, { header: randomUUID() })).toMatchObject({ status: 422, calls: [] });
  });

  test('is ignored on a query', async () => {
    expect(await send(about('notification', newSubject()), { header: 'abc' })).toMatchObject({
      status: 200,
      errors: undefined,
    });
  });

  test('is rejected with several mutation fields, whether they have arguments or not', async () => {
    const { query, variables } = about(field, newSubject());
    const [, head = '', fieldText = ''] = /^(.*?\) )\{ (.*) \}$/.exec(query) ?? [];
    expect(
      await send(
        { query: `${head}{ __typename one: ${fieldText} two: ${fieldText} }`, variables },
        { header: randomUUID() },
      ),
    ).toEqual({
      status: 422,
      data: undefined,
      errors: [
        {
          message:
            'Expected the header Idempotency-Key with one mutation, got several or a list: set idempotencyKey of each instead',
          code: 'BAD_USER_INPUT',
          outcome: 'NOT_APPLIED',
          retryable: false,
        },
      ],
      extensions: undefined,
      calls: [],
    });
  });

  test('applies to the only field that is not skipped', async () => {
    const header = randomUUID();
    const subject = newSubject();
    const { query, variables } = about(field, subject);
    const [, head = '', fieldText = ''] = /^(.*?\) )\{ (.*) \}$/.exec(query) ?? [];
    const operation = {
      query: `${head.replace('(', '($isSkipped: Boolean!, ')}{ one: ${fieldText} two: ${fieldText.replace(') {', ') @skip(if: $isSkipped) {')} }`,
      variables: { ...variables, isSkipped: true },
    };
    await send(operation, { header });
    expect(await send(operation, { header })).toMatchObject({ evidence: { one: 'REPLAY' }, calls: [] });
  });
});

describe('a key', () => {
  const field = 'trackShipment';
  /** With parameters whose order GraphQL's coercion keeps. */
  const withAdditionalParameters = ({ query, variables }: ReturnType<typeof about>) => ({
    query,
    variables: {
      ...variables,
      input: {
        ...(variables['input'] as object),
        additionalParameters: { one: 1, two: { three: 3, four: 4 } },
      },
    },
  });

  test.each([
    '',
    'abc',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '6c1d8e0a-1b2c-0d3e-8f40-5a6b7c8d9e0f',
    '6c1d8e0a-1b2c-5d3e-8f40-5a6b7c8d9e0f',
    randomUUID().replaceAll('-', ''),
  ])('that is no UUID is rejected: %j', async (key) => {
    const message = `expected a UUID of version 4 or 7 as idempotency key, got ${JSON.stringify(key)}`;
    expect(await send(about(field, newSubject()), { key })).toEqual(notSent(field, badKey(message)));
  });

  test('is replayed for the same field twice in one operation', async () => {
    const subject = newSubject();
    const { query, variables } = about(field, subject);
    const [, head = '', fieldText = ''] = /^(.*?\) )\{ (.*) \}$/.exec(query) ?? [];
    const keyed = fieldText.replace('(', `(idempotencyKey: "${randomUUID()}", `);
    expect(await send({ query: `${head}{ one: ${keyed} two: ${keyed} }`, variables })).toEqual({
      status: 200,
      data: { one: { tracked: true }, two: { tracked: true } },
      errors: undefined,
      evidence: { two: 'REPLAY' },
      calls: [callOf(field, subject)],
    });
  });

  test('is rejected for another field', async () => {
    const key = randomUUID();
    const [one, other] = ['updateNotification', 'deleteNotification'] as const;
    const subject = newSubject();
    await send(about(one, subject), { key });
    expect(await send(about(other, subject), { key })).toEqual(notSent(other, reused));
  });

  test('takes the members of an input object in any order', async () => {
    const key = randomUUID();
    const { query, variables } = withAdditionalParameters(about(field, newSubject()));
    const reversed = JSON.parse(JSON.stringify(variables), (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    ) as Record<string, unknown>;
    await send({ query, variables }, { key });
    expect(await send({ query, variables: reversed }, { key })).toMatchObject({
      evidence: { [field]: 'REPLAY' },
    });
  });

  test('replays null for a notification that cannot be read any more', async () => {
    const key = randomUUID();
    const subject = newSubject();
    await send(about('createNotification', subject), { key });
    plan({ reads: [unreadable] });
    expect(await send(about('createNotification', subject), { key })).toMatchObject({
      data: { createNotification: { notification: null, messages: [] } },
      errors: undefined,
      evidence: { createNotification: 'REPLAY' },
    });
  });

  /** A key of version 7 that was made so many milliseconds ago. */
  const keyOfAge = (ageMs: number) => {
    const time = (Date.now() - ageMs).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
  };

  test('of version 7 is rejected if it is older than the retention', async () => {
    expect(await send(about(field, newSubject()), { key: keyOfAge(RETENTION_MS + 60_000) })).toEqual(
      notSent(field, {
        message: 'This idempotency key has expired',
        code: 'IDEMPOTENCY_KEY_EXPIRED',
        outcome: 'UNKNOWN',
        retryable: false,
      }),
    );
    expect(await send(about(field, newSubject()), { key: keyOfAge(RETENTION_MS - 60_000) })).toMatchObject({
      errors: undefined,
    });
  });

  test('of version 7 is replayed after the retention while its record is still there', async () => {
    const subject = newSubject();
    const key = keyOfAge(0);
    await send(about(field, subject), { key });
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + RETENTION_MS + 60_000 });
    expect(await send(about(field, subject), { key })).toMatchObject({
      ...success(field, subject),
      evidence: { [field]: 'REPLAY' },
      calls: [],
    });
  });

  test('of version 7 is rejected if it is from more than five minutes ahead', async () => {
    const key = keyOfAge(-6 * 60_000);
    const message = `expected an idempotency key from a clock at most 5 minutes ahead, got "${key}"`;
    expect(await send(about(field, newSubject()), { key })).toEqual(notSent(field, badKey(message)));
    expect(await send(about(field, newSubject()), { header: key })).toEqual(badHeader(field, message));
  });

  test('is rejected where keys are not enabled, never ignored', async () => {
    const withoutStore = await forTest(startFaultGateway({ env: { IDEMPOTENCY_STORE: 'off' }, ...options }));
    const requests = writes.flatMap((each) => [
      { each, headers: {} },
      { each, headers: { 'x-gateway-dry-run': '1' } }, // which would fail once it is sent
    ]);
    for (const { each, headers } of requests) {
      const sent = await send(about(each, newSubject()), { at: withoutStore, header: randomUUID(), headers });
      expect({ ...sent, extensions: undefined }).toEqual(
        notSent(each, {
          message: 'Idempotency keys are not enabled on this gateway',
          code: 'IDEMPOTENCY_UNAVAILABLE',
          outcome: 'NOT_APPLIED',
          retryable: false,
        }),
      );
    }
  });
});

/** A gateway that records keys in a Redis. */
const startWith = (redisUrl: string, serviceUrl = (url: string) => url) =>
  forTest(
    startFaultGateway({
      env: { IDEMPOTENCY_STORE: 'redis', REDIS_URL: redisUrl },
      ...options,
      serviceUrl,
    }),
  );

test('keeps the outcome UNKNOWN if the store fails when an update of unknown outcome is to be repeated', async () => {
  const redis = await forTest(startFakeRedis());
  const at = await startWith(redis.url.href);
  redis.reply = (script) =>
    script.changes[0]?.kind === 'add'
      ? replyTo(script, (change) => foundRecord(change, 'UNKNOWN'))
      : '-OOM command not allowed';
  const field = 'updateNotification';
  expect(await send(about(field, newSubject()), { at, key: randomUUID() })).toEqual(
    notSent(field, {
      message: 'The idempotency key cannot be recorded at the moment',
      code: 'IDEMPOTENCY_UNAVAILABLE',
      outcome: 'UNKNOWN',
      retryable: true,
      retryAfterSeconds: 1,
    }),
  );
});

test('before it stops, the gateway reads back a write whose client has disconnected, and records the outcome', async () => {
  const redis = await forTest(startFakeRedis());
  const at = await startFaultGateway({
    env: { IDEMPOTENCY_STORE: 'redis', REDIS_URL: redis.url.href },
    ...options,
  });
  const { opened: isReleased, open: release } = createGate();
  at.service.plan = ({ method }) =>
    method === 'GET' ? undefined : { kind: 'delay', until: () => isReleased, then: lost };
  const controller = new AbortController();
  const response = send(about('deleteNotification', newSubject()), {
    at,
    key: randomUUID(),
    signal: controller.signal,
  });
  await until(() => at.service.requests.length > 0);
  controller.abort();
  await expect(response).rejects.toThrow();
  const stopped = at.stop();
  await until(() => at.logLines.some(({ result }) => result === 'detached'));
  release();
  await stopped;
  expect(at.service.requests.map(({ method }) => method)).toEqual(['DELETE', 'GET']);
  const [added, replaced] = redis.scripts.flatMap(({ changes }) => changes);
  expect([added?.kind, replaced?.kind]).toEqual(['add', 'replace']);
  expect(replaced?.after).toMatch(/^\S+ UNKNOWN /); // the service still has the notification
});

describe('of the store of keys, a client has its share', () => {
  const field = 'trackShipment';
  /** A gateway, and a way to send the next new key of a token and an address. */
  const start = async (keysPerHour: number, variables: Record<string, string> = {}) => {
    const at = await forTest(
      startFaultGateway({
        env: { ...env, TRUST_PROXY: '1', ...variables },
        config: { idempotency: { keysPerHour } },
      }),
    );
    const from = (token: string, address: string, key: string = randomUUID(), subject = newSubject()) =>
      send(about(field, subject), { at, key, token, headers: { 'x-forwarded-for': address } });
    const codesFrom = async (...clients: [token: string, address: string][]) => {
      const codes: unknown[] = [];
      for (const client of clients)
        codes.push((await from(...client)).errors?.map((error) => ('code' in error ? error.code : error))[0]);
      return codes;
    };
    return { at, from, codesFrom };
  };
  const refused = notSent(field, {
    message: 'Too many new idempotency keys',
    code: 'RATE_LIMITED',
    outcome: 'NOT_APPLIED',
    retryable: true,
    retryAfterSeconds: 3600,
  });
  const LIMITED = 'RATE_LIMITED';

  test('of each token and of each address within an hour, which repeats do not take', async () => {
    const now = performance.now.bind(performance);
    let passedMs = 0;
    const time = vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
    onTestFinished(() => time.mockRestore());
    const { from, codesFrom } = await start(2); // which stops before the clock is set back
    const [key, subject] = [randomUUID(), newSubject()];
    const first = await from('a', '192.0.2.1', key, subject);
    expect(first).toMatchObject({ ...success(field, subject), calls: [callOf(field, subject)] });
    expect(await codesFrom(['a', '192.0.2.2'])).toEqual([undefined]);
    expect(await from('a', '192.0.2.3')).toEqual(refused);
    expect(await from('a', '192.0.2.3', key, subject)).toEqual({
      ...first,
      evidence: { [field]: 'REPLAY' },
      calls: [],
    });
    expect(await codesFrom(['made-up-1', '192.0.2.4'], ['made-up-2', '192.0.2.4'])).toEqual([
      undefined,
      undefined,
    ]);
    expect(await from('made-up-3', '192.0.2.4')).toEqual(refused);
    expect(await codesFrom(['b', '192.0.2.5'])).toEqual([undefined]);
    passedMs = 3_600_001;
    expect(await codesFrom(['a', '192.0.2.3'], ['made-up-3', '192.0.2.4'])).toEqual([undefined, undefined]);
  });

  test('of keys that leave a record, not of those whose write was rejected', async () => {
    const { at, codesFrom } = await start(1);
    at.service.plan = () => rejected;
    const client: [string, string] = ['a', '192.0.2.1'];
    expect(await codesFrom(client, client)).toEqual(['SERVICE_REJECTED', 'SERVICE_REJECTED']);
    at.service.plan = () => undefined;
    expect(await codesFrom(client, client)).toEqual([undefined, LIMITED]);
  });

  test('of new keys, not of repeats that are being looked up', async () => {
    const redis = await forTest(startFakeRedis());
    const { from, codesFrom } = await start(2, { IDEMPOTENCY_STORE: 'redis', REDIS_URL: redis.url.href });
    const claimed = new Set<string>();
    redis.reply = (script) =>
      replyTo(script, (change) => {
        if (change.kind !== 'add') return undefined;
        const found = claimed.has(change.key) ? foundRecord(change, 'STARTED') : undefined;
        claimed.add(change.key);
        return found;
      });
    const [key, subject] = [randomUUID(), newSubject()];
    expect(await from('a', '192.0.2.1', key, subject)).toMatchObject(success(field, subject));
    // They arrive before Redis has replied to the first of them.
    const repeats = Array.from({ length: 8 }, () => from('a', '192.0.2.1', key, subject));
    expect(await codesFrom(['a', '192.0.2.1'], ['a', '192.0.2.1'])).toEqual([undefined, LIMITED]);
    for (const { errors } of await Promise.all(repeats))
      expect(errors).toMatchObject([{ code: 'IDEMPOTENCY_IN_PROGRESS' }]);
    expect(claimed.size).toBe(2);
  });
});

describe('in a Redis', () => {
  const reason = reasonToSkip('redis-server');
  skipIf(reason);
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    if (reason === undefined) redis = await startRedis();
  });
  afterAll(() => redis.kill());
  const field = 'trackShipment';

  test('behind a proxy that loses a reply, a key is not sent for the reply to another', async () => {
    const proxy = await forTest(startRedisProxy(redis.url));
    const at = await startWith(proxy.url);
    const [subject, another] = [newSubject(), newSubject()];
    const [key, anotherKey] = [randomUUID(), randomUUID()];
    await send(about(field, subject), { at, key });
    await send(about(field, newSubject()), { at, key: randomUUID() }); // both scripts are loaded by now
    let isLost = false;
    proxy.onStep = (step) => {
      if (step === 'command' || isLost) return true;
      isLost = true;
      return 'lost';
    };
    const repeat = send(about(field, subject), { at, key });
    await until(() => isLost);
    const rejected = notSent(field, {
      message: 'The idempotency key cannot be recorded at the moment',
      code: 'IDEMPOTENCY_UNAVAILABLE',
      outcome: 'NOT_APPLIED',
      retryable: true,
      retryAfterSeconds: 1,
    });
    expect(await send(about(field, another), { at, key: anotherKey })).toEqual(rejected);
    expect(await repeat).toEqual(rejected);
    await expect
      .poll(async () => (await send(about(field, subject), { at, key })).evidence, { timeout: 20_000 })
      .toEqual({ [field]: 'REPLAY' });
    expect(at.service.timesExecuted('POST', subject)).toBe(1);
    expect(await send(about(field, another), { at, key: anotherKey })).toMatchObject({
      ...success(field, another),
      calls: [callOf(field, another)],
    });
  });

  test('a key is shared by gateways of one service, and not with those of another', async () => {
    const [one, another] = [await startWith(redis.url), await startWith(redis.url)];
    const replica = await startWith(redis.url, () => one.service.url);
    const subject = newSubject();
    const key = randomUUID();
    const sent = {
      status: 200,
      ...success(field, subject),
      extensions: undefined,
      calls: [callOf(field, subject)],
    };
    expect(await send(about(field, subject), { at: one, key })).toEqual(sent);
    expect(await send(about(field, subject), { at: another, key })).toEqual(sent);
    expect(await send(about(field, subject), { at: replica, key })).toEqual({
      ...sent,
      evidence: { [field]: 'REPLAY' },
      calls: [],
    });
    expect(one.service.timesExecuted('POST', subject)).toBe(1);
  });
});
