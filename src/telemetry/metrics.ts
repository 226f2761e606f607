/**
 * Prometheus metrics, named after OpenTelemetry's semantic conventions where they exist, and the server of a port for them and for health
 * checks, which clients of the gateway can neither reach nor keep busy.
 */
import fastify, { type FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Usage } from '../transport/queue.js';
import type { TransportLoad } from '../transport/transport.js';
import { readVersion } from '../version.js';
import type { EventEntry, Metric } from './events.js';
import { serverLabels, type Labels, type MeteredService } from './requestSummary.js';
import { countDroppedLines } from './log.js';

export interface GatewayLoad {
  requests: () => Usage;
  connections: () => Promise<Usage>;
  largeResponses: () => Usage;
  rest: () => readonly TransportLoad[];
  /** Whether Redis accepts idempotency keys; undefined if they are not in Redis. */
  acceptsKeys: (() => boolean) | undefined;
  /** When the certificate expires that the gateway presents to the service, in milliseconds since the epoch; undefined if it has none. */
  clientCertificateExpiry: number | undefined;
}

export type AddHealthChecks = (server: FastifyInstance) => void;

/** Scrapers are few; others must not keep connections open, idle or without reading, in milliseconds. */
const SOCKET_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 100;

export function createMetrics(service: MeteredService, load: GatewayLoad) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addReadings(registry, load);
  return {
    registry,
    /** Registers the metrics of an event; returns what updates them. */
    add: <Payload>({ metrics = [] }: EventEntry<Payload>) =>
      [metrics].flat().map((each) => addMetric(registry, each, service)),
    async serve(address: { host: string; port: number }, addHealthChecks: AddHealthChecks) {
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
      await server.listen(address);
      return server;
    },
  };
}

/** Buckets in seconds that OpenTelemetry recommends for `http.server.request.duration`. */
const httpBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

function addMetric<Payload>(registry: Registry, definition: Metric<Payload>, service: MeteredService) {
  const { name, help, series = () => [{}], seconds, buckets = httpBuckets } = definition;
  const initial = series(service);
  const labelNames = Object.keys(initial[0] ?? {});
  const membersOf = (event: Payload): Labels =>
    Object.fromEntries(labelNames.map((name) => [name, String(event[name as keyof Payload])]));
  const { labels = membersOf } = definition;
  const options = { name, help, labelNames, registers: [registry] };
  if (seconds) {
    const histogram = new Histogram({ ...options, buckets });
    for (const each of initial) histogram.zero(each);
    return (event: Payload) => histogram.observe(labels(event) as Labels, seconds(event));
  }
  const counter = new Counter(options);
  for (const each of initial) counter.inc(each, 0);
  return (event: Payload) => {
    const of = labels(event);
    if (!Array.isArray(of)) counter.inc(of as Labels);
    else for (const each of of as Labels[]) counter.inc(each);
  };
}

/** Gauges of each origin of the service: what they show, and how it is read. */
const gaugesOfOrigins: Record<string, [help: string, read: (load: TransportLoad) => number]> = {
  shipment_gateway_rest_connections_active: ['Connections in use', ({ active }) => active.value],
  shipment_gateway_rest_connections_limit: ['Maximum connections', ({ active }) => active.limit],
  shipment_gateway_rest_queue_length: ['Calls waiting for a connection', ({ waiting }) => waiting.value],
  shipment_gateway_rest_queue_limit: ['Maximum calls that may wait', ({ waiting }) => waiting.limit],
  shipment_gateway_rest_circuit_open: ['1 while the circuit is open', (each) => Number(each.isCircuitOpen)],
};

/** Adds the metrics that are read at each scrape. */
function addReadings(registry: Registry, load: GatewayLoad): void {
  const registers = [registry];
  const addGauge = (name: string, help: string, read: () => Promise<number> | number) =>
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        this.set(await read());
      },
    });
  const addUsage = (name: string, help: string, read: () => Promise<Usage> | Usage) => {
    addGauge(name, help, async () => (await read()).value);
    addGauge(`${name}_limit`, `Maximum of ${name}`, async () => (await read()).limit);
  };
  addUsage('shipment_gateway_requests_in_flight', 'GraphQL requests in flight', load.requests);
  addUsage(
    'shipment_gateway_large_responses',
    'Requests with a large response in memory; others wait',
    load.largeResponses,
  );
  addUsage('shipment_gateway_http_server_connections', 'Open connections of clients', load.connections);
  for (const [name, [help, read]] of Object.entries(gaugesOfOrigins))
    new Gauge({
      ...{ name, help, registers, labelNames: ['server_address', 'server_port'] },
      collect() {
        for (const each of load.rest()) this.set(serverLabels(new URL(each.origin)), read(each));
      },
    });
  const { acceptsKeys, clientCertificateExpiry: expiry } = load;
  if (acceptsKeys)
    addGauge(
      'shipment_gateway_idempotency_store_available',
      '1 while Redis accepts idempotency keys, 0 while they are rejected because it does not',
      () => Number(acceptsKeys()),
    );
  // The certificate is read at the start: a renewed one counts from the next start on.
  if (expiry !== undefined)
    addGauge(
      'shipment_gateway_rest_client_certificate_remaining_seconds',
      'Time until the certificate of SERVICE_CLIENT_CERT expires',
      () => (expiry - Date.now()) / 1000,
    );
  new Gauge({
    name: 'shipment_gateway_build_info',
    help: '1; its labels are the versions of the gateway and of Node.js',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version: readVersion(), node_version: process.versions.node }, 1);
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
