/** Serves metrics on a separate port, so that clients of the gateway cannot reach them. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import cluster from 'node:cluster';
import { Registry } from 'prom-client';
import { createClusterMetrics, reportToPrimary } from './clusterMetrics.js';

export interface MetricsServer {
  /** Undefined in a cluster worker: the primary serves its metrics. */
  url: string | undefined;
  /** In a cluster worker, resolves once its metrics are sent. */
  stop(): Promise<void>;
}

/** Scrapers are few; others must not keep connections open, idle or without reading, in milliseconds. */
const SOCKET_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 100;

/** Serves the metrics of this process. In a cluster worker, sends them to the primary instead. */
export async function serveMetrics(registry: Registry, address: Address): Promise<MetricsServer> {
  if (!cluster.isWorker) return startMetricsServer(() => registry.metrics(), address);
  const reports = reportToPrimary(registry);
  return { url: undefined, stop: () => reports.stop() };
}

/** Serves the metrics of all workers, aggregated. Call it before the first workers start. */
export function serveClusterMetrics(workers: number, address: Address): Promise<MetricsServer> {
  return startMetricsServer(createClusterMetrics(workers), address);
}

interface Address {
  host: string;
  port: number;
}

async function startMetricsServer(
  collect: () => Promise<string>,
  { host, port }: Address,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    collect().then(
      (text) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.setTimeout(SOCKET_TIMEOUT_MS);
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  const { address, port: boundPort, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${boundPort}/metrics`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
