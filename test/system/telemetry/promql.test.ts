/** Every query of docs/operations.md shows a burst that happened between two scrapes of a gateway that had just started. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeBlocks } from '../../docs/support/markdown.js';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { SEED_GUID } from '../../support/graphql/rootFields.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import {
  promtool,
  recordScrapes,
  type RecordedScrapes,
  type Sample,
} from '../../support/telemetry/recordedScrapes.js';
import { freePort } from '../../support/tools/freePort.js';
import { until } from '../../support/tools/waiting.js';

const skipReason = reasonToSkip('promtool', 'prometheus');
skipIf(skipReason);

const READ = '{ notifications { messages } }';
const REMOVE = `mutation { deleteNotification(notificationGuid: "${SEED_GUID}") { messages } }`;
/** Requests of as many clients during an outage; the circuit opens meanwhile. */
const OUTAGE_REQUESTS = 30;

let gateway: TestGateway;
let recorded: RecordedScrapes;
let text: string;
/** Requests that are still in flight during the second scrape. */
let held: { count: number; release: () => Promise<void> };
/** Requests of the outage whose REST calls were rejected because the circuit was open. */
let rejectedCalls: number;

beforeAll(async () => {
  if (skipReason !== undefined) return;
  const port = await freePort();
  gateway = await startGateway({
    env: {
      METRICS_PORT: String(port),
      TRUST_PROXY: '1',

      SERVICE_CONNECTIONS: '4',
    },
    config: { http: { maxInFlightRequests: 8, maxConnections: 10_000 }, service: { retries: 1 } },
  });
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const before = await scrape();
  await sendBurst();
  text = await scrape();
  recorded = await recordScrapes([before, text]);
}, 60_000);

afterAll(async () => {
  if (skipReason !== undefined) return;
  await recorded.stop();
  await held.release();
  await gateway.stop();
});

async function sendBurst(): Promise<void> {
  for (let count = 0; count < 3; count += 1) await gateway.data(READ);

  gateway.injectFaults({ status: 503 });
  await gateway.data(READ); // retried

  const deduplicated = await holdRead({ delayMs: 500 });
  await gateway.data(READ);
  await deduplicated.response;

  gateway.injectFaults({ body: '{"data":7}' });
  await gateway.execute(READ); // violates the contract

  gateway.injectFaults({ status: 500 }, {}, { status: 500 }, { status: 404, body: '{}' });
  await gateway.execute(REMOVE); // the read-back finds it
  await gateway.data(REMOVE); // the read-back confirms it

  const abandoned = await holdRead({ neverRespond: true });
  abandoned.disconnect();
  await expect(abandoned.response).rejects.toThrow('aborted');

  gateway.injectFault({ delayMs: 500 });
  const clients = Array.from({ length: 10 }, (_, index) => ({
    token: `token-${index}`,
    headers: { 'x-forwarded-for': `198.51.100.${index}` },
  }));
  await Promise.all(clients.map((client) => gateway.execute(READ, client))); // two too many

  gateway.injectFault(undefined);
  const slow = [
    await holdRead({ neverRespond: true }, 'slow-1'),
    await holdRead({ neverRespond: true }, 'slow-2'),
  ];
  held = {
    count: slow.length,
    release: async () => {
      for (const { disconnect } of slow) disconnect();
      await Promise.allSettled(slow.map(({ response }) => response));
    },
  };

  gateway.injectFault({ status: 500 });
  const codes: unknown[] = [];
  for (let index = 0; index < OUTAGE_REQUESTS; index += 1) {
    const client = { token: `client-${index}`, headers: { 'x-forwarded-for': `192.0.2.${index}` } };
    codes.push((await gateway.execute(READ, client)).errors?.[0]?.extensions['code']);
  }
  rejectedCalls = codes.filter((code) => code === 'SERVICE_UNAVAILABLE').length;
}

/** Sends a read; resolves once its REST call, which has the fault, has arrived. */
async function holdRead(fault: Parameters<TestGateway['injectFaults']>[0], token?: string) {
  gateway.takeCalls();
  gateway.injectFaults(fault);
  const client = new AbortController();
  const response = gateway.execute(READ, { signal: client.signal, ...(token !== undefined && { token }) });
  response.catch(() => undefined);
  await until(() => gateway.takeCalls().length === 1);
  return {
    response,
    disconnect: () => client.abort(),
  };
}

