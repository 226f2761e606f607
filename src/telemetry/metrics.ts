/**
 * Prometheus metrics, named after OpenTelemetry's semantic conventions where they exist, and the server of a port for them and for health
 * checks, which clients of the gateway can neither reach nor keep busy.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type CounterConfiguration,
  type GaugeConfiguration,
  type HistogramConfiguration,
} from 'prom-client';
import type { Usage } from '../transport/queue.js';
import type { TransportLoad } from '../transport/transport.js';
import { readVersion } from '../version.js';
import type { EventEntry, Metric } from './events.js';
import { serverLabels, type Labels, type MeteredService } from './labels.js';
import { countDroppedLines } from './log.js';

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
  collectDefaultMetrics({ register: registry });
  addDroppedLines(registry);
  addReadings(registry, load);
  return {
    registry,
    add: <Payload>(entry: EventEntry<Payload>) => metricsOf(entry, registry, service),
    serve: (address: { host: string; port: number }, healthOf: HealthOf) =>
      serveMetrics(registry, address, healthOf),
  };
}

/** Counts or measures an event. */
type Observe<Payload> = (event: Payload) => void;

/** Buckets in seconds that OpenTelemetry recommends for `http.server.request.duration`. */
const httpBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Each kind of metric: how a series starts at 0, and what an event does with it. */
const kinds = {
  counter(options: CounterConfiguration<string>) {
    const metric = new Counter(options);
    return { metric, start: (labels: Labels) => metric.inc(labels, 0), add: metric.inc.bind(metric) };
  },
  gauge(options: GaugeConfiguration<string>) {
    const metric = new Gauge(options);
    const add = metric.set.bind(metric);
    return { metric, start: (labels: Labels) => add(labels, 0), add };
  },
  histogram(options: HistogramConfiguration<string>) {
    const metric = new Histogram(options);
    return { metric, start: metric.zero.bind(metric), add: metric.observe.bind(metric) };
  },
};

/** Registers the metrics of an event; returns what updates them. */
function metricsOf<Payload>(
  entry: EventEntry<Payload>,
  registry: Registry,
  service: MeteredService,
): Observe<Payload>[] {
  const register = (kind: keyof typeof kinds, definition: Metric<Payload>): Observe<Payload> | [] => {
    const { name, help, buckets = httpBuckets, series = () => [{}], value = () => 1 } = definition;
    const initial = series(service);
    if (initial === undefined) return [];
    const labelNames = Object.keys(initial[0] ?? {});
    const { labels = membersOf(labelNames) } = definition;
    const { metric, start, add } = kinds[kind]({ name, help, labelNames, buckets, registers: [] });
    initial.forEach(start);
    if (initial.length > 0) registry.registerMetric(metric);
    return (event) => {
      if (initial.length === 0) registry.registerMetric(metric); // again does nothing
      const of = labels(event);
      if (!Array.isArray(of)) add(of as Labels, value(event));
      else for (const each of of as Labels[]) add(each, value(event));
    };
  };
  const kindNames = ['counter', 'gauge', 'histogram'] as const;
  return kindNames.flatMap((kind) => [entry[kind] ?? []].flat().flatMap((each) => register(kind, each)));
}

/** Labels that are members of the event. */
function membersOf(names: readonly string[]) {
  return (event: unknown): Labels => {
    const labels: Record<string, string> = {};
    for (const name of names) labels[name] = String((event as Record<string, unknown>)[name]);
    return labels;
  };
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

type Labeled<Value> = readonly [labels: Labels, value: Value];
type Read<Value> = () => Labeled<Value>[] | Promise<Labeled<Value>[]>;

/** Adds the gauges that are read at each scrape. */
function addReadings(registry: Registry, load: GatewayLoad): void {
  const add = (name: string, help: string, read: Read<number>, labelNames: string[] = []) => {
    const collect = async () => {
      for (const [labels, value] of await read()) gauge.set(labels, value);
    };
    const gauge = new Gauge({ name, help, labelNames, registers: [registry], collect });
  };
  /** Each gauge stands next to one of its limit. */
  const addUsage = (
    name: string,
    help: string,
    read: Read<Usage>,
    labelNames?: string[],
    limitName = `${name}_limit`,
  ) => {
    const part = (key: keyof Usage) => async () =>
      (await read()).map(([labels, usage]): Labeled<number> => [labels, usage[key]]);
    add(name, help, part('value'), labelNames);
    add(limitName, `Maximum of ${name}`, part('limit'), labelNames);
  };

  const versions = { version: readVersion(), node_version: process.versions.node };
  add(
    'shipment_gateway_build_info',
    '1; its labels are the versions of the gateway and of Node.js',
    () => [[versions, 1]],
    Object.keys(versions),
  );
  const { clientCertificateExpiry: expiry } = load;
  // The certificate is read at the start: a renewed one counts from the next start on.
  if (expiry !== undefined)
    add(
      'shipment_gateway_rest_client_certificate_remaining_seconds',
      'Time until the certificate of SERVICE_CLIENT_CERT expires',
      () => [[{}, (expiry - Date.now()) / 1000]],
    );
  addUsage('shipment_gateway_requests_in_flight', 'GraphQL requests in flight', () => [
    [{}, load.requests()],
  ]);
  addUsage(
    'shipment_gateway_large_responses',
    'Requests with a large response in memory; others wait',
    () => [[{}, load.largeResponses()]],
  );
  addUsage('shipment_gateway_http_server_connections', 'Open connections of clients', async () => [
    [{}, await load.connections()],
  ]);
  const perOrigin = (part: 'active' | 'waiting') => () =>
    load.rest().map((each): Labeled<Usage> => [serverLabels(new URL(each.origin)), each[part]]);
  const server = ['server_address', 'server_port'];
  addUsage(
    'shipment_gateway_rest_connections_active',
    'Connections to a service origin that REST calls use',
    perOrigin('active'),
    server,
    'shipment_gateway_rest_connections_limit',
  );
  addUsage(
    'shipment_gateway_rest_queue_length',
    'REST calls that wait for a connection to a service origin',
    perOrigin('waiting'),
    server,
    'shipment_gateway_rest_queue_limit',
  );
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

async function serveMetrics(registry: Registry, address: { host: string; port: number }, healthOf: HealthOf) {
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
    registry.metrics().then(
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
