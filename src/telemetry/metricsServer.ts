/** Metrics on a port of their own, which callers of the gateway need not reach. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import cluster from 'node:cluster';
import { AggregatorRegistry, Registry } from 'prom-client';

export interface MetricsServer {
  url: string;
  stop(): Promise<void>;
}

/** Serves the metrics of this process, or, as a worker of a cluster, hands them to the primary when that asks. */
export async function serveMetrics(
  registry: Registry,
  address: { host: string; port: number },
): Promise<MetricsServer | undefined> {
  if (!cluster.isWorker) return startMetricsServer(() => registry.metrics(), address);
  AggregatorRegistry.setRegistries(registry);
  new AggregatorRegistry(); // listens for the primary
  return undefined;
}

/** Serves the sum of the metrics of all workers. */
export function serveClusterMetrics(address: { host: string; port: number }): Promise<MetricsServer> {
  const workers = new AggregatorRegistry();
  return startMetricsServer(() => workers.clusterMetrics(), address);
}

async function startMetricsServer(
  collect: () => Promise<string>,
  { host, port }: { host: string; port: number },
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
