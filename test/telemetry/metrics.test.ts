import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { freePort } from '../support/tools/freePort.js';
import type { InProcessGatewayOptions } from '../support/gateway/inProcessGateway.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { counts, grown, scrape, seriesOf } from '../support/telemetry/metrics.js';
import { asVariables, SEED_GUID, validArguments } from '../support/graphql/rootFields.js';
import { forTest } from '../support/tools/useStarted.js';
import { createGate, until, untilHolds } from '../support/tools/waiting.js';

/** A key of version 7 of the year 2022. */
const OLD_KEY = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';
const READ = '{ notifications { messages } }';
const remove = (guid: string) => `mutation { deleteNotification(notificationGuid: "${guid}") { messages } }`;

let gateway: TestGateway;
let url: string;
beforeEach(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/metrics`;
  const starting = startGateway({
    env: { METRICS_PORT: String(port), RATE_LIMIT: '100/60s', TRUST_PROXY: '1' },
    config: { service: { retries: 1 }, http: { maxInFlightRequests: 5, maxConnections: 50 } },
  });
  gateway = await forTest(starting);
});

/** Another gateway, which stops with the test. */
async function startWithMetrics(
  env: Record<string, string> = {},
  { readsBack = false, config = {} }: Pick<InProcessGatewayOptions, 'config' | 'readsBack'> = {},
) {
  const port = await freePort();
  const starting = startGateway({
    env: { METRICS_PORT: String(port), ...env },
    config: { ...config, service: { retries: 0 } },
    readsBack,
  });
  return { gateway: await forTest(starting), url: `http://127.0.0.1:${port}/metrics` };
}

/** The series whose names match. */
function only(values: Record<string, number>, names: RegExp): Record<string, number> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.test(name)));
}

