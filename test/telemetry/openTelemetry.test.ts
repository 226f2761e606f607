import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCollector, type Collector, type CollectedSpan } from '../support/telemetry/collector.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { fieldNames, SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';
import {
  invalidTraceparents,
  PARENT_ID,
  TRACE_ID,
  TRACEPARENT,
  TRACESTATE,
} from '../support/telemetry/traceContext.js';
import { forTest } from '../support/tools/useStarted.js';
import { until } from '../support/tools/waiting.js';

const READ = 'query List { notifications { messages } }';

let collector: Collector;
let gateway: TestGateway;
let isStopped = false;
beforeEach(async () => {
  collector = await forTest(startCollector());
  isStopped = false;
  gateway = await startGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`,
      SHIPMENT_PARAMETERS: '{"apiKey":"canary-fixed"}',
    },
    config: { service: { retries: 1 } },
  });
});
afterEach(async () => {
  if (!isStopped) await gateway.stop();
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

const text = expect.any(String) as string;
const port = (url: string) => Number(new URL(url).port);

/** The span of a request without errors; attributes that are undefined are not expected. */
const root = (attributes: Record<string, unknown> = {}, isError = false) => ({
  name: 'POST /graphql',
  kind: 2,
  attributes: defined({
    'http.request.method': 'POST',
    'http.route': '/graphql',
    'url.path': '/graphql',
    'url.scheme': 'http',
    'server.address': '127.0.0.1',
    'server.port': port(gateway.url),
    'client.address': '127.0.0.1',
    'network.peer.address': '127.0.0.1',
    'network.peer.port': expect.any(Number) as number,
    'network.protocol.version': '1.1',
    'user_agent.original': 'node',
    'gateway.request_id': text,
    ...attributes,
  }),
  isError,
});

/** The span of a REST call to a path of the service. */
const restCall = (
  method: string,
  template: string,
  attributes: Record<string, unknown>,
  isError = false,
) => ({
  name: `${method} ${template}`,
  kind: 3,
  attributes: defined({
    'http.request.method': method,
    'url.full': `${gateway.serviceUrl}${template}`,
    'url.template': template,
    'server.address': '127.0.0.1',
    'server.port': port(gateway.serviceUrl),
    'network.protocol.version': '1.1',
    'gateway.request_id': text,
    ...attributes,
  }),
  isError,
});
const list = (attributes: Record<string, unknown>, isError = false) =>
  restCall('GET', '/v1/customnotifications', attributes, isError);

function defined(attributes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

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
    list({ 'http.response.status_code': 503, 'error.type': '503' }, true),
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
  expect(collector.requests.map(({ path, headers }) => [path, headers['content-type']])).toEqual([
    ['/base/v1/traces', 'application/json'],
  ]);
  const schema = '"schemaUrl":"https://opentelemetry.io/schemas/1.45.0"'; // of the resource, the scope and its spans
  expect(collector.requests.map(({ text }) => text.match(/"schemaUrl":"[^"]*"/g))).toEqual([
    Array(3).fill(schema),
  ]);
});

test('a REST call with its identifier in the query has the template, and a URL without the identifier', async () => {
  const template = '/v1/customnotifications?notificationGuid={notificationGuid}';
  await gateway.stop();
  gateway = await startGateway({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/base/`, NOTIFICATION_PATH: template },
    toDocumentedForm: (call) => ({ ...call, path: `${call.path}/${SEED_GUID}`, query: '' }),
  });
  gateway.injectFaults({ status: 404 });
  await gateway.execute(`{ notification(notificationGuid: "${SEED_GUID}") { notificationName } }`);
  const [call] = await spans();
  expect(call && withoutIds(call)).toEqual(
    restCall(
      'GET',
      template,
      {
        'url.full': `${gateway.serviceUrl}/v1/customnotifications?REDACTED`,
        'http.response.status_code': 404,
        'error.type': '404',
      },
      true,
    ),
  );
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

