/**
 * Prometheus metrics, named after OpenTelemetry's semantic conventions where they exist, and the server of a port for them and for health
 * checks, which clients of the gateway can neither reach nor keep busy.
 */
import fastify, { type FastifyInstance } from 'fastify';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
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
  addReadings(registry, load);
  return {
    registry,
    /** Registers the metrics of an event; returns what updates them. */
    add: <Payload>(entry: EventEntry<Payload>) =>
      kindNames.flatMap((kind) =>
        [entry[kind] ?? []].flat().map((each) => addMetric(registry, kind, each, service)),
      ),
    serve: (address: { host: string; port: number }, addHealthChecks: AddHealthChecks) =>
      serveMetrics(registry, address, addHealthChecks),
  };
}

/** Buckets in seconds that OpenTelemetry recommends for `http.server.request.duration`. */
const httpBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

type Options = Omit<HistogramConfiguration<string>, 'collect'>;

/** Each kind of metric, and how an event updates it. */
const kinds = {
  counter(options: Options) {
    const metric = new Counter(options);
    return { metric, add: metric.inc.bind(metric) };
  },
  gauge(options: Options) {
    const metric = new Gauge(options);
    return { metric, add: metric.set.bind(metric) };
  },
  histogram(options: Options) {
    const metric = new Histogram(options);
    return { metric, add: metric.observe.bind(metric) };
  },
};
const kindNames = ['counter', 'gauge', 'histogram'] as const;

/** Returns what counts or measures an event. */
function addMetric<Payload>(
  registry: Registry,
  kind: keyof typeof kinds,
  definition: Metric<Payload>,
  service: MeteredService,
): (event: Payload) => void {
  const { name, help, buckets = httpBuckets, series = () => [{}], value = () => 1 } = definition;
  const initial = series(service);
  const labelNames = Object.keys(initial[0] ?? {});
  const membersOf = (event: Payload) =>
    Object.fromEntries(labelNames.map((name) => [name, String(event[name as keyof Payload])]));
  const { labels = membersOf } = definition;
  const { metric, add } = kinds[kind]({ name, help, labelNames, buckets, registers: [] });
  for (const each of initial)
    if (metric instanceof Histogram) metric.zero(each);
    else add(each, 0);
  if (initial.length > 0) registry.registerMetric(metric);
  return (event) => {
    if (initial.length === 0) registry.registerMetric(metric); // again does nothing
    const of = labels(event);
    if (!Array.isArray(of)) add(of as Labels, value(event));
    else for (const each of of as Labels[]) add(each, value(event));
  };
}

/** Adds the metrics that are read at each scrape. */
function addReadings(registry: Registry, load: GatewayLoad): void {
  const registers = [registry];
  /** A gauge, and one of its limit. */
  const addUsage = (
    name: string,
    help: string,
    read: () => Promise<Usage> | Usage | readonly [Labels, Usage][],
    labelNames: string[] = [],
  ) => {
    const add = (key: keyof Usage, name: string, help: string) =>
      new Gauge({
        ...{ name, help, labelNames, registers },
        async collect() {
          const usage = await read();
          const readings = 'limit' in usage ? [[{}, usage] as const] : usage;
          for (const [labels, each] of readings) this.set(labels, each[key]);
        },
      });
    add('value', name, help);
    add('limit', `${name.replace(/_(?:active|length)$/, '')}_limit`, `Maximum of ${name}`);
  };
  addUsage('shipment_gateway_requests_in_flight', 'GraphQL requests in flight', load.requests);
  addUsage(
    'shipment_gateway_large_responses',
    'Requests with a large response in memory; others wait',
    load.largeResponses,
  );
  addUsage('shipment_gateway_http_server_connections', 'Open connections of clients', load.connections);
  const server = ['server_address', 'server_port'];
  addUsage(
    'shipment_gateway_rest_connections_active',
    'Connections to a service origin that REST calls use',
    () => load.rest().map(({ origin, active }) => [serverLabels(new URL(origin)), active]),
    server,
  );
  addUsage(
    'shipment_gateway_rest_queue_length',
    'REST calls that wait for a connection to a service origin',
    () => load.rest().map(({ origin, waiting }) => [serverLabels(new URL(origin)), waiting]),
    server,
  );

  new Gauge({
    name: 'shipment_gateway_build_info',
    help: '1; its labels are the versions of the gateway and of Node.js',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version: readVersion(), node_version: process.versions.node }, 1);
  const { clientCertificateExpiry: expiry } = load;
  // The certificate is read at the start: a renewed one counts from the next start on.
  if (expiry !== undefined)
    new Gauge({
      name: 'shipment_gateway_rest_client_certificate_remaining_seconds',
      help: 'Time until the certificate of SERVICE_CLIENT_CERT expires',
      registers,
      collect() {
        this.set((expiry - Date.now()) / 1000);
      },
    });
  new Counter({
    name: 'shipment_gateway_log_lines_dropped_total',
    help: 'Log lines dropped because stdout could not be written',
    registers,
    collect() {
      this.reset();
      this.inc(countDroppedLines());
    },
  });
}

/** Adds the routes of liveness and readiness to a server. */
export type AddHealthChecks = (server: FastifyInstance) => void;

/** Scrapers are few; others must not keep connections open, idle or without reading, in milliseconds. */
const SOCKET_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 100;

async function serveMetrics(
  registry: Registry,
  address: { host: string; port: number },
  addHealthChecks: AddHealthChecks,
) {
  const server = fastify({
    connectionTimeout: SOCKET_TIMEOUT_MS,
    requestTimeout: SOCKET_TIMEOUT_MS,
    forceCloseConnections: true,
  });
  server.server.maxConnections = MAX_CONNECTIONS;
  server.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  addHealthChecks(server);
  const url = `${await server.listen(address)}/metrics`;
  return { url, stop: () => server.close() };
}
