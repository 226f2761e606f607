/** Several processes that share one port: the primary starts the workers, replaces those that exit, and stops them. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Environment } from '../config/config.js';
import type { GatewayOptions } from '../gateway.js';
import { openIdempotencyStore } from '../gatewayService.js';
import { GRAPHQL_PATH } from '../http/graphqlPath.js';
import type { MetricsServer } from '../telemetry/metricsServer.js';
import { expectFreePort } from './portProblem.js';
import type { RunningGateway } from './singleProcess.js';
import { provideVariables } from './workerVariables.js';

/** Tells a worker, which gets a SERVICE_URL in any case, that it is that of the mock service. */
export const MOCK_SERVICE_ARGUMENT = '--mock-service';

/** A worker that exits sooner than this after its start, in milliseconds, is replaced with that delay. */
const MIN_UPTIME_MS = 1000;

/** Runs the gateway in workers, and serves their aggregated metrics. */
export async function startCluster(
  options: GatewayOptions,
  environment: Environment,
): Promise<RunningGateway> {
  const { config, log, usesMockService = false } = options;
  const { HOST: host, METRICS_PORT: metricsPort, PORT: port, WEB_CONCURRENCY: count } = config;
  // Before the workers: if a port is in use, or Redis evicts, there are none to stop, and one message.
  await expectFreePort({ host, port });
  const store = await openIdempotencyStore(config, log.child({}, { level: 'silent' }));
  await store?.close();
  const metrics =
    metricsPort === undefined ? undefined : await serveWorkerMetrics(count, { host, port: metricsPort });
  const workers = await startWorkers({
    count,
    environment: { ...environment, SERVICE_URL: config.SERVICE_URL.href },
    args: usesMockService ? [MOCK_SERVICE_ARGUMENT] : [],
    log,
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${workers.port}${GRAPHQL_PATH}`,
    async stop(signal) {
      await workers.stop(signal);
      await metrics?.stop();
    },
  };
}

/** Loaded on demand: prom-client costs startup time and memory. */
async function serveWorkerMetrics(
  workers: number,
  address: { host: string; port: number },
): Promise<MetricsServer> {
  const { serveClusterMetrics } = await import('../telemetry/metricsServer.js');
  return serveClusterMetrics(workers, address);
}

interface WorkersOptions {
  count: number;
  /** The variables that configure the workers. */
  environment: Environment;
  /** Command-line arguments of the workers. */
  args: string[];
  log: Logger;
}

interface Workers {
  /** The port that the workers share. */
  port: number;
  /** Stops each worker with the signal, and waits for them. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the workers and waits until they listen; throws if one of them exits before. */
async function startWorkers({ count, environment, args, log }: WorkersOptions): Promise<Workers> {
  /** The first workers that do not listen yet: if one of them exits, the start fails. */
  const starting = new Set<Worker>();
  let isStopping = false;
  const startedAt = new WeakMap<Worker, number>();
  // With a worker per core, V8's concurrent marker would compete with them for up to 50 ms at a time.
  cluster.setupPrimary({ execArgv: [...process.execArgv, '--no-concurrent-marking'], args });
  provideVariables(environment);
  const fork = () => {
    const worker = cluster.fork();
    startedAt.set(worker, performance.now());
    return worker;
  };
  cluster.on('listening', (worker) => {
    starting.delete(worker);
  });
  cluster.on('exit', (worker, code, signal) => {
    // A worker that stops by itself while others start got the signal that ends the primary, too.
    if (isStopping || starting.has(worker) || (starting.size > 0 && code === 0)) return;
    log.error(
      { worker: worker.process.pid, code, signal },
      'Worker exited unexpectedly: starting a replacement',
    );
    const uptimeMs = performance.now() - (startedAt.get(worker) ?? 0);
    setTimeout(() => !isStopping && fork(), uptimeMs < MIN_UPTIME_MS ? MIN_UPTIME_MS : 0);
  });

  const workers = Array.from({ length: count }, fork);
  for (const worker of workers) starting.add(worker);
  const ports = await Promise.all(workers.map(portOf));
  const stop = async (signal: NodeJS.Signals) => {
    isStopping = true;
    // A worker that has exited stays in the list until its channel closes, and emits no second `exit`.
    const liveWorkers = Object.values(cluster.workers ?? {})
      .filter((worker) => worker !== undefined)
      .filter((worker) => !worker.isDead());
    await Promise.all(
      liveWorkers.map((worker) => {
        const exit = once(worker, 'exit');
        worker.process.kill(signal);
        return exit;
      }),
    );
  };
  const [port] = ports;
  if (port !== undefined && !ports.includes(undefined)) return { port, stop };
  await stop('SIGTERM');
  throw new Error('A worker exited before it was listening');
}

/** The port on which a worker listens; undefined if it exits first. */
async function portOf(worker: Worker): Promise<number | undefined> {
  const [outcome] = (await Promise.race([once(worker, 'listening'), once(worker, 'exit')])) as unknown[];
  return (outcome as { port?: number } | null)?.port;
}
