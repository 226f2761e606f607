/** The rules, the dashboard and the runbook fit what Prometheus scrapes from gateways that have served all kinds of requests. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMockService, type MockService } from '../../../src/mock/mockService.js';
import {
  dashboardQueries,
  readAlerts,
  readRecordings,
  runbookQueries,
} from '../../support/deploy/observability.js';
import { codeBlocks } from '../../docs/support/markdown.js';
import { asVariables, SEED_GUID, validArguments } from '../../support/graphql/rootFields.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';
import { reasonToSkip, skipTestIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { scrape, seriesOf } from '../../support/telemetry/metrics.js';
import { startPrometheus, type Prometheus } from '../../support/telemetry/prometheus.js';
import { groupingLabelsIn, selectorsIn } from '../../support/telemetry/promql.js';
import { freePort } from '../../support/tools/freePort.js';
import { until, untilHolds } from '../../support/tools/waiting.js';
import { post } from '../../support/http/post.js';

const READ = '{ notifications { messages } }';
const REMOVE = `mutation { deleteNotification(notificationGuid: "${SEED_GUID}") { messages } }`;

const reason = reasonToSkip('prometheus', 'promtool', 'redis-server');
/** That fail in a row: the circuit opens meanwhile. */
const OUTAGE_READS = 30;
let service: MockService;
let prometheus: Prometheus;
/** The series before the first request, and after the last one, by instance. */
let first: Record<string, number>;
let last: Record<string, number>;
/** Of a gateway. */
let exposition: string;

beforeAll(async () => {
  if (reason !== undefined) return;
  service = await startMockService();
  const redis = await startRedis();
  const gateways = await Promise.all([
    start({
      REDIS_URL: redis.url,
      RATE_LIMIT: '1/60s',
    }),
    start({ IDEMPOTENCY_STORE: 'off' }),
  ]);
  const [shared, alone] = gateways;
  const scrapeBoth = async () => ({ ...(await scrape(alone.metrics)), ...(await scrape(shared.metrics)) });
  first = await scrapeBoth();
  prometheus = await startPrometheus(gateways.map(({ target }) => target));
  // Counters have to be scraped before they grow.
  await untilHolds(async () => {
    expect(
      await prometheus.query('shipment_gateway_graphql_requests_total{result="success"} == 0'),
    ).toHaveLength(2);
  });
  for (const { origin } of gateways) await serveAll(origin);
  last = await scrapeBoth();
  exposition = await (await fetch(alone.metrics)).text();
}, 60_000);

afterAll(async () => {
  if (reason !== undefined) return;
  await prometheus.stop();
  killProcesses();
  await service.stop();
});

async function start(env: Record<string, string>) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const gateway = startGatewayProcess({
    env: {
      NODE_ENV: 'production',
      SERVICE_URL: service.url,
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      ...env,
    },
  });
  const origin = await gateway.listening();
  const target = `127.0.0.1:${metricsPort}`;
  return { origin, target, metrics: `http://${target}/metrics` };
}

/** Has a gateway serve requests of each result and each outcome. */
async function serveAll(origin: string): Promise<void> {
  const { query, variables } = asVariables('createNotification', validArguments('createNotification'));
  await send(origin, READ);
  await send(origin, '{ color }');
  await send(origin, query, variables, { 'idempotency-key': randomUUID() });
  service.injectFaults({ status: 503 }); // retried
  await send(origin, READ);
  service.injectFaults({ status: 500 });
  await send(origin, READ);
  service.injectFaults({ body: '{"data":7}' });
  await send(origin, READ);
  service.injectFaults({ status: 500 }); // and read back
  await send(origin, REMOVE);
  for (let count = 0; count < 2; count += 1)
    await send(origin, READ, {}, { authorization: 'Bearer frequent' });

  const abandoned = new AbortController();
  service.injectFaults({ neverRespond: true });
  const before = service.calls.length;
  let isOver = false;
  const read = send(origin, READ, {}, {}, abandoned.signal)
    .catch(() => undefined)
    .finally(() => (isOver = true));
  await until(() => isOver || service.calls.length > before); // over the rate limit, there is no call
  abandoned.abort();
  await read;
  service.reset();

  for (let count = 0; count < OUTAGE_READS; count += 1)
    await send(origin, READ, {}, { authorization: 'Bearer demo-500' });
}

async function send(
  origin: string,
  query: string,
  variables?: Record<string, unknown>,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<void> {
  await post(
    `${origin}/graphql`,
    { query, variables },
    { token: randomUUID(), headers, ...(signal && { signal }) },
  );
}

/** Labels that Prometheus adds to each series of a target, or to that of an alert. */
const TARGET_LABELS = ['namespace', 'job', 'instance'];
/** Series that Prometheus itself makes. */
const OWN_SERIES: Readonly<Record<string, string[]>> = {
  shipment_gateway_rest_client_certificate_remaining_seconds: [], // only with a client certificate
  up: [],
  ALERTS: ['alertname', 'alertstate', 'severity'],
  ...Object.fromEntries(readRecordings().map(({ record }) => [record, []])),
};

const queries = [
  ...readRecordings().map(({ record, expr }) => ({ where: record, query: expr })),
  ...readAlerts().map(({ alert, expr }) => ({ where: alert, query: expr })),
  ...dashboardQueries(),
  ...runbookQueries().map((query) => ({ where: 'the runbook', query })),
];

/** The labels of a metric; undefined if there is no such metric. */
function labelsOf(metric: string): string[] | undefined {
  const own = OWN_SERIES[metric];
  if (own) return own;
  const series = seriesOf(last, metric);
  return series.length === 0 ? undefined : [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))];
}

