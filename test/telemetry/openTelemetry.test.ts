import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCollector, type Collector, type CollectedSpan } from '../support/telemetry/collector.js';
import { startGateway, WITH_READ_BACK, type TestGateway } from '../support/gateway/gateway.js';
import { fieldNames, SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';
import {
  invalidTraceparents,
  PARENT_ID,
  TRACE_ID,
  TRACEPARENT,
  TRACESTATE,
} from '../support/telemetry/traceContext.js';
import { until } from '../support/tools/waiting.js';

const READ = 'query List { notifications { messages } }';

let collector: Collector;
let gateway: TestGateway;
let isStopped = false;
beforeEach(async () => {
  collector = await startCollector();
  isStopped = false;
  gateway = await startGateway({
    env: {
      ...WITH_READ_BACK,
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
      OTEL_SERVICE_NAME: 'freight-gateway',
      SERVICE_RETRIES: '1',
      SHIPMENT_PARAMETERS: '{"apiKey":"canary-fixed"}',
    },
  });
});
afterEach(async () => {
  if (!isStopped) await gateway.stop();
  await collector.stop();
});

/** Stops the gateway, which exports all spans, and returns them in the order in which they ended. */
async function spans(): Promise<CollectedSpan[]> {
  isStopped = true;
  await gateway.stop();
  return collector.spans;
}

/** A span without its ids. */
function withoutIds({ name, kind, attributes, isError }: CollectedSpan) {
  return { name, kind, attributes, isError };
}

const root = (attributes: Record<string, unknown> = {}, isError = false) => ({
  name: 'POST /graphql',
  kind: 2,
  attributes: { 'http.request.method': 'POST', 'http.route': '/graphql', ...attributes },
  isError,
});
const list = (attributes: Record<string, unknown>, isError = false) => ({
  name: 'GET /v1/customnotifications',
  kind: 3,
  attributes: { 'http.request.method': 'GET', 'url.template': '/v1/customnotifications', ...attributes },
  isError,
});

test('a request is a span in the client’s trace, with a child span per REST attempt', async () => {
  gateway.injectFaults({ status: 503 });
  const { headers } = await gateway.execute(READ, {
    headers: { traceparent: TRACEPARENT, tracestate: TRACESTATE },
  });
  const [first, second, request, ...others] = (await spans()) as [
    CollectedSpan,
    CollectedSpan,
    CollectedSpan,
  ];
  expect(others).toEqual([]);
  expect([first, second, request].map(withoutIds)).toEqual([
    list({ 'http.response.status_code': 503, 'error.type': 'ServiceFailureError' }, true),
    list({ 'http.request.resend_count': 1, 'http.response.status_code': 200 }),
    root({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'List',
      'http.response.status_code': 200,
    }),
  ]);
  const { traceId, spanId, parentSpanId } = request;
  expect({ traceId, parentSpanId }).toEqual({ traceId: TRACE_ID, parentSpanId: PARENT_ID });
  expect(headers.get('traceparent')).toBe(`00-${TRACE_ID}-${spanId}-01`);
  for (const call of [first, second])
    expect([call.traceId, call.parentSpanId, call.traceState]).toEqual([TRACE_ID, spanId, TRACESTATE]);
  expect(new Set([PARENT_ID, spanId, first.spanId, second.spanId]).size).toBe(4);
  expect(
    gateway.takeCalls().map(({ headers: { traceparent, tracestate } }) => [traceparent, tracestate]),
  ).toEqual([
    [`00-${TRACE_ID}-${first.spanId}-01`, TRACESTATE],
    [`00-${TRACE_ID}-${second.spanId}-01`, TRACESTATE],
  ]);
  expect(collector.requests.map(({ path, type }) => [path, type])).toEqual([
    ['/base/v1/traces', 'application/json'],
  ]);
  expect([...collector.serviceNames]).toEqual(['freight-gateway']);
});

test('a request without a valid traceparent starts a new trace', async () => {
  const headers = [
    {},
    ...invalidTraceparents.map((traceparent) => ({ traceparent, tracestate: TRACESTATE })),
  ];
  const echoed: (string | null)[] = [];
  for (const each of headers)
    echoed.push((await gateway.execute(READ, { headers: each })).headers.get('traceparent'));
  const requests = (await spans()).filter(({ kind }) => kind === 2);
  expect(requests.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)).toEqual(echoed);
  expect(requests.map(({ parentSpanId, traceState }) => [parentSpanId, traceState])).toEqual(
    headers.map(() => [undefined, undefined]),
  );
  expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(headers.length);
  expect(requests.map(({ traceId }) => traceId)).not.toContain(TRACE_ID);
});

test('a trace that the client does not sample is propagated but not exported', async () => {
  await gateway.execute(READ, { headers: { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` } });
  const [call] = gateway.takeCalls();
  expect(call?.headers['traceparent']).toMatch(new RegExp(`^00-${TRACE_ID}-[\\da-f]{16}-00$`));
  expect(await spans()).toEqual([]);
});

test('failed, rejected and abandoned requests have spans, too', async () => {
  await gateway.execute('mutation { deleteNotification(notificationGuid: "none") { messages } }');
  await gateway.execute('{');
  await fetch(`${gateway.url}/other`);
  const client = new AbortController();
  gateway.takeCalls();
  gateway.injectFaults({ neverRespond: true });
  const response = gateway.execute(READ, { signal: client.signal });
  await until(() => gateway.takeCalls().length === 1);
  client.abort();
  await expect(response).rejects.toThrow('aborted');
  const one = '/v1/customnotifications/{notificationGuid}';
  expect((await spans()).map(withoutIds)).toEqual([
    {
      name: `DELETE ${one}`,
      kind: 3,
      attributes: {
        'http.request.method': 'DELETE',
        'url.template': one,
        'http.response.status_code': 404,
        'error.type': 'RejectedError',
      },
      isError: true,
    },
    root(
      { 'graphql.operation.type': 'mutation', 'http.response.status_code': 200, 'error.type': 'NOT_FOUND' },
      true,
    ),
    root({ 'http.response.status_code': 400, 'error.type': 'GRAPHQL_PARSE_FAILED' }, true),
    {
      name: 'GET',
      kind: 2,
      attributes: {
        'http.request.method': 'GET',
        'http.response.status_code': 404,
        'error.type': 'BAD_REQUEST',
      },
      isError: true,
    },
    list({ 'error.type': 'CancelledError' }, true),
    root(
      { 'graphql.operation.type': 'query', 'graphql.operation.name': 'List', 'error.type': 'SERVICE_ERROR' },
      true,
    ),
  ]);
});

test('no span contains a token, a fixed parameter or an argument', async () => {
  for (const field of fieldNames) {
    const { query, variables = {} } = asVariables(field, validArguments(field));
    await gateway.execute(query, { variables, token: 'canary-token' });
  }
  expect((await spans()).length).toBe(2 * fieldNames.length);
  const sent = JSON.stringify(collector.requests);
  for (const secret of ['canary', SEED_GUID, 'dock@example.com', '3035550110', 'REF-1001'])
    expect(sent).not.toContain(secret);
});

test('a read after a write of unknown outcome has an attribute', async () => {
  gateway.injectFaults({ status: 500 });
  const { query, variables = {} } = asVariables('createNotification', validArguments('createNotification'));
  await gateway.execute(query, { variables });
  const [post, readBack] = (await spans()).map(withoutIds);
  expect(post?.attributes).not.toHaveProperty('gateway.read_back');
  expect(readBack).toEqual(list({ 'gateway.read_back': true, 'http.response.status_code': 200 }));
});
