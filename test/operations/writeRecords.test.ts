/** What is recorded of writes with idempotency keys. */
import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { startFaultGateway, TOKEN, useFaultGateway } from '../support/gateway/faultGateway.js';
import { about, writes } from '../support/graphql/faultOperations.js';
import type { FieldName } from '../support/graphql/rootFields.js';
import { post, type PostOptions } from '../support/http/post.js';
import { startFakeRedis } from '../support/process/fakeRedis.js';
import type { FaultPlan } from '../support/service/faults.js';
import { forTest } from '../support/tools/useStarted.js';
import { createGate, until } from '../support/tools/waiting.js';

const QUERY =
  'query Ask($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { idempotencyKey field outcome notificationGuid expiresAt } }';
const RETENTION_MS = 86_400_000;
const env = { IDEMPOTENCY_STORE: 'memory' };
const config = { service: { retries: 0, circuitOpenMs: 1 } };
const gateway = useFaultGateway({ env, config });
afterEach(() => {
  gateway.service.plan = () => undefined;
});

/** Asks without a token; resolves with the records, and with the errors if there are any. */
async function ask(
  keys: readonly unknown[],
  { at = gateway.url, token = null, ...options }: PostOptions & { at?: string } = {},
) {
  const { status, data, errors } = await post(
    at,
    { query: QUERY, variables: { keys } },
    { token, ...options },
  );
  return { status, records: (data as { writeRecords?: unknown } | undefined)?.writeRecords, errors };
}

let subjects = 0;
/** Sends a mutation with a key, and returns the key. */
async function write(
  field: FieldName,
  {
    at = gateway.url,
    key = randomUUID(),
    fault,
    subject = `asked-${(subjects += 1)}`,
  }: { at?: string; key?: string; fault?: FaultPlan; subject?: string } = {},
) {
  if (fault) gateway.service.plan = () => fault;
  await post(at, about(field, subject), { token: TOKEN, headers: { 'idempotency-key': key } });
  gateway.service.plan = () => undefined;
  return key;
}

const record = (idempotencyKey: string, field: FieldName, fields: object = {}) => ({
  idempotencyKey,
  field,
  outcome: 'APPLIED',
  notificationGuid: null,
  expiresAt: expect.any(String) as string,
  ...fields,
});
const errorOf = (code: string, message: string, extensions: object = {}) => ({
  message,
  locations: [{ line: 1, column: 28 }],
  path: ['writeRecords'],
  extensions: { code, retryable: false, requestId: expect.any(String) as string, ...extensions },
});

test('Each mutation field leaves a record of what it did, that of a creation with the identifier', async () => {
  const keys: string[] = [];
  for (const field of writes) keys.push(await write(field, { subject: 'created' }));
  const { length } = gateway.service.requests;
  expect(await ask(keys)).toEqual({
    status: 200,
    records: writes.map((field, index) =>
      record(keys[index] ?? '', field, field === 'createNotification' ? { notificationGuid: 'created' } : {}),
    ),
    errors: undefined,
  });
  expect(gateway.service.requests.length).toBe(length);
});

test('Records are in request order, also twice, and null for keys that were not applied or never used', async () => {
  const [applied, unknown, notApplied] = [
    await write('trackShipment'),
    await write('trackShipment', { fault: { kind: 'reset' } }),
    await write('trackShipment', { fault: { kind: 'respond', status: 422, body: '{}' } }),
  ];
  const never = randomUUID();
  const keys = [unknown, never, applied.toUpperCase(), notApplied, applied];
  expect((await ask(keys)).records).toEqual([
    record(unknown, 'trackShipment', { outcome: 'UNKNOWN' }),
    null,
    record(applied, 'trackShipment'),
    null,
    record(applied, 'trackShipment'),
  ]);
  expect((await ask([])).records).toEqual([]);
});

test('A write in progress has no outcome', async () => {
  const { opened, open } = createGate();
  gateway.service.plan = () => ({ kind: 'delay', until: () => opened });
  const key = randomUUID();
  const { length } = gateway.service.requests;
  const sent = post(gateway.url, about('trackShipment', 'slow'), { headers: { 'idempotency-key': key } });
  await until(() => gateway.service.requests.length > length);
  expect((await ask([key])).records).toEqual([record(key, 'trackShipment', { outcome: null })]);
  open();
  await sent;
  expect((await ask([key])).records).toEqual([record(key, 'trackShipment')]);
});