test('failures, errors of clients, rejections and disconnects have spans that tell them apart', async () => {
  await gateway.execute('mutation { deleteNotification(notificationGuid: "none") { messages } }');
  gateway.injectFaults({ disconnect: 'beforeResponse' });
  await gateway.execute('mutation { deleteNotification(notificationGuid: "none") { messages } }');
  gateway.injectFaults({ body: '1' });
  await gateway.execute('{ notifications(additionalParameters: { page: 2 }) { messages } }');
  await gateway.execute('{');
  await fetch(`${gateway.url}/other?key=value`);
  const client = new AbortController();
  gateway.takeCalls();
  gateway.injectFaults({ neverRespond: true });
  const response = gateway.execute(READ, { signal: client.signal });
  await until(() => gateway.takeCalls().length === 1);
  client.abort();
  await expect(response).rejects.toThrow('aborted');

  const one = '/v1/customnotifications/{notificationGuid}';
  const remove = (attributes: Record<string, unknown>) => {
    const url = `${gateway.serviceUrl}/v1/customnotifications/REDACTED`;
    return restCall('DELETE', one, { 'url.full': url, ...attributes }, true);
  };
  const query = { 'graphql.operation.type': 'query' };
  const mutation = { 'graphql.operation.type': 'mutation' };
  const status = (code: number) => ({ 'http.response.status_code': code });
  const codes = (...list: string[]) => ({ 'gateway.error_codes': list });
  expect((await spans()).map(withoutIds)).toEqual([
    remove({ ...status(404), 'error.type': '404' }),
    root({ ...mutation, ...status(200), ...codes('NOT_FOUND') }),
    remove({ 'error.type': 'ServiceFailureError' }),
    {
      ...remove({
        'http.request.method': 'GET',
        ...status(404),
        'error.type': '404',
        'gateway.read_back': true,
      }),
      name: `GET ${one}`,
    },
    root({ ...mutation, ...status(200), ...codes('SERVICE_ERROR'), 'error.type': 'SERVICE_ERROR' }, true),
    list(
      {
        'url.full': `${gateway.serviceUrl}/v1/customnotifications?REDACTED`,
        ...status(200),
        'error.type': 'InvalidResponseError',
      },
      true,
    ),
    root(
      {
        ...query,
        ...status(200),
        ...codes('SERVICE_RESPONSE_INVALID'),
        'error.type': 'SERVICE_RESPONSE_INVALID',
      },
      true,
    ),
    root({ ...status(400), ...codes('GRAPHQL_PARSE_FAILED') }),
    {
      ...root({
        'http.request.method': 'GET',
        'http.route': undefined,
        'url.path': '/REDACTED',
        'url.query': 'REDACTED',
        ...status(404),
        ...codes('BAD_REQUEST'),
      }),
      name: 'GET',
    },
    list({}),
    root(
      {
        ...query,
        'graphql.operation.name': 'List',
        ...codes('SERVICE_ERROR'),
        'error.type': 'client_disconnected',
      },
      true,
    ),
  ]);
});

test('the span of a bulk mutation has its items, those that failed, and the worst outcome', async () => {
  gateway.injectFaults({ status: 204 }, { status: 404 }, { status: 204 });
  const items = ['a', 'b', 'c'].map((guid) => `{ notificationGuid: "${guid}" }`).join(' ');
  await gateway.execute(`mutation { deleteNotifications(items: [${items}]) { results { outcome } } }`);
  const collected = (await spans()).map(withoutIds);
  expect(collected.filter(({ kind }) => kind === 2)).toEqual([
    root({
      'graphql.operation.type': 'mutation',
      'http.response.status_code': 200,
      'gateway.items': 3,
      'gateway.failed_items': 1,
      'gateway.outcome': 'NOT_APPLIED',
    }),
  ]);
  expect(collected.length).toBe(4);
});

test('no span contains a token, a fixed parameter or an argument', async () => {
  for (const field of fieldNames) {
    await gateway.execute(asVariables(field, validArguments(field)), { token: 'canary-token' });
  }
  await fetch(`${gateway.url}/canary-path?canary=query`, { headers: { 'x-canary': 'canary-header' } });
  await fetch(`${gateway.url}?query={canary}&variables={"canary":1}`);
  await fetch(new URL('/%canary', gateway.url));
  expect((await spans()).length).toBe(2 * fieldNames.length + 3);
  const sent = collector.requests.map(({ text }) => text).join();
  for (const secret of ['canary', SEED_GUID, 'dock@example.com', '3035550110', 'REF-1001'])
    expect(sent).not.toContain(secret);
});