test('the gateway has every metric and label that a query names', (context) => {
  skipTestIf(reason, context);
  const unknown = queries.flatMap(({ where, query }) => {
    const selectors = selectorsIn(query);
    if (!query.startsWith('vector(')) expect(selectors, query).not.toEqual([]);
    const all = [...TARGET_LABELS, ...selectors.flatMap(({ metric }) => labelsOf(metric) ?? [])];
    return [
      ...selectors.filter(({ metric }) => labelsOf(metric) === undefined).map(({ metric }) => metric),
      ...selectors.flatMap(({ metric, matchers }) =>
        matchers
          .filter(({ label }) => ![...TARGET_LABELS, ...(labelsOf(metric) ?? [])].includes(label))
          .map(({ label }) => `${metric}{${label}}`),
      ),
      ...groupingLabelsIn(query).filter((label) => !all.includes(label)),
    ].map((name) => `${where}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

test('every series that an alert selects is there before the first request', (context) => {
  skipTestIf(reason, context);
  const missing = readAlerts().flatMap(({ alert, expr }) =>
    selectorsIn(expr)
      .filter(({ metric }) => OWN_SERIES[metric] === undefined)
      .flatMap(({ metric, matchers }) => {
        const series = seriesOf(first, metric);
        const values = matchers
          .filter(({ label }) => !TARGET_LABELS.includes(label))
          .flatMap(({ label, values }) => values.map((value) => ({ label, value })));
        const absent = values.filter(
          ({ label, value }) => !series.some(({ labels }) => labels[label] === value),
        );
        return series.length === 0
          ? [`${alert}: ${metric}`]
          : absent.map(({ label, value }) => `${alert}: ${metric}{${label}="${value}"}`);
      }),
  );
  expect(missing).toEqual([]);
});

describe('Prometheus', () => {
  test('evaluates every rule', async (context) => {
    skipTestIf(reason, context);
    await untilHolds(async () => {
      const rules = await prometheus.rules();
      expect(rules).toHaveLength(readAlerts().length + readRecordings().length);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    });
  });

  test('has data for every query of the dashboard', async (context) => {
    skipTestIf(reason, context);
    let empty = dashboardQueries();
    await untilHolds(async () => {
      const results = await Promise.all(empty.map(({ query }) => prometheus.query(query)));
      empty = empty.filter((_, index) => results[index]?.length === 0);
      expect(empty).toEqual([]);
    });
  });

  test('has data for every query of docs/operations.md', async (context) => {
    skipTestIf(reason, context);
    let empty = codeBlocks('docs/operations.md')
      .filter(({ language }) => language === 'promql')
      .flatMap((block) => block.text.split('\n'))
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(empty.length).toBeGreaterThan(15);
    await untilHolds(async () => {
      const results = await Promise.all(empty.map((query) => prometheus.query(query)));
      empty = empty.filter((_, index) => results[index]?.length === 0);
      expect(empty).toEqual([]);
    });
  });

  test('accepts every query of the runbook', async (context) => {
    skipTestIf(reason, context);
    for (const query of runbookQueries()) await prometheus.query(query);
  });

  test('fires the alerts that a single event is enough for: a violation of the contract, and a key where keys are not enabled', async (context) => {
    skipTestIf(reason, context);
    await untilHolds(async () => {
      const firing = await prometheus.query('ALERTS{alertstate="firing"}');
      const names = firing.map(({ metric }) => metric['alertname']);
      expect(names).toEqual(
        expect.arrayContaining(['GatewayContractViolation', 'GatewayIdempotencyUnavailable']),
      );
    });
  });
});

describe('promtool', () => {
  const promtool = (args: readonly string[], input = '') => {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      env: minimalEnv,
      input,
      encoding: 'utf8',
    });
    return status === 0 ? 'ok' : `${stdout}${stderr}`;
  };

  test.each([
    ['accepts the rules', ['check', 'rules', 'deploy/observability/alerts.yaml']],
    ['accepts the sample configuration', ['check', 'config', 'deploy/observability/prometheus.yaml']],
    [
      'finds that each alert fires when it should',
      ['test', 'rules', 'deploy/observability/alerts.test.yaml'],
    ],
  ])('%s', (_does, args) => {
    if (reason === undefined) expect(promtool(args)).toBe('ok');
  });

  test('accepts the format of the metrics, and the names of all that are the gateway’s own', (context) => {
    skipTestIf(reason, context);
    // Without those of prom-client, which calls some gauges `_total`.
    const lines = exposition.split('\n');
    const own = lines.filter((line) => !/^(?:# (?:HELP|TYPE) )?(?:nodejs|process)_/.test(line));
    expect(promtool(['check', 'metrics'], own.join('\n'))).toBe('ok');
  });
});
