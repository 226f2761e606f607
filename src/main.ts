/** The program: environment, configuration, gateway or workers, signals. */
import './v8Flags.js'; // before all that takes memory
import cluster from 'node:cluster';
import { pino, type Logger } from 'pino';
import { startWorkers } from './process/cluster.js';
import { ConfigError, parseConfig, type Config } from './config/config.js';
import { createGateway } from './gateway.js';
import { GRAPHQL_PATH } from './http/graphqlRoute.js';
import type { ReferenceService } from './reference-service/referenceService.js';
import type { MetricsServer } from './telemetry/metricsServer.js';

try {
  const config = parseConfig(process.env);
  const log = await createLog(config);
  try {
    const stop = start(config, log);
    // From the beginning: a signal that comes while the gateway starts ends it as soon as it has.
    stopOnSignals(log, async (signal) => (await stop)(signal));
    await stop;
  } catch (error) {
    log.fatal({ err: error }, 'The gateway failed to start');
    process.exit(1);
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** Gives what ends it. */
async function start(config: Config, log: Logger): Promise<(signal: NodeJS.Signals) => Promise<void>> {
  const embedded = config.SERVICE_URL === undefined ? await startReferenceService() : undefined;
  const serviceUrl = config.SERVICE_URL ?? new URL(embedded?.url ?? '');
  const isPrimary = cluster.isPrimary && config.WEB_CONCURRENCY > 1;
  const gateway = isPrimary
    ? await startCluster(config, serviceUrl, log)
    : await startAlone(config, serviceUrl, log);
  if (embedded) console.log(greeting(gateway.url, embedded.url));
  return async (signal) => {
    await gateway.stop(signal);
    await embedded?.stop();
  };
}

/** What listens: this process, or its workers. */
interface Running {
  url: string;
  stop(signal: NodeJS.Signals): Promise<void>;
}

async function startAlone(config: Config, serviceUrl: URL, log: Logger): Promise<Running> {
  const gateway = await createGateway({ config: { ...config, SERVICE_URL: serviceUrl }, log });
  const url = await gateway.listen();
  return {
    url,
    // Who presses Ctrl-C does not wait for a load balancer.
    stop: (signal) => gateway.stop(signal === 'SIGINT' ? { drainDelayMs: 0 } : {}),
  };
}

async function startCluster(config: Config, serviceUrl: URL, log: Logger): Promise<Running> {
  const { HOST: host, METRICS_PORT: metricsPort, WEB_CONCURRENCY: count } = config;
  const workers = await startWorkers({ count, env: { SERVICE_URL: serviceUrl.href }, log });
  const metrics =
    metricsPort === undefined ? undefined : await startClusterMetrics({ host, port: metricsPort });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${workers.port}${GRAPHQL_PATH}`,
    async stop(signal) {
      await workers.stop(signal);
      await metrics?.stop();
    },
  };
}

async function startClusterMetrics(address: { host: string; port: number }): Promise<MetricsServer> {
  const { serveClusterMetrics } = await import('./telemetry/metricsServer.js');
  return serveClusterMetrics(address);
}

async function startReferenceService(): Promise<ReferenceService> {
  const service = await import('./reference-service/referenceService.js');
  return service.startReferenceService({ record: false });
}

/**
 * Lines for people on a terminal, and JSON for everything else. That is written several lines at a time, a tenth of a
 * second late at the most: a write takes longer than all else that is done for a line.
 */
async function createLog({ LOG_LEVEL: level }: Config): Promise<Logger> {
  if (!process.stdout.isTTY)
    return pino(
      { level },
      pino.destination({ sync: false, minLength: 4096, maxLength: 16_777_216, periodicFlush: 100 }),
    );
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ ignore: 'pid,hostname', sync: true }));
}

function stopOnSignals(log: Logger, stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isStopping) {
        // A worker may get a signal from its terminal and from its primary.
        if (cluster.isPrimary) process.exit(1);
        return;
      }
      isStopping = true;
      stop(signal)
        // What was not waited for would keep the process running, as would a worker's channel to its primary.
        .then(() => process.exit(0))
        .catch((error: unknown) => {
          log.error({ err: error }, 'The gateway did not shut down cleanly');
          process.exit(1);
        });
    });
  }
}

/** What a newcomer sees: where everything is, and a first command. */
function greeting(url: string, serviceUrl: string): string {
  const request = (query: string) =>
    `curl -s ${url} -H 'content-type: application/json' -H 'authorization: Bearer demo' -d '${query}'`;
  const create =
    '{"query":"mutation { createNotification(input: { notificationName: \\"My first notification\\", recipient: { shipmentLevel: { emailList: [\\"dispatch@example.com\\"], smsList: [\\"(303) 555-0100\\"] } }, trigger: { shipmentStatusChange: [EN_ROUTE, DELIVERED] } }) { notification { notificationGuid } } }"}';
  const read = `{"query":"{ notification(notificationGuid: \\"'$GUID'\\") { notificationGuid notificationName shipmentStatuses recipient { ... on ShipmentLevelRecipient { emailList smsList } } lastUpdateDate } }"}`;
  return `
No SERVICE_URL is set, so the embedded reference service answers, on ${serviceUrl}; its data is gone when it stops.

GraphQL: ${url} (open it in a browser for Apollo Sandbox)
Explorer: ${new URL('explorer', url).href} (needs no internet)

Create a notification and read it back:

GUID=$(${request(create)} | sed 's/.*"notificationGuid":"\\([^"]*\\)".*/\\1/') &&
${request(read)}
`;
}