/** A series as Prometheus writes it, empty labels included. */
function series(name: string, labels: Record<string, string>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${pairs.join(',')}}`;
}
const served = (method: string, status: string, type = '', error = '') =>
  series('http_server_request_duration_seconds_count', {
    http_request_method: method,
    url_scheme: 'http',
    http_response_status_code: status,
    error_type: error,
    graphql_operation_type: type,
  });
const server = ({ serviceUrl } = gateway) => {
  const { hostname, port } = new URL(serviceUrl);
  return { server_address: hostname, server_port: port };
};
const called = (method: string, template: string, status: string, error = '') =>
  series('http_client_request_duration_seconds_count', {
    http_request_method: method,
    url_template: template,
    ...server(),
    http_response_status_code: status,
    error_type: error,
  });
const LIST = '/v1/customnotifications';
const ONE = '/v1/customnotifications/{notificationGuid}';
const failedCall = (method: string, error: string, template = LIST) =>
  series('shipment_gateway_rest_calls_failed_total', {
    http_request_method: method,
    url_template: template,
    failure: error,
  });
const onList = (name: string) => series(name, { http_request_method: 'GET', url_template: LIST });
const failed = (code: string) => series('shipment_gateway_graphql_errors_total', { code });
const fieldsOf = (field: string, outcome: string) =>
  series('shipment_gateway_graphql_mutation_fields_total', { field, outcome });
const circuit = () => series('shipment_gateway_rest_circuit_open', server());

/** Sends an operation and disconnects while its REST call is in flight. */
async function disconnect(query: string): Promise<void> {
  gateway.takeCalls();
  gateway.logLines.length = 0;
  const { opened, open } = createGate();
  gateway.injectFaults({ heldUntil: opened });
  const client = new AbortController();
  const response = gateway.execute(query, { signal: client.signal });
  await until(() => gateway.takeCalls().length === 1);
  client.abort();
  await expect(response).rejects.toThrow('aborted');
  await until(() => gateway.logLines.some(({ msg }) => msg === 'Client disconnected before the response'));
  open();
}

test('counters match a known sequence of requests exactly', async () => {
  for (let count = 0; count < 3; count += 1) await gateway.data(READ);
  await gateway.data(remove(SEED_GUID));
  await gateway.execute(remove('none'));
  gateway.injectFaults({ status: 503 });
  await gateway.data(READ);
  gateway.injectFaults({ body: '{"data":7}' });
  await gateway.execute(READ);
  await gateway.execute('{');
  await gateway.execute('{ notification(notificationGuid: "..") { notificationGuid } }');
  await fetch(gateway.url, { method: 'PUT' });
  await fetch(gateway.url, { method: 'OPTIONS' });
  await fetch(`${gateway.url}/other`);
  await disconnect(READ);
  await disconnect(remove('none'));
  for (let count = 0; count < 101; count += 1)
    await gateway.execute('{ __typename }', { headers: { 'x-forwarded-for': '198.51.100.1' } });

  const expected = {
    [served('POST', '200', 'query')]: 3 + 1 + 1 + 100,
    [served('POST', '200', 'query', 'SERVICE_RESPONSE_INVALID')]: 1,
    [served('POST', '200', 'mutation')]: 2,
    [served('POST', '400')]: 1,
    [served('POST', '429')]: 1,
    [served('POST', '', 'query', 'client_disconnected')]: 1,
    [served('POST', '', 'mutation', 'client_disconnected')]: 1,
    [served('PUT', '405')]: 1,
    [served('OPTIONS', '405')]: 1,
    [served('GET', '404')]: 1,
    [called('GET', LIST, '200')]: 3 + 1,
    [called('GET', LIST, '503', '503')]: 1,
    [called('GET', LIST, '200', 'InvalidResponseError')]: 1,
    [called('GET', LIST, '', 'CancelledError')]: 1,
    [called('DELETE', ONE, '204')]: 1,
    [called('DELETE', ONE, '404', '404')]: 2,
    [onList('shipment_gateway_rest_calls_retried_total')]: 1,
    [failedCall('GET', 'ServiceFailureError')]: 1,
    [failedCall('GET', 'InvalidResponseError')]: 1,
    [failedCall('GET', 'CancelledError')]: 1,
    [failedCall('DELETE', 'RejectedError', ONE)]: 2,
    [series('shipment_gateway_graphql_requests_total', { result: 'success' })]: 3 + 1 + 1 + 100,
    [series('shipment_gateway_graphql_requests_total', { result: 'client_error' })]: 1 + 1 + 1 + 1 + 1,
    [series('shipment_gateway_graphql_requests_total', { result: 'service_error' })]: 1,
    [series('shipment_gateway_graphql_requests_total', { result: 'disconnected' })]: 2,
    [fieldsOf('deleteNotification', 'APPLIED')]: 1,
    [fieldsOf('deleteNotification', 'NOT_APPLIED')]: 2,
    [onList('shipment_gateway_rest_contract_violations_total')]: 1,
    [series('shipment_gateway_rest_calls_cancelled_total', { result: 'aborted' })]: 1,
    [series('shipment_gateway_rest_calls_cancelled_total', { result: 'detached' })]: 1,
    [series('shipment_gateway_http_server_requests_rejected_total', { reason: 'rate_limit' })]: 1,
    [failed('NOT_FOUND')]: 1,
    [failed('SERVICE_RESPONSE_INVALID')]: 1,
    [failed('GRAPHQL_PARSE_FAILED')]: 1,
    [failed('BAD_USER_INPUT')]: 1,
    [failed('BAD_REQUEST')]: 3,
    [failed('RATE_LIMITED')]: 1,
  };
  await untilHolds(async () => {
    expect(await grown(url)).toEqual(expected);
  });
});

test('statuses that are not registered share one label', async () => {
  for (const status of [218, 418, 498, 799, 999]) {
    gateway.injectFaults({ status, body: '{}' });
    await gateway.execute(READ);
  }
  const byStatus: Record<string, number> = {};
  for (const { labels, value } of seriesOf(await grown(url), 'http_client_request_duration_seconds_count')) {
    const status = labels['http_response_status_code'] ?? 'none';
    byStatus[status] = (byStatus[status] ?? 0) + value;
  }
  expect(byStatus).toEqual({ 418: 1, _OTHER: 4 });
});

test('reads after writes of unknown outcome are counted by field and result', async () => {
  const { gateway: readBack, url } = await startWithMetrics({}, { readsBack: true });
  readBack.injectFaults({ status: 500 }, {}, { status: 500 }, { status: 404, body: '{}' });
  await readBack.execute(remove(SEED_GUID));
  await readBack.execute(remove(SEED_GUID));
  const count = (result: string) =>
    series('shipment_gateway_read_backs_total', { field: 'deleteNotification', result });
  const values = await grown(url);
  expect(only(values, /^shipment_gateway_(?:read_backs|graphql_mutation)/)).toEqual({
    [count('different')]: 1,
    [count('confirmed')]: 1,
    [fieldsOf('deleteNotification', 'UNKNOWN')]: 1,
    [fieldsOf('deleteNotification', 'APPLIED')]: 1,
  });
});

test('mutations with an idempotency key are counted by field and result', async () => {
  const { gateway: keyed, url } = await startWithMetrics({ IDEMPOTENCY_STORE: 'memory' });
  const { input } = validArguments('trackShipment') as { input: object };
  const track = (key: string, more: object = {}) =>
    keyed.execute(asVariables('trackShipment', { input: { ...input, ...more } }), {
      headers: { 'idempotency-key': key },
    });
  const [key, lost, rejected, expired] = [randomUUID(), randomUUID(), randomUUID(), OLD_KEY];
  await track(key);
  await track(key);
  await track(key, { additionalParameters: { note: 'another' } });
  keyed.injectFaults({ status: 500 }, { status: 422 });
  for (const each of [lost, rejected, lost, expired]) await track(each);
  const results = [
    ...['applied', 'replayed', 'key_reused', 'unknown'],
    ...['not_applied', 'outcome_unknown', 'key_expired'],
  ];
  const values = await grown(url);
  expect(only(values, /^shipment_gateway_idempot/)).toEqual(
    Object.fromEntries(
      results.map((result) => [
        series('shipment_gateway_idempotent_mutations_total', { field: 'trackShipment', result }),
        1,
      ]),
    ),
  );
  // Without the repeats that an earlier attempt prevented.
  expect(only(values, /^shipment_gateway_graphql_mutation/)).toEqual({
    [fieldsOf('trackShipment', 'APPLIED')]: 2,
    [fieldsOf('trackShipment', 'NOT_APPLIED')]: 2,
    [fieldsOf('trackShipment', 'UNKNOWN')]: 1,
  });
});

test('an outage opens the circuit, and calls are rejected', async () => {
  gateway.injectFault({ status: 500 });
  const codes: unknown[] = [];
  for (let count = 0; count < 30; count += 1) {
    const client = { token: `token-${count}`, headers: { 'x-forwarded-for': `192.0.2.${count}` } };
    codes.push((await gateway.execute(READ, client)).errors?.[0]?.extensions['code']);
  }
  const rejected = codes.filter((code) => code === 'SERVICE_UNAVAILABLE').length;
  expect(rejected).toBe(10);
  expect(await counts(url)).toMatchObject({
    [circuit()]: 1,
    [onList('shipment_gateway_rest_calls_shed_total')]: rejected,
    [failed('SERVICE_UNAVAILABLE')]: rejected,
  });
});

test('gauges show what is in flight, connected and queued, next to its limit', async () => {
  const { gateway: busy, url } = await startWithMetrics(
    { SERVICE_CONNECTIONS: '2', TRUST_PROXY: '1' },
    { config: { http: { maxInFlightRequests: 7, maxConnections: 70 } } },
  );
  const gauges = async () =>
    only(
      await scrape(url),
      /^shipment_gateway_(?:requests_in_flight|large_responses|http_server_connections|rest_(?:connections|queue)_)/,
    );
  const origin = (name: string) => series(name, server(busy));
  const limits = {
    shipment_gateway_requests_in_flight_limit: 7,
    shipment_gateway_large_responses_limit: 3,
    shipment_gateway_http_server_connections_limit: 70,
    [origin('shipment_gateway_rest_connections_limit')]: 2,
    [origin('shipment_gateway_rest_queue_limit')]: 256,
  };
  const idle = {
    ...limits,
    shipment_gateway_requests_in_flight: 0,
    shipment_gateway_large_responses: 0,
    shipment_gateway_http_server_connections: 0,
    [origin('shipment_gateway_rest_connections_active')]: 0,
    [origin('shipment_gateway_rest_queue_length')]: 0,
  };
  expect(await gauges()).toEqual(idle);

  const { opened, open } = createGate();
  busy.injectFault({ heldUntil: opened });
  const responses = Array.from({ length: 5 }, (_, index) =>
    busy.execute(READ, { token: `token-${index}`, headers: { 'x-forwarded-for': `192.0.2.${index}` } }),
  );
  await untilHolds(async () => {
    expect(await gauges()).toEqual({
      ...idle,
      shipment_gateway_requests_in_flight: 5,
      shipment_gateway_http_server_connections: 5,
      [origin('shipment_gateway_rest_connections_active')]: 2,
      [origin('shipment_gateway_rest_queue_length')]: 3,
    });
  });
  open();
  await Promise.all(responses);
  const { shipment_gateway_http_server_connections: kept, ...rest } = await gauges();
  expect({ ...rest, shipment_gateway_http_server_connections: 0 }).toEqual(idle);
  expect(kept).toBeGreaterThan(0); // the connections of this test's client are kept alive
});

test('one gauge names the versions of the package and of Node.js', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const builds = Object.entries(await scrape(url)).filter(([name]) =>
    name.startsWith('shipment_gateway_build_info'),
  );
  expect(builds).toEqual([
    [series('shipment_gateway_build_info', { version, node_version: process.versions.node }), 1],
  ]);
});

test('the metrics port serves nothing but the metrics and health checks, and no other port serves them', async () => {
  const response = await fetch(url);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  expect((await fetch(new URL('/metrics', gateway.url))).status).toBe(404);
  for (const path of ['/', '/graphql', '/livez/x', '/metrics/x'])
    expect((await fetch(new URL(path, url))).status).toBe(404);
  const withQuery = await fetch(new URL('/metrics?x=1', url));
  expect([withQuery.status, await withQuery.text()]).toEqual([200, expect.stringContaining('# HELP')]);
  for (const path of ['/metrics', '/metrics?x=1', '/livez']) {
    const head = await fetch(new URL(path, url), { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  }
  for (const path of ['/metrics', '/livez'])
    expect((await fetch(new URL(path, url), { method: 'POST' })).status).toBe(404);
});
