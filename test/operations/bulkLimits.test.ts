/** Bulk fields: limits, what is rejected before any item is sent, and that no null is without an error whatever is too large. */
import { describe, expect, test } from 'vitest';
import { startFaultGateway, useFaultGateway, type FaultGateway } from '../support/gateway/faultGateway.js';
import { bulkOperation, itemAbout, twice } from '../support/graphql/bulkFields.js';
import { requestError } from '../support/graphql/fieldError.js';
import type { Operation } from '../support/graphql/rootFields.js';
import { post, type GraphQLResponseError } from '../support/http/post.js';
import { grown } from '../support/telemetry/metrics.js';
import { notification } from '../support/service/faultServer.js';
import { freePort } from '../support/tools/freePort.js';
import { forTest } from '../support/tools/useStarted.js';
import { until } from '../support/tools/waiting.js';

const SUBGRAPH_TOKEN = 'a-subgraph-token-of-thirty-two-characters';
const env = { SUBGRAPH_TOKEN, IDEMPOTENCY_STORE: 'memory' };
const config = {
  service: { retries: 0 },
  graphql: { maxRestCalls: 1, maxMutationFields: 2 },
  subgraph: { maxEntities: 10 },
};
const gateway = useFaultGateway({ env, config });

const start = (variables: Record<string, string>) =>
  forTest(startFaultGateway({ env: { ...env, ...variables }, config }));

/** Sends an operation; resolves with the response and the number of REST calls. */
async function send(
  { query, variables }: Operation,
  { at = gateway, ...options }: { at?: FaultGateway; headers?: Record<string, string>; token?: null } = {},
) {
  const before = at.service.requests.length;
  const { status, data, errors, extensions } = await post(at.url, { query, variables }, options);
  return {
    status,
    data: data as Record<string, { results: unknown[] }> | undefined,
    errors,
    extensions,
    calls: at.service.requests.length - before,
  };
}

const loads = (count: number, others: object = {}) =>
  Array.from({ length: count }, (_, index) => itemAbout('trackShipment', `load-${index}`, others));
const rejected = (message: string) => ({
  status: 422,
  data: undefined,
  errors: [requestError(message, { code: 'QUERY_TOO_COMPLEX' })],
  extensions: undefined,
  calls: 0,
});

describe('An operation may have', () => {
  test('500 items in all of its bulk fields together, which do not count as REST calls', async () => {
    const selection = 'applied notApplied unknown';
    const allowed = await send(twice(bulkOperation('trackShipments', loads(250), { selection })));
    const all = { applied: 250, notApplied: 0, unknown: 0 };
    expect([allowed.data, allowed.calls]).toEqual([{ first: all, second: all }, 500]);
    expect(await send(twice(bulkOperation('trackShipments', loads(251), { selection })))).toEqual(
      rejected('Expected at most 500 items, got 502'),
    );
    expect(await send(bulkOperation('trackShipments', loads(501), { selection }))).toEqual(
      rejected('Expected at most 500 items, got 501'),
    );
  });

  test('as many bulk fields as mutation fields', async () => {
    const operation = twice(bulkOperation('trackShipments', loads(1)));
    const query = operation.query.replace(
      'first: ',
      'other: __typename third: trackShipments(items: $items) { applied } first: ',
    );
    expect(await send({ ...operation, query })).toEqual(
      rejected('Expected at most 2 mutation fields, got 4'),
    );
  });

  test('many items, and counts as one request against RATE_LIMIT', async () => {
    const at = await start({ RATE_LIMIT: '2/60s' });
    const tooMany = await send(bulkOperation('trackShipments', loads(501)), { at });
    const allowed = await send(bulkOperation('trackShipments', loads(20)), { at });
    const limited = await send(bulkOperation('trackShipments', loads(1)), { at });
    const codeOf = ({ errors, calls }: typeof limited) => [errors?.[0]?.extensions['code'], calls];
    expect([tooMany, allowed, limited].map(codeOf)).toEqual([
      ['QUERY_TOO_COMPLEX', 0],
      [undefined, 20],
      ['RATE_LIMITED', 0],
    ]);
  });

  test('10 elements for each item on top of those of other operations', async () => {
    const item = (emails: number) =>
      itemAbout('createNotification', 'many', {
        input: {
          notificationName: 'many',
          recipient: { shipmentLevel: { emailList: Array(emails).fill('dock@example.com'), smsList: [] } },
          trigger: { shipmentStatusChange: ['EN_ROUTE'] },
        },
      });
    const allowed = await send(bulkOperation('createNotifications', [item(1008)], { selection: 'applied' }));
    expect(allowed.data).toEqual({ createNotifications: { applied: 1 } });
    expect(await send(bulkOperation('createNotifications', [item(1009)], { selection: 'applied' }))).toEqual(
      rejected('Expected at most 1010 list elements and additional parameters, got more'),
    );
  });
});

