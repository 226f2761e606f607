/** Bulk fields: limits, what is rejected before any item is sent, and that no null is without an error whatever is too large. */
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  startFaultGateway,
  useFaultGateway,
  type FaultGateway,
  type FaultGatewayOptions,
} from '../support/gateway/faultGateway.js';
import { bulkFields, bulkOperation, itemAbout, twice } from '../support/graphql/bulkFields.js';
import type { Operation } from '../support/graphql/rootFields.js';
import { compiler, untilCompiled } from '../support/execution/compiler.js';
import { post, type GraphQLResponseError } from '../support/http/post.js';
import { grown } from '../support/telemetry/metrics.js';
import { notification } from '../support/service/faultServer.js';
import { freePort } from '../support/tools/freePort.js';
import { until } from '../support/tools/waiting.js';

const SUBGRAPH_TOKEN = 'a-subgraph-token-of-thirty-two-characters';
const env = {
  SUBGRAPH_TOKEN,
  IDEMPOTENCY_STORE: 'memory',
};
const config = {
  service: { retries: 0 },
  graphql: { maxRestCalls: 1, maxMutationFields: 2 },
  subgraph: { maxEntities: 10 },
};
const gateway = useFaultGateway({ env, config });

async function start(options: FaultGatewayOptions): Promise<FaultGateway> {
  const started = await startFaultGateway({
    ...options,
    env: { ...env, ...options.env },
    config: { ...config, graphql: { ...config.graphql, ...options.config?.graphql } },
  });
  onTestFinished(() => started.stop());
  return started;
}

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
  errors: [
    {
      message,
      extensions: {
        code: 'QUERY_TOO_COMPLEX',
        outcome: 'NOT_APPLIED',
        retryable: false,
        requestId: expect.any(String) as string,
      },
    },
  ],
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

  test('500 items, and counts as one request against RATE_LIMIT', async () => {
    const at = await start({ env: { RATE_LIMIT: '2/60s' } });
    const tooMany = await send(bulkOperation('trackShipments', loads(501)), { at });
    const allowed = await send(bulkOperation('trackShipments', loads(500)), { at });
    const limited = await send(bulkOperation('trackShipments', loads(1)), { at });
    const codeOf = ({ errors, calls }: typeof limited) => [errors?.[0]?.extensions['code'], calls];
    expect([tooMany, allowed, limited].map(codeOf)).toEqual([
      ['QUERY_TOO_COMPLEX', 0],
      [undefined, 500],
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
  ])('of 500 that the service rejected with long messages, for %s', async (_whom, headers) => {
    const body = JSON.stringify({ messages: [{ message: 'No. '.repeat(2000) }] });
    gateway.service.plan = () => ({ kind: 'respond', status: 403, body });
    const operation = bulkOperation('trackShipments', loads(500), { selection: 'results { tracked }' });
    const { data, errors, extensions } = await send(operation, { headers });
    gateway.service.plan = () => undefined;
    expect(nullsAndErrors(data?.['trackShipments']?.results ?? [], errors)).toEqual({
      nulls: all(500),
      failed: all(500),
    });
    expect(errors?.length).toBe(500);
    expect(extensions).toEqual({ errorsTruncated: true }); // their messages
    expect(Buffer.byteLength(JSON.stringify(errors))).toBeLessThan(500 * 400 + 65_536);
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

  test.each([
    ['as data', 'errors { code }'],
    ['as errors', ''],
  ])('of which some are larger than a result may be, %s', async (_how, selected) => {
    const at = await start({ config: { graphql: { maxResultBytes: 2500 } } });
    const items = Array.from({ length: 10 }, (_, index) =>
      itemAbout('trackShipment', `${index} ${'x'.repeat(300)}`),
    );
    const selection = `results { outcome ${selected} shipment { freightProviderReferenceNumber } } applied unknown`;
    const { data, errors, calls } = await send(bulkOperation('trackShipments', items, { selection }), { at });
    const { results = [], ...counts } = (data?.['trackShipments'] ?? {}) as {
      results?: ({ outcome: string } | null)[];
    };
    const fits = results.filter((result) => result?.outcome === 'APPLIED').length;
    expect(fits).toBeGreaterThan(0);
    expect([calls, counts]).toEqual([10, { applied: fits, unknown: 10 - fits }]);
    expect(Buffer.byteLength(JSON.stringify(results))).toBeLessThanOrEqual(2500);
    const { nulls, failed } = nullsAndErrors(results, errors);
    expect(failed).toEqual(nulls);
    expect(nulls.length).toBe(10 - fits);
    for (const { extensions } of errors ?? [])
      expect(extensions).toMatchObject({ code: 'QUERY_TOO_COMPLEX', outcome: 'UNKNOWN' });
  });
});

describe('Of results that do not fit,', () => {
  const SELECTION = `results {
    outcome notificationGuid messages notification { notificationName } errors { code message serviceMessages }
  } applied notApplied unknown`;
  const items = Array.from({ length: 100 }, (_, index) => itemAbout('createNotification', `item-${index}`));
  interface Results {
    results: {
      outcome: string;
      notificationGuid: string | null;
      messages: unknown[];
      notification: object;
    }[];
  }

  test.each([
    ['40 kB', 40_000],
    ['100 kB', 100_000],
  ])(
    'messages and then notifications are left out first: outcomes and identifiers fit into %s',
    async (_size, maxResultBytes) => {
      const at = await start({ config: { graphql: { maxResultBytes } } });
      at.service.plan = ({ body, subject }) => ({
        kind: 'respond',
        status: 200,
        body: JSON.stringify({
          data: [{ ...notification(subject, 'user'), ...(JSON.parse(body) as object) }],
          messages: ['Long. '.repeat(1000)],
          totalPossibleCount: 1,
        }),
      });
      const operation = bulkOperation('createNotifications', items, { selection: SELECTION });
      const { data, errors, calls } = await send(operation, { at });
      const { results, ...counts } = (data as { createNotifications: Results }).createNotifications;
      expect([errors, calls, counts]).toEqual([undefined, 100, { applied: 100, notApplied: 0, unknown: 0 }]);
      const ended = results.map(({ outcome, notificationGuid }) => [outcome, typeof notificationGuid]);
      expect(ended).toEqual(Array(100).fill(['APPLIED', 'string']));
      const complete = results.filter(({ messages }) => messages.length > 0).length;
      expect(complete).toBeGreaterThan(0);
      expect(complete).toBeLessThan(100);
      expect(Buffer.byteLength(JSON.stringify(results))).toBeLessThanOrEqual(maxResultBytes);
    },
  );

  test('a list keeps 512 KiB of what its rows end with, and every outcome', async () => {
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
    const { data, errors } = await send(
      bulkOperation('createNotifications', all, { selection: 'results { outcome messages }' }),
    );
    gateway.service.plan = () => undefined;
    const results = (data?.['createNotifications']?.results ?? []) as {
      outcome: string;
      messages: string[];
    }[];
    expect([errors, results.length]).toEqual([undefined, 500]);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['APPLIED']));
    const kept = results.flatMap(({ messages }) => messages);
    expect(new Set(kept)).toEqual(new Set([message]));
    const bytes = kept.length * Buffer.byteLength(message);
    expect([bytes > 250_000, bytes <= 524_288]).toEqual([true, true]);
  });

  test('none is sent if there is no room for the outcomes', async () => {
    const at = await start({ config: { graphql: { maxResultBytes: 10_000 } } });
    const operation = bulkOperation('createNotifications', items, { selection: SELECTION });
    const { data, errors, calls } = await send(operation, { at });
    expect([data, calls]).toEqual([{ createNotifications: null }, 0]);
    expect(errors?.map(({ extensions }) => extensions)).toMatchObject([
      { code: 'QUERY_TOO_COMPLEX', outcome: 'NOT_APPLIED' },
    ]);
  });
});

