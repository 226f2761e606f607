/** Counters of a cluster survive its workers: Prometheus takes every decrease for a restart, and counts the rest twice. */
import { afterEach, expect, test, vi } from 'vitest';
import { startReferenceService } from '../../../src/reference-service/referenceService.js';
import {
  execute,
  listening,
  requestsByWorker,
  startCluster,
  type Cluster,
} from '../../support/process/clusterProcess.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { scrape, seriesOf } from '../../support/telemetry/metrics.js';
import { freePort } from '../../support/tools/freePort.js';
import { until, untilHolds } from '../../support/tools/waiting.js';

vi.setConfig({ testTimeout: 60_000 });

afterEach(killProcesses);

const READ = '{ notifications { totalPossibleCount } }';
const REQUESTS = 20;

/** Has the primary print which worker sent metrics. */
const PRINT_REPORTS = `
  import cluster from 'node:cluster';
  if (cluster.isPrimary)
    cluster.on('message', (worker) => console.log('Metrics of ' + worker.process.pid + '.'));
`;

type Values = Record<string, number>;

async function start(env: Record<string, string> = {}): Promise<Cluster & { metricsUrl: string }> {
  const port = await freePort();
  const cluster = await startCluster({ METRICS_PORT: String(port), ...env }, PRINT_REPORTS);
  return { ...cluster, metricsUrl: `http://127.0.0.1:${port}/metrics` };
}

/** Sends requests until both workers have logged one, and at least as many as are wanted; returns their number. */
async function load(cluster: Cluster): Promise<number> {
  let sent = 0;
  for (; sent < REQUESTS || requestsByWorker(cluster).size < 2; sent += 1) await execute(cluster.url, READ);
  await untilHolds(() => {
    expect(total(requestsByWorker(cluster))).toBe(sent);
  });
  return sent;
}

function total(byWorker: Map<unknown, number>): number {
  return [...byWorker.values()].reduce((sum, count) => sum + count, 0);
}

/** Requests by the counter and by the histogram. */
function requestsIn(values: Values): number[] {
  return ['graphql_requests_total', 'http_server_request_duration_seconds_count'].map((metric) =>
    seriesOf(values, metric).reduce((sum, { value }) => sum + value, 0),
  );
}

/** Gauges, in spite of their names. */
const GAUGES = /^nodejs_active_/;

/** The series of counters and histograms that are smaller in the second scrape, or missing there. */
function decreased(before: Values, after: Values): string[] {
  return Object.keys(before).filter(
    (name) =>
      !GAUGES.test(name) &&
      /_(?:total|count|sum|bucket)(?:\{|$)/.test(name) &&
      !((after[name] ?? -1) >= (before[name] ?? 0)),
  );
}

/** Waits until a worker has sent what it has counted so far: its next report may be on its way already. */
async function untilReported(cluster: Cluster, worker: number): Promise<void> {
  const reports = () => cluster.output().split(`Metrics of ${worker}.`).length;
  const before = reports();
  await until(() => reports() > before + 1);
}

test('no counter decreases when a worker is killed and replaced', async () => {
  const cluster = await start();
  const sent = await load(cluster);
  const scrapes = [await scrape(cluster.metricsUrl)];
  const latest = () => scrapes.at(-1) ?? {};
  expect(requestsIn(latest())).toEqual([sent, sent]);
  expect(latest()).toMatchObject({ gateway_workers: 2, gateway_worker_restarts_total: 0 });

  process.kill(listening(cluster)[0] as number, 'SIGKILL');
  await untilHolds(async () => {
    scrapes.push(await scrape(cluster.metricsUrl));
    expect(latest()).toMatchObject({ gateway_workers: 2, gateway_worker_restarts_total: 1 });
  });
  const all = sent + REQUESTS;
  for (let count = 0; count < REQUESTS; count += 1) await execute(cluster.url, READ);
  await untilHolds(async () => {
    scrapes.push(await scrape(cluster.metricsUrl));
    expect(requestsIn(latest())).toEqual([all, all]);
  });
  scrapes.slice(1).forEach((after, index) => {
    expect(decreased(scrapes[index] ?? {}, after)).toEqual([]);
  });
  expect(new Set(scrapes.map((values) => values['process_start_time_seconds'])).size).toBe(1);
});

test('what a killed worker had counted is kept although it was never scraped', async () => {
  const cluster = await start();
  const sent = await load(cluster);
  const victim = listening(cluster)[0] as number;
  await untilReported(cluster, victim);
  process.kill(victim, 'SIGKILL');
  await cluster.printed(/"msg":"Worker exited unexpectedly/);
  expect(requestsIn(await scrape(cluster.metricsUrl))).toEqual([sent, sent]);
});

test('a worker that shuts down reports its last requests', async () => {
  const service = await startReferenceService({ faultFor: () => ({ delayMs: 1000 }) });
  const cluster = await start({ DRAIN_DELAY_MS: '0', SERVICE_URL: service.url });
  const tokens = Array.from({ length: 8 }, (_, index) => `token-${index}`);
  const responses = Promise.all(tokens.map((token) => execute(cluster.url, READ, token)));
  await until(() => service.calls.length === tokens.length);
  process.kill(listening(cluster)[0] as number, 'SIGTERM');
  await responses;
  await cluster.printed(/"msg":"Worker exited unexpectedly/);
  await untilHolds(async () => {
    expect(requestsIn(await scrape(cluster.metricsUrl))).toEqual([8, 8]);
  });
  await service.stop();
});

test('a worker that hangs costs its gauges, but no scrape', async () => {
  const cluster = await start();
  const sent = await load(cluster);
  const victim = listening(cluster)[0] as number;
  await untilReported(cluster, victim);
  process.kill(victim, 'SIGSTOP');
  const values = await scrape(cluster.metricsUrl);
  expect(requestsIn(values)).toEqual([sent, sent]);
  expect(values['gateway_requests_in_flight_limit']).toBe(1000);
  process.kill(victim, 'SIGCONT');
});

test('gauges and limits are summed over the workers, and versions, circuits and start are not', async () => {
  const cluster = await start({ MAX_IN_FLIGHT_REQUESTS: '300', SERVICE_CONNECTIONS: '8' });
  const values = await scrape(cluster.metricsUrl);
  const of = (metric: string) => seriesOf(values, metric).map(({ value }) => value);
  expect(of('gateway_requests_in_flight_limit')).toEqual([600]);
  expect(of('rest_connections_limit')).toEqual([16]);
  expect(of('gateway_build_info')).toEqual([1]);
  expect(of('rest_circuit_open')).toEqual([0]);
  expect(of('process_start_time_seconds')).toHaveLength(1);
});
