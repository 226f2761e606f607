/**
 * Prometheus metrics, named after OpenTelemetry's semantic conventions where they exist, and the server of a port for them and for health
 * checks, which clients of the gateway can neither reach nor keep busy.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Usage } from '../transport/queue.js';
import type { TransportLoad } from '../transport/transport.js';
import { readVersion } from '../version.js';
import { countingObserver } from './counters.js';
import { serverLabels, type MeteredService } from './events.js';
import { countDroppedLines } from './logOutput.js';

export interface GatewayLoad {
  requests: () => Usage;
  connections: () => Promise<Usage>;
  /** Requests that have a large response. */
  largeResponses: () => Usage;
  /** Connections and queue of each origin of the service. */
  rest: () => readonly TransportLoad[];
  /** When the certificate expires that the gateway presents to the service, in milliseconds since the epoch. @default it has none */
  clientCertificateExpiry?: number;
}

export function createMetrics(service: MeteredService, load: GatewayLoad) {
  const registry = new Registry();
  const collectRuntime = addRuntimeMetrics(registry);
  addBuildInfo(registry);
  addDroppedLines(registry);
  addLoadGauges(registry, load);
  addCertificateGauge(registry, load);
  return {
    registry,
    observer: countingObserver(registry, service),
    serve: (address: { host: string; port: number }, healthOf: HealthOf) =>
      serveMetrics({ registry, collectRuntime }, address, healthOf),
  };
}

/** Those of Node.js and the process that an alert, the dashboard or the runbook names; a test compares them. */
const runtimeMetrics = [
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_gc_duration_seconds',
  'nodejs_heap_size_used_bytes',
  'process_cpu_seconds_total',
  'process_open_fds',
  'process_resident_memory_bytes',
  'process_start_time_seconds',
];

/** Returns a function that collects them: some get their values from metrics that are not reported. */
function addRuntimeMetrics(registry: Registry): () => Promise<unknown> {
  const all = new Registry();
  collectDefaultMetrics({ register: all });
  for (const name of runtimeMetrics) {
    const metric = all.getSingleMetric(name);
    if (metric) registry.registerMetric(metric); // open files are known on Linux alone
  }
  return () => all.getMetricsAsJSON();
}

function addBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'shipment_gateway_build_info',
    help: '1; its labels are the versions of the gateway and of Node.js',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version: readVersion(), node_version: process.versions.node }, 1);
}

function addDroppedLines(registry: Registry): void {
  new Counter({
    name: 'shipment_gateway_log_lines_dropped_total',
    help: 'Log lines dropped because stdout could not be written',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(countDroppedLines());
    },
  });
}

function addLoadGauges(registry: Registry, load: GatewayLoad): void {
  const perOrigin = (usageOf: (load: TransportLoad) => Usage) =>
    load.rest().map((each) => ({ labels: serverLabels(new URL(each.origin)), usage: usageOf(each) }));
  addUsage(registry, {
    name: 'shipment_gateway_requests_in_flight',
    help: 'GraphQL requests in flight',
    limitName: 'shipment_gateway_requests_in_flight_limit',
    limitHelp: 'Maximum GraphQL requests in flight',
    read: () => [{ labels: {}, usage: load.requests() }],
  });
  addUsage(registry, {
    name: 'shipment_gateway_large_responses',
    help: 'Requests with a large response in memory',
    limitName: 'shipment_gateway_large_responses_limit',
    limitHelp: 'Maximum requests with a large response in memory; others wait',
    read: () => [{ labels: {}, usage: load.largeResponses() }],
  });
  addUsage(registry, {
    name: 'shipment_gateway_http_server_connections',
    help: 'Open connections of clients',
    limitName: 'shipment_gateway_http_server_connections_limit',
    limitHelp: 'Maximum open connections of clients',
    read: async () => [{ labels: {}, usage: await load.connections() }],
  });
  addUsage(registry, {
    name: 'shipment_gateway_rest_connections_active',
    help: 'Connections to a service origin that REST calls use',
    limitName: 'shipment_gateway_rest_connections_limit',
    limitHelp: 'Maximum connections to a service origin, SERVICE_CONNECTIONS',
    labelNames: ['server_address', 'server_port'],
    read: () => perOrigin(({ active }) => active),
  });
  addUsage(registry, {
    name: 'shipment_gateway_rest_queue_length',
    help: 'REST calls that wait for a connection to a service origin',
    limitName: 'shipment_gateway_rest_queue_limit',
    limitHelp: 'Maximum REST calls that wait for a connection to a service origin, SERVICE_CONNECTIONS × 2',
    labelNames: ['server_address', 'server_port'],
    read: () => perOrigin(({ waiting }) => waiting),
  });
}

/** The certificate is read at the start, so a renewed one counts from the next start on. */
function addCertificateGauge(registry: Registry, { clientCertificateExpiry: expiry }: GatewayLoad): void {
  if (expiry === undefined) return;
  new Gauge({
    name: 'shipment_gateway_rest_client_certificate_remaining_seconds',
    help: 'Time until the certificate of SERVICE_CLIENT_CERT expires',
    registers: [registry],
    collect() {
      this.set((expiry - Date.now()) / 1000);
    },
  });
}

interface UsageGauges {
  name: string;
  help: string;
  limitName: string;
  limitHelp: string;
  labelNames?: string[];
  read: () => LabeledUsage[] | Promise<LabeledUsage[]>;
}

interface LabeledUsage {
  labels: Record<string, string>;
  usage: Usage;
}

function addUsage(
  registry: Registry,
  { name, help, limitName, limitHelp, labelNames = [], read }: UsageGauges,
): void {
  const add = (name: string, help: string, part: keyof Usage) => {
    const gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect: async () => {
        for (const { labels, usage } of await read()) gauge.set(labels, usage[part]);
      },
    });
  };
  add(name, help, 'value');
  add(limitName, limitHelp, 'limit');
}

export interface HealthResponse {
  status: number;
  headers: Record<string, string>;
  body: object;
}

/** The response to a health check; undefined for another path. */
export type HealthOf = (path: string) => HealthResponse | undefined;

export type MetricsServer = Awaited<ReturnType<typeof serveMetrics>>;

/** Scrapers are few; others must not keep connections open, idle or without reading, in milliseconds. */
const SOCKET_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 100;

async function serveMetrics(
  { registry, collectRuntime }: { registry: Registry; collectRuntime: () => Promise<unknown> },
  address: { host: string; port: number },
  healthOf: HealthOf,
) {
  const server = createServer(({ method, url = '' }, response) => {
    const [path = ''] = url.split('?', 1);
    const isRead = method === 'GET' || method === 'HEAD';
    const health = isRead ? healthOf(path) : undefined;
    if (health) {
      const headers = { 'content-type': 'application/json; charset=utf-8', ...health.headers };
      response.writeHead(health.status, headers).end(JSON.stringify(health.body));
      return;
    }
    if (!isRead || path !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    const metrics = async () => {
      await collectRuntime();
      return registry.metrics();
    };
    metrics().then(
      (text) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.setTimeout(SOCKET_TIMEOUT_MS);
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(address);
  await once(server, 'listening');
  const { address: host, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}/metrics`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
