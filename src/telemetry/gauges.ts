/** Gauges of what is in use. They are read at each scrape, so that requests pay nothing for them. */
import { Gauge, type Registry } from 'prom-client';
import type { Usage } from '../service/transport/bulkhead.js';
import type { TransportLoad } from '../service/transport/transport.js';
import { readVersion } from '../version.js';

export interface GatewayLoad {
  /** GraphQL requests in flight. */
  requests: () => Usage;
  /** Connections of clients. */
  connections: () => Promise<Usage>;
  /** Bytes of the memory budget. */
  bytes: () => Usage;
  /** Connections and queue of each origin of the service. */
  rest: () => readonly TransportLoad[];
}

/** In a cluster, values and limits are summed over the workers. */
export function addLoadGauges(registry: Registry, load: GatewayLoad): void {
  addUsage(registry, {
    name: 'gateway_requests_in_flight',
    help: 'GraphQL requests in flight',
    limitName: 'gateway_requests_in_flight_limit',
    limitHelp: 'Maximum GraphQL requests in flight, MAX_IN_FLIGHT_REQUESTS',
    read: load.requests,
  });
  addUsage(registry, {
    name: 'gateway_bytes_in_flight',
    help: 'Bytes of large response bodies and results in memory',
    limitName: 'gateway_bytes_in_flight_limit',
    limitHelp: 'Maximum bytes of large response bodies and results in memory, MAX_BYTES_IN_FLIGHT',
    read: load.bytes,
  });
  addUsage(registry, {
    name: 'http_server_connections',
    help: 'Open connections of clients',
    limitName: 'http_server_connections_limit',
    limitHelp: 'Maximum open connections of clients, MAX_CONNECTIONS',
    read: load.connections,
  });
  addOriginUsage(registry, {
    name: 'rest_connections_active',
    help: 'Connections to a service origin that REST calls use',
    limitName: 'rest_connections_limit',
    limitHelp: 'Maximum connections to a service origin, SERVICE_CONNECTIONS',
    read: () => load.rest().map(({ origin, active }) => ({ origin, usage: active })),
  });
  addOriginUsage(registry, {
    name: 'rest_queue_length',
    help: 'REST calls that wait for a connection to a service origin',
    limitName: 'rest_queue_limit',
    limitHelp: 'Maximum REST calls that wait for a connection to a service origin, SERVICE_QUEUE_LIMIT',
    read: () => load.rest().map(({ origin, waiting }) => ({ origin, usage: waiting })),
  });
}

interface UsageGauges<Read> {
  name: string;
  help: string;
  limitName: string;
  limitHelp: string;
  read: () => Read;
}

function addUsage(
  registry: Registry,
  { name, help, limitName, limitHelp, read }: UsageGauges<Promise<Usage> | Usage>,
): void {
  const registers = [registry];
  const value = new Gauge({
    name,
    help,
    registers,
    collect: async () => {
      value.set((await read()).value);
    },
  });
  const limit = new Gauge({
    name: limitName,
    help: limitHelp,
    registers,
    collect: async () => {
      limit.set((await read()).limit);
    },
  });
}

function addOriginUsage(
  registry: Registry,
  { name, help, limitName, limitHelp, read }: UsageGauges<readonly { origin: string; usage: Usage }[]>,
): void {
  const registers = [registry];
  const labelNames = ['server_address'];
  const value = new Gauge({
    name,
    help,
    labelNames,
    registers,
    collect: () => {
      for (const { origin, usage } of read()) value.set({ server_address: origin }, usage.value);
    },
  });
  const limit = new Gauge({
    name: limitName,
    help: limitHelp,
    labelNames,
    registers,
    collect: () => {
      for (const { origin, usage } of read()) limit.set({ server_address: origin }, usage.limit);
    },
  });
}

/** A cluster reports it once: all workers have the same version. */
export function addBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'gateway_build_info',
    help: '1; its labels are the versions of the gateway and of Node.js',
    labelNames: ['version', 'node_version'],
    aggregator: 'first',
    registers: [registry],
  }).set({ version: readVersion(), node_version: process.versions.node }, 1);
}