/** The indexes of the results that are null, and of those with errors. */
function nullsAndErrors(results: readonly unknown[], errors: readonly GraphQLResponseError[] = []) {
  return {
    nulls: results.flatMap((result, index) => (result === null ? [index] : [])),
    failed: [...new Set(errors.map(({ path }) => path?.[2]))].sort(
      (one, other) => Number(one) - Number(other),
    ),
  };
}

describe('No result is null without an error', () => {
  const all = (count: number) => Array.from({ length: count }, (_, index) => index);

  test.each([
    ['clients', {}],
    ['routers', { 'x-subgraph-token': SUBGRAPH_TOKEN }],
  ])('of 200 that the service rejected with long messages, for %s', async (_whom, headers) => {
    const body = JSON.stringify({ messages: [{ message: 'No. '.repeat(2000) }] });
    gateway.service.plan = () => ({ kind: 'respond', status: 403, body });
    const operation = bulkOperation('trackShipments', loads(200), { selection: 'results { tracked }' });
    const { data, errors, extensions } = await send(operation, { headers });
    gateway.service.plan = () => undefined;
    expect(nullsAndErrors(data?.['trackShipments']?.results ?? [], errors)).toEqual({
      nulls: all(200),
      failed: all(200),
    });
    expect([errors?.length, extensions]).toEqual([200, undefined]);
  });

  test('of 300 invalid ones with several violations each', async () => {
    const items = loads(300).map((_item, index) =>
      itemAbout('trackShipment', ' ', {
        input: {
          ...(itemAbout('trackShipment', ' ') as { input: object }).input,
          driverPhoneNumber: String(index),
          carrier: { mc: ' ' },
        },
      }),
    );
    const { data, errors, calls } = await send(
      bulkOperation('trackShipments', items, { selection: 'results { tracked }' }),
    );
    expect(nullsAndErrors(data?.['trackShipments']?.results ?? [], errors)).toEqual({
      nulls: all(300),
      failed: all(300),
    });
    expect(calls).toBe(0);
  });
});

test('A list keeps 512 KiB of the responses to its items, and every outcome and identifier', async () => {
  const message = 'Long. '.repeat(330).trim(); // 500 of them have 990 kB
  gateway.service.plan = ({ body, subject }) => ({
    kind: 'respond',
    body: JSON.stringify({
      data: [{ ...notification(subject, 'user'), ...(JSON.parse(body) as object) }],
      messages: [message],
      totalPossibleCount: 1,
    }),
  });
  const all = Array.from({ length: 500 }, (_, index) => itemAbout('createNotification', `item-${index}`));
  const selection = 'results { outcome notificationGuid messages notification { notificationName } } applied';
  const { data, errors, calls } = await send(bulkOperation('createNotifications', all, { selection }));
  gateway.service.plan = () => undefined;
  const { results, applied } = data?.['createNotifications'] as unknown as {
    results: { outcome: string; notificationGuid: string; messages: string[]; notification: object | null }[];
    applied: number;
  };
  expect([errors, calls, applied]).toEqual([undefined, 500, 500]);
  const ended = results.map(({ outcome, notificationGuid }) => [outcome, typeof notificationGuid]);
  expect(ended).toEqual(Array(500).fill(['APPLIED', 'string']));
  const complete = results.filter(({ messages, notification }) => messages[0] === message && notification);
  const shortened = results.filter(({ messages, notification }) => messages.length === 0 && !notification);
  expect(complete.length + shortened.length).toBe(500);
  expect(complete.length).toBeGreaterThan(150);
  expect(complete.length * Buffer.byteLength(message)).toBeLessThanOrEqual(524_288);
});