describe('Results of items that are not sent have at most', () => {
  const aliases = (count: number, selection: string) =>
    Array.from({ length: count }, (_, index) => `a${index}: ${selection}`).join(' ');
  const invalid = (count: number) =>
    Array.from({ length: count }, () => itemAbout('trackShipment', ' ', { idempotencyKey: ' ' }));
  const long = Array.from({ length: 200 }, (_, index) =>
    itemAbout('trackShipment', `${index} ${'x'.repeat(400)}`),
  );
  const values =
    'Expected results of at most 25000 values for items that are not sent, got more: select fewer fields';
  const bytes =
    'Expected results of at most 2097152 bytes for items that are not sent, got more: select fewer fields';

  test.each<[string, object[], object, string, string]>([
    ['25,000 values if they are invalid', invalid(500), {}, aliases(45, 'errors { code message }'), values],
    [
      '25,000 values if others are invalid',
      [...invalid(1), ...loads(499)],
      {},
      aliases(45, 'errors { code retryable }'),
      values,
    ],
    [
      '2 MiB of a dry run',
      long,
      { dryRun: true },
      aliases(45, 'shipment { freightProviderReferenceNumber }'),
      bytes,
    ],
  ])('%s', async (_what, items, args, selection, message) => {
    const operation = bulkOperation('trackShipments', items, {
      selection: `results { ${selection} errors { code } }`,
      ...args,
    });
    const { data, errors, calls } = await send(operation);
    expect([data, calls]).toEqual([{ trackShipments: null }, 0]);
    expect(
      errors?.map((error) => [error.message, error.extensions['code'], error.extensions['outcome']]),
    ).toEqual([[message, 'QUERY_TOO_COMPLEX', 'NOT_APPLIED']]);
  });

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
            message: 'The items before it have so many errors that it was neither checked nor sent',
          },
        ],
      };
      expect(results.slice(1, 201).map((result) => result.errors.length)).toEqual(Array(200).fill(5));
      expect(results.slice(201)).toEqual([unchecked, unchecked]);
    },
  );

  test('that of all bulk fields of an operation together, those without a token included', async () => {
    const selection = `results { ${aliases(15, 'errors { code message retryable requestId }')} }`;
    const operation = twice(
      bulkOperation(
        'createNotifications',
        Array.from({ length: 250 }, () => itemAbout('createNotification', 'one')),
        { selection },
      ),
    );
    const { data, errors, calls } = await send(operation, { token: null });
    expect([data?.['first']?.results.length, data?.['second'], calls]).toEqual([250, null, 0]);
    expect(errors?.map((error) => error.message)).toEqual([values]);
  });
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

