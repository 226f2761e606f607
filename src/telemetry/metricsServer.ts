/** Serves metrics on a separate port, so that clients of the gateway cannot reach them. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, Registry } from 'prom-client';

export interface MetricsServer {
  url: string;
  stop(): Promise<void>;
}

/** Message from the primary of a cluster to its workers; each replies with its metrics. */
const METRICS_REQUEST = 'metrics';
/** Timeout in milliseconds for the replies of all workers. */
const RESPONSE_TIMEOUT_MS = 5000;
/** Scrapers are few; others must not keep connections open, idle or without reading, in milliseconds. */
const SOCKET_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 100;

/** Serves the metrics of this process. In a cluster worker, sends them to the primary on request instead. */
export async function serveMetrics(
  registry: Registry,
  address: { host: string; port: number },
): Promise<MetricsServer | undefined> {
  if (!cluster.isWorker) return startMetricsServer(() => registry.metrics(), address);
  process.on('message', (message) => {
    if (message === METRICS_REQUEST)
      void registry.getMetricsAsJSON().then((metrics) => process.send?.(metrics));
  });
  return undefined;
}

/** Serves the metrics of all workers, aggregated. Call it before the first workers start. */
export function serveClusterMetrics(address: { host: string; port: number }): Promise<MetricsServer> {
  // A worker that is still starting cannot reply yet and has no metrics to add.
  const starting = new Set<Worker>();
  cluster.on('fork', (worker) => starting.add(worker));
  cluster.on('listening', (worker) => starting.delete(worker));
  return startMetricsServer(async () => {
    const workers = Object.values(cluster.workers ?? {}).filter(
      (worker) => worker?.isConnected() === true && !worker.isDead() && !starting.has(worker),
    ) as Worker[];
    return AggregatorRegistry.aggregate(await Promise.all(workers.map(metricsOf))).metrics();
  }, address);
}

/** Returns no metrics if the worker exits; throws if it does not reply in time. */
async function metricsOf(worker: Worker): Promise<object[]> {
  const responded = new AbortController();
  const signal = AbortSignal.any([responded.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]);
  const response = once(worker, 'message', { signal }) as Promise<[object[]]>;
  const exit = once(worker, 'exit', { signal }).then((): [object[]] => [[]]);
  worker.send(METRICS_REQUEST, () => undefined); // if the worker is gone, `exit` settles the race
  const [metrics] = await Promise.race([response, exit]);
  responded.abort();
  return metrics;
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