test('Of failures, messages of the service are left out beyond that, and no failure', async () => {
  const reason = 'No. '.repeat(240).trim();
  const messages = Array.from({ length: 20 }, (_, index) => `${index} ${reason}`); // 100 times 19 kB
  gateway.service.plan = () => ({ kind: 'respond', status: 403, body: JSON.stringify({ messages }) });
  const selection = 'results { outcome errors { code serviceMessages } } notApplied';
  const { data, errors } = await send(bulkOperation('trackShipments', loads(100), { selection }));
  gateway.service.plan = () => undefined;
  const { results, notApplied } = data?.['trackShipments'] as unknown as {
    results: { outcome: string; errors: { code: string; serviceMessages: string[] }[] }[];
    notApplied: number;
  };
  expect([errors, notApplied]).toEqual([undefined, 100]);
  const failed = results.map((result) => [result.outcome, result.errors.map(({ code }) => code)]);
  expect(failed).toEqual(Array(100).fill(['NOT_APPLIED', ['FORBIDDEN']]));
  const counts = new Set(results.map((result) => result.errors[0]?.serviceMessages.length));
  expect(counts).toEqual(new Set([20, 0]));
});

const aliases = (count: number, selection: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${selection}`).join(' ');
const invalid = (count: number) =>
  Array.from({ length: count }, () => itemAbout('trackShipment', ' ', { idempotencyKey: ' ' }));
const ALL_OF_ERRORS =
  'code message retryable retryAfterSeconds status inputPath rule limit requestId serviceMessages candidates';

describe('Before anything is sent, an operation is rejected whose items have larger results than', () => {
  const values = (count: number) =>
    rejected(`Expected results of at most 50000 values, got up to ${count}: select fewer fields`);

  test.each<[string, object[], object, string, number]>([
    [
      '50,000 values in failures that are data',
      invalid(500),
      {},
      `results { ${aliases(45, `errors { ${ALL_OF_ERRORS} }`)} }`,
      45 * 12 * 1500 + 500,
    ],
    ['as many in GraphQL errors', loads(500), { dryRun: true }, aliases(45, 'results { outcome }'), 382_500],
    ['as many if they are sent', loads(500), {}, aliases(45, 'results { outcome }'), 382_500],
  ])('%s', async (_what, items, args, selection, count) => {
    const operation = bulkOperation('trackShipments', items, { selection, ...args });
    expect(await send(operation)).toEqual(values(count));
    expect(await send(operation, { token: null })).toEqual(values(count));
  });

  test('4 MiB of names and of the input that they repeat', async () => {
    const long = Array.from({ length: 200 }, (_, index) =>
      itemAbout('trackShipment', `${index} ${'x'.repeat(400)}`),
    );
    const selection = `results { ${aliases(45, 'shipment { freightProviderReferenceNumber }')} }`;
    const { status, errors, calls } = await send(bulkOperation('trackShipments', long, { selection }));
    expect([status, calls, errors?.map(({ message }) => message)]).toEqual([
      422,
      0,
      [
        expect.stringMatching(
          /^Expected results of at most 4194304 bytes, got up to \d+: select fewer fields$/,
        ),
      ],
    ]);
  });

  test('these, and not of 500 items with everything that a form shows', async () => {
    const selection = `results {
      outcome evidence tracked driverPhoneNumber shipment { freightProviderReferenceNumber }
      errors { ${ALL_OF_ERRORS} }
    } applied notApplied unknown`;
    const { errors, calls } = await send(bulkOperation('trackShipments', loads(500), { selection }));
    expect([errors, calls]).toEqual([undefined, 500]);
  });
});

test('The failure of an item is one error, however many aliases select it', async () => {
  const selection = aliases(6, 'results { outcome }');
  const { data, errors } = await send(bulkOperation('trackShipments', loads(3), { selection, dryRun: true }));
  expect(Object.values(data?.['trackShipments'] ?? {})).toEqual(Array(6).fill([null, null, null]));
  expect(errors?.map(({ path, extensions: { code } }) => [path, code])).toEqual(
    [0, 1, 2].map((index) => [['trackShipments', 'a0', index], 'DRY_RUN']),
  );
});

describe('An operation looks for at most', () => {
  test.each(['SEND_NOTHING', 'SEND_OTHERS'])(
    'a thousand errors: with %s, items that follow are neither checked nor sent',
    async (onInvalidItem) => {
      const broken = {
        input: {
          shipment: { hauler: { freightProviderReferenceNumber: ' ', freightHaulerProviderXid: ' ' } },
          carrier: { scac: ' ' },
          driverPhoneNumber: 'none',
          shipmentTrackingType: ' ',
        },
      };
      const items = [...loads(1), ...Array<object>(201).fill(broken), ...loads(1)];
      const selection = 'results { outcome errors { code message } }';
      const options = { selection, onInvalidItem };
      const { data, errors, calls } = await send(bulkOperation('trackShipments', items, options));
      const { results } = data?.['trackShipments'] as { results: { errors: object[] }[] };
      expect([errors, calls]).toEqual([undefined, onInvalidItem === 'SEND_OTHERS' ? 1 : 0]);
      const unchecked = {
        outcome: 'NOT_APPLIED',
        errors: [
          {
            code: 'QUERY_TOO_COMPLEX',
            message: 'Earlier items have so many errors that this one was neither checked nor sent',
          },
        ],
      };
      expect(results.slice(1, 201).map((result) => result.errors.length)).toEqual(Array(200).fill(5));
      expect(results.slice(201)).toEqual([unchecked, unchecked]);
    },
  );
});

describe('An operation that does not select the results', () => {
  const trackWith = async (selection: string) => {
    const fresh = Array.from({ length: 3 }, () => `load-${crypto.randomUUID()}`);
    const items = fresh.map((name) => itemAbout('trackShipment', name));
    gateway.service.plan = ({ subject }) =>
      subject === fresh[1] ? { kind: 'respond', status: 403 } : undefined;
    const { data, errors } = await send(bulkOperation('trackShipments', items, { selection }));
    gateway.service.plan = () => undefined;
    return {
      data: data?.['trackShipments'],
      codes: errors?.map(({ path, extensions }) => [path, extensions['code']]),
    };
  };

  test('has the counts that tell of the failure', async () => {
    expect(await trackWith('notApplied')).toEqual({ data: { notApplied: 1 }, codes: undefined });
  });

  test.each(['applied', 'unknown', '__typename'])(
    'fails if it selects %s alone, which hides the failure',
    async (selection) => {
      expect(await trackWith(selection)).toEqual({ data: null, codes: [[['trackShipments'], 'FORBIDDEN']] });
    },
  );
});

test('Metrics count items as single writes, and a request only if all items of a field failed', async () => {
  const port = await freePort();
  const at = await start({ METRICS_PORT: String(port) });
  at.service.plan = ({ subject }) => (subject === 'load-1' ? { kind: 'respond', status: 500 } : undefined);
  await send(bulkOperation('trackShipments', loads(3)), { at });
  await send(bulkOperation('trackShipments', loads(3).slice(1, 2)), { at });
  await send(bulkOperation('trackShipments', loads(3).slice(1, 2), { selection: 'applied' }), { at });
  await until(() => at.logLines.filter(({ msg }) => msg === 'Request').length === 3);
  const values = Object.entries(await grown(`http://127.0.0.1:${port}/metrics`));
  expect(
    Object.fromEntries(values.filter(([name]) => /^shipment_gateway_graphql_|^http_server_/.test(name))),
  ).toEqual({
    'http_server_request_duration_seconds_count{http_request_method="POST",url_scheme="http",http_response_status_code="200",error_type="",graphql_operation_type="bulk_mutation"}': 1,
    'http_server_request_duration_seconds_count{http_request_method="POST",url_scheme="http",http_response_status_code="200",error_type="SERVICE_ERROR",graphql_operation_type="bulk_mutation"}': 2,
    'shipment_gateway_graphql_requests_total{result="success"}': 1,
    'shipment_gateway_graphql_requests_total{result="service_error"}': 2,
    'shipment_gateway_graphql_mutation_fields_total{field="trackShipment",outcome="APPLIED"}': 2,
    'shipment_gateway_graphql_mutation_fields_total{field="trackShipment",outcome="UNKNOWN"}': 3,
    'shipment_gateway_graphql_errors_total{code="SERVICE_ERROR"}': 2,
  });
  const lines = at.logLines.filter(({ msg }) => msg === 'Request');
  const items = { applied: 0, notApplied: 0, unknown: 1, failed: 1, errorCodes: ['SERVICE_ERROR'] };
  expect(
    lines.map(({ level, outcome, errorCodes, items: logged }) => ({
      level,
      outcome,
      errorCodes,
      items: logged,
    })),
  ).toEqual([
    { level: 30, outcome: 'UNKNOWN', errorCodes: [], items: { ...items, total: 3, applied: 2 } },
    { level: 40, outcome: 'UNKNOWN', errorCodes: ['SERVICE_ERROR'], items: { ...items, total: 1 } },
    { level: 40, outcome: 'UNKNOWN', errorCodes: ['SERVICE_ERROR'], items: { ...items, total: 1 } },
  ]);
});