describe.each(bulkFields)('%s has the same response compiled as interpreted', (many, one) => {
  test.each(['errors { code inputPath } outcome', 'outcome'])('with the selection %s', async (selected) => {
    Object.assign(compiler, { compilations: 0, executions: 0 });
    const at = await start({});
    at.service.plan = ({ subject }) =>
      subject === 'rejected' ? { kind: 'respond', status: 403 } : undefined;
    const items = ['one', 'rejected', ' ', 'two'].map((name) => itemAbout(one, name));
    const operation = bulkOperation(many, items, {
      onInvalidItem: 'SEND_OTHERS',
      selection: `results { ${selected} } applied notApplied unknown`,
    });
    const body = async (parameters: object) => {
      const { status, text } = await post(at.url, parameters);
      return { status, text: text.replaceAll(/"requestId":"[^"]*"/g, '') };
    };
    const interpreted = await body(operation);
    await untilCompiled(() => body(operation));
    const before = compiler.executions;
    expect(await body(operation)).toEqual(interpreted);
    expect(compiler.executions).toBe(before + 1);
    expect(interpreted.text).toContain('"applied":2,"notApplied":2,"unknown":0');
  });
});

test('Metrics count items as single writes, and a request only if all items of a field failed', async () => {
  const port = await freePort();
  const at = await start({ env: { METRICS_PORT: String(port) } });
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
    'shipment_gateway_graphql_mutations_total{outcome="UNKNOWN"}': 3,
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