test('A record expires five minutes after the retention of its key', async () => {
  const before = Date.now();
  const key = await write('trackShipment');
  const [{ expiresAt } = { expiresAt: '' }] = (await ask([key])).records as { expiresAt: string }[];
  const MINUTE_MS = 60_000;
  expect(Date.parse(expiresAt)).toBeGreaterThan(before + RETENTION_MS + 4 * MINUTE_MS);
  expect(Date.parse(expiresAt)).toBeLessThan(Date.now() + RETENTION_MS + 6 * MINUTE_MS);
});

test('Texts that are no keys are rejected, each with its place', async () => {
  const violation = (index: number, text: string) =>
    errorOf('BAD_USER_INPUT', `expected a UUID of version 4 or 7 as idempotency key, got "${text}"`, {
      inputPath: ['idempotencyKeys', index],
      rule: 'UUID',
    });
  expect(await ask(['abc', randomUUID(), ''])).toEqual({
    status: 200,
    records: null,
    errors: [violation(0, 'abc'), violation(2, '')],
  });
});

test('An operation asks for at most 1,000 keys', async () => {
  const key = await write('trackShipment');
  const keys = Array.from({ length: 1000 }, () => randomUUID() as string);
  keys[999] = key;
  expect((await ask(keys)).records).toEqual([...Array<null>(999).fill(null), record(key, 'trackShipment')]);
  expect(await ask([...keys, key])).toMatchObject({
    status: 422,
    errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }],
  });
});

test('Names of members cannot multiply records beyond the limit on results', async () => {
  const key = await write('trackShipment');
  const alias = 'a'.repeat(1000);
  const query = `query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { ${Array.from({ length: 20 }, (_, index) => `${alias}${index}: field`).join(' ')} } }`;
  const { data, errors } = await post(gateway.url, { query, variables: { keys: Array(1000).fill(key) } });
  expect(data).toEqual({ writeRecords: null });
  expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false } }]);
});

test('The response is the same with a prefix, as a subgraph', async () => {
  const variables = { SCHEMA_PREFIX: 'Freight_', SUBGRAPH_TOKEN: 'a-token-of-the-router' };
  const subgraph = await forTest(startFaultGateway({ env: { ...env, ...variables } }));
  const headers = { 'x-subgraph-token': 'a-token-of-the-router' };
  const key = await write('deleteNotification', { at: subgraph.url });
  const { records } = await ask([key], { at: subgraph.url, headers });
  expect(records).toEqual([record(key, 'deleteNotification')]);
  const { data } = await post(subgraph.url, { query: '{ _service { sdl } }' }, { headers });
  expect((data as { _service: { sdl: string } })._service.sdl).toContain('): [Freight_WriteRecord]');
});

const unavailable = (message: string, extensions?: object) => ({
  status: 200,
  records: null,
  errors: [errorOf('IDEMPOTENCY_UNAVAILABLE', message, extensions)],
});

test('Without a store of keys, the field fails', async () => {
  const at = await forTest(startFaultGateway({ env: { IDEMPOTENCY_STORE: 'off' } }));
  expect(await ask([randomUUID()], { at: at.url })).toEqual(
    unavailable('Idempotency keys are not enabled on this gateway'),
  );
});

test('The store is asked for 100 keys in one command, and fails the field if it fails', async () => {
  const redis = await forTest(startFakeRedis());
  const at = await forTest(
    startFaultGateway({ env: { IDEMPOTENCY_STORE: 'redis', REDIS_URL: redis.url.href } }),
  );
  const keys = Array.from({ length: 150 }, () => randomUUID());
  expect(await ask(keys, { at: at.url })).toMatchObject({ records: Array(150).fill(null) });
  expect(redis.scripts.map(({ changes }) => changes.length)).toEqual([100, 50]);
  redis.reply = () => '-LOADING Redis is loading the dataset in memory';
  expect(await ask(keys, { at: at.url })).toEqual(
    unavailable('Idempotency keys cannot be looked up at the moment', {
      retryable: true,
      retryAfterSeconds: 1,
    }),
  );
});