/** What the queries find: labels and values. Only the order of magnitude of a time is known. */
function expectedResults(): Record<string, Sample[]> {
  const failedCalls = OUTAGE_REQUESTS - rejectedCalls;
  const serviceErrors = 1 + 1 + 2 + OUTAGE_REQUESTS;
  const successes = 3 + 1 + 2 + 1 + 8;
  const { hostname, port } = new URL(gateway.serviceUrl);
  const origin = { server_address: hostname, server_port: port };
  const one = (value: number, labels = {}) => [{ labels, value }];
  const by = (label: string, counts: Record<string, number>) =>
    Object.entries(counts).map(([name, count]) => ({ labels: { [label]: name }, value: perSecond(count) }));
  return {
    'sum(rate(shipment_gateway_graphql_requests_total{result=~"service_error|internal_error"}[5m])) / sum(rate(shipment_gateway_graphql_requests_total[5m]))':
      one(serviceErrors / (serviceErrors + successes + 1)),
    'sum by (field) (increase(shipment_gateway_graphql_mutation_fields_total{outcome="UNKNOWN"}[1h])) > 0':
      one(1, {
        field: 'deleteNotification',
      }),
    'histogram_quantile(0.99, sum by (le) (rate(http_server_request_duration_seconds_bucket[5m])))': one(
      expect.closeTo(5, -1) as number,
    ),
    'sum by (failure) (rate(shipment_gateway_rest_calls_failed_total[5m])) > 0': by('failure', {
      CancelledError: 1,
      InvalidResponseError: 1,
      RejectedError: 2, // the read-back, and the control read that finds out how the service's own 404 looks
      ServiceFailureError: 1 + 2 + failedCalls,
    }),
    'sum by (code) (rate(shipment_gateway_graphql_errors_total[5m])) > 0': by('code', {
      SERVICE_ERROR: 1 + failedCalls,
      SERVICE_RESPONSE_INVALID: 1,
      SERVICE_UNAVAILABLE: 2 + rejectedCalls,
    }),
    'shipment_gateway_requests_in_flight / shipment_gateway_requests_in_flight_limit': one(held.count / 8),
    'shipment_gateway_http_server_connections / shipment_gateway_http_server_connections_limit': one(
      expect.closeTo(0, 2) as number,
    ),
    'shipment_gateway_large_responses / shipment_gateway_large_responses_limit': one(0),
    'shipment_gateway_rest_connections_active / shipment_gateway_rest_connections_limit': one(
      held.count / 4,
      origin,
    ),
    'shipment_gateway_rest_queue_length / shipment_gateway_rest_queue_limit': one(0, origin),
    'sum(rate(shipment_gateway_wait_duration_seconds_count{resource="connection"}[5m]))': one(
      perSecond(4), // of eight clients at once with four connections
    ),
    'sum(rate(shipment_gateway_rest_calls_retried_total[5m]))': one(perSecond(1)),
    'sum(rate(shipment_gateway_rest_calls_deduplicated_total[5m]))': one(perSecond(1)),
    'sum by (reason) (rate(shipment_gateway_http_server_requests_rejected_total[5m])) > 0': by('reason', {
      in_flight_requests: 2,
    }),
    'sum(rate(shipment_gateway_rest_calls_shed_total[5m]))': one(perSecond(rejectedCalls)),
    'sum(rate(shipment_gateway_read_backs_total{result="confirmed"}[1h])) / sum(rate(shipment_gateway_read_backs_total{field!="createNotification"}[1h]))':
      one(1 / 2),
    'sum by (result) (rate(shipment_gateway_rest_calls_cancelled_total[5m])) > 0': by('result', {
      aborted: 1,
    }),
    'max by (server_address, server_port) (shipment_gateway_rest_circuit_open) == 1': one(1, origin),
    'increase(shipment_gateway_rest_contract_violations_total[15m]) > 0': one(1, {
      http_request_method: 'GET',
    }),
  };
}

/** A rate over five minutes: Prometheus extrapolates nothing before a counter's 0, nor after its last sample. */
function perSecond(count: number): number {
  return count / 300;
}

test('every query of docs/operations.md finds the burst', async () => {
  expect(rejectedCalls).toBeGreaterThan(0);
  const queries = codeBlocks('docs/operations.md')
    .filter(({ language }) => language === 'promql')
    .flatMap((block) => block.text.split('\n'))
    .filter((line) => line !== '' && !line.startsWith('#'));
  const results = await Promise.all(
    queries.map(async (query) => [query, (await recorded.query(query)).sort(byLabels)] as const),
  );
  expect(rounded(Object.fromEntries(results))).toEqual(rounded(expectedResults()));
});

function byLabels(a: Sample, b: Sample): number {
  return JSON.stringify(a.labels).localeCompare(JSON.stringify(b.labels));
}

/** Without the errors of floating-point numbers. */
function rounded(results: Record<string, Sample[]>): Record<string, Sample[]> {
  const round = (value: number) => (typeof value === 'number' ? Math.round(value * 1e9) / 1e9 : value);
  return Object.fromEntries(
    Object.entries(results).map(([query, samples]) => [
      query,
      samples.map(({ labels, value }) => ({ labels, value: round(value) })),
    ]),
  );
}

describe('promtool', () => {
  test.each([
    ['accepts the rules', ['check', 'rules', 'deploy/observability/alerts.yaml']],
    ['accepts the sample configuration', ['check', 'config', 'deploy/observability/prometheus.yaml']],
    [
      'finds that each alert fires when it should',
      ['test', 'rules', 'deploy/observability/alerts.test.yaml'],
    ],
  ])('%s', (_does, args) => {
    expect(() => promtool(args)).not.toThrow();
  });

  test('accepts the format of the metrics, and the names of all that are the gateway’s own', () => {
    expect(() => promtool(['check', 'metrics'], ownMetrics(text))).not.toThrow();
  });
});

/** Without those of prom-client, which calls some gauges `_total`. */
function ownMetrics(exposition: string): string {
  const lines = exposition.split('\n');
  return lines.filter((line) => !/^(?:# (?:HELP|TYPE) )?(?:nodejs|process)_/.test(line)).join('\n');
}
