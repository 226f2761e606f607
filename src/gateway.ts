/** The composition root: everything that the gateway is made of, put together. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createExecutor } from './graphql/apolloServer.js';
import { createArgumentParser } from './input/argumentParser.js';
import type { Config } from './config/config.js';
import { createContext } from './context.js';
import { developmentOrigins } from './http/cors.js';
import { GRAPHQL_PATH } from './http/graphqlRoute.js';
import { createHttpServer } from './http/server.js';
import { createSchema } from './graphql/schema.js';
import { createServiceClient } from './service/client.js';
import { shipmentParameterNames } from './service/contract.js';
import { createSubgraphSchema } from './graphql/subgraphSchema.js';
import type { MetricsServer } from './telemetry/metricsServer.js';
import { combineObservers, type GatewayObserver } from './telemetry/events.js';
import { logObserver } from './telemetry/requestLog.js';
import { createRequestTelemetryFactory } from './telemetry/requestTelemetry.js';
import { propagateOnly, type Tracing } from './telemetry/tracing.js';

export interface GatewayOptions {
  config: Config & { SERVICE_URL: URL };
  log: Logger;
}

export interface Gateway {
  /** Begins to accept requests; gives the address of the GraphQL endpoint. */
  listen(): Promise<string>;
  /** Address of the metrics; undefined where they are not served. */
  readonly metricsUrl: string | undefined;
  /** Ends without losing a request; what is under way after the grace time is not waited for. */
  stop(options?: { drainDelayMs?: number }): Promise<void>;
}

export async function createGateway({ config, log }: GatewayOptions): Promise<Gateway> {
  const isProduction = config.NODE_ENV === 'production';
  const explorerEnabled = config.EXPLORER ?? !isProduction;
  const shipmentServiceUrl = config.SHIPMENT_SERVICE_URL ?? config.SERVICE_URL;
  const metrics = await loadMetrics(config, [
    ...new Set([config.SERVICE_URL.origin, shipmentServiceUrl.origin]),
  ]);
  const observer = metrics ? combineObservers([logObserver(log), metrics.observer]) : logObserver(log);
  const tracing = await loadTracing(config);
  const service = createServiceClient({
    notificationServiceUrl: config.SERVICE_URL,
    shipmentServiceUrl,
    forwardTokenToShipmentService: config.FORWARD_TOKEN_TO_SHIPMENT_SERVICE,
    shipmentParameters: config.SHIPMENT_PARAMETERS,
    paths: {
      notifications: config.NOTIFICATIONS_PATH,
      notification: config.NOTIFICATION_PATH,
      tracking: config.TRACKING_PATH,
      exception: config.EXCEPTION_PATH,
    },
    trackingParametersIn: config.TRACKING_PARAMETERS_IN,
    exceptionParametersIn: config.EXCEPTION_PARAMETERS_IN,
    licensePlateParameter: config.LICENSE_PLATE_PARAMETER,
    timeoutMs: config.SERVICE_TIMEOUT_MS,
    retries: config.SERVICE_RETRIES,
    maxConnections: config.SERVICE_CONNECTIONS,
    queueLimit: config.SERVICE_QUEUE_LIMIT,
    circuitOpenMs: config.SERVICE_CIRCUIT_OPEN_MS,
    maxResponseBytes: config.MAX_RESPONSE_BYTES,
    observer,
  });
  const argumentReader = createArgumentParser({
    reservedParameters: [
      ...shipmentParameterNames,
      config.LICENSE_PLATE_PARAMETER,
      ...Object.keys(config.SHIPMENT_PARAMETERS),
    ],
    trackingParametersIn: config.TRACKING_PARAMETERS_IN,
    exceptionParametersIn: config.EXCEPTION_PARAMETERS_IN,
  });

  const sharedDependencies = { service, input: argumentReader };

  const reportInternalError = (error: unknown, requestId: string) => {
    log.error({ requestId, err: error }, 'Unexpected error');
  };
  // Two executors, as what a caller may not see is best not there: no message can tell of it.
  const schema = isProduction ? createSchema() : createSubgraphSchema();
  const executor = createExecutor({ schema, config, log, reportInternalError, explorerEnabled });
  const subgraph = config.SUBGRAPH_TOKEN !== undefined && {
    executor: createExecutor({
      schema: createSubgraphSchema(),
      config,
      log,
      reportInternalError,
      explorerEnabled,
    }),
    token: config.SUBGRAPH_TOKEN,
  };
  const apollos = [executor, ...(subgraph ? [subgraph.executor] : [])].map(({ apollo }) => apollo);
  for (const each of apollos) await each.start();
  const server = createHttpServer({
    log,
    executor,
    ...(subgraph && { subgraph }),
    reportInternalError,
    maxBodyBytes: config.MAX_BODY_BYTES,
    maxConnections: config.MAX_CONNECTIONS,
    timeouts: {
      headersMs: Math.min(config.HEADERS_TIMEOUT_MS, config.REQUEST_TIMEOUT_MS),
      requestMs: config.REQUEST_TIMEOUT_MS,
      keepAliveMs: config.KEEP_ALIVE_TIMEOUT_MS,
    },
    overload: {
      maxInFlightRequests: config.MAX_IN_FLIGHT_REQUESTS,
      maxEventLoopDelayMs: config.MAX_EVENT_LOOP_DELAY_MS,
    },
    rateLimit: config.RATE_LIMIT && { ...config.RATE_LIMIT, redisUrl: config.REDIS_URL, log },
    proxies: config.TRUST_PROXY,
    browserPolicy: { origins: config.CORS_ORIGINS ?? (isProduction ? [] : developmentOrigins) },
    maxLines: config.MAX_TOKENS,
    manifest: config.OPERATIONS_MANIFEST,
    explorerEnabled,
    onRequestRejected: (reason) => {
      observer.onRequestRejected(reason);
    },
    createRecord: createRequestTelemetryFactory({
      observer,
      tracing,
      exposeCalls: config.EXPOSE_REST_CALLS ?? !isProduction,
    }),
    createContext: (facts) => createContext(facts, sharedDependencies),
  });
  let metricsServer: MetricsServer | undefined;

  return {
    async listen() {
      const { HOST: host, PORT: port } = config;
      metricsServer = await metrics?.serve();
      const url = await server.listen({ host, port });
      return `${url}${GRAPHQL_PATH}`;
    },
    get metricsUrl() {
      return metricsServer?.url;
    },
    async stop({ drainDelayMs = config.DRAIN_DELAY_MS } = {}) {
      const graceMs = config.SHUTDOWN_GRACE_MS;
      const graceExpired = sleep(drainDelayMs + graceMs, undefined, { ref: false });
      await server.stop({ delayMs: drainDelayMs, graceMs });
      for (const each of apollos) await each.stop();
      // A write whose caller was cut off may still wait for its answer, and a collector may never answer.
      await Promise.race([service.stop().then(() => tracing.stop()), graceExpired]);
      await metricsServer?.stop();
    },
  };
}

/** What a configuration does not ask for is not loaded, as each takes its time and its memory. */
async function loadMetrics(
  { HOST: host, METRICS_PORT: port }: Config,
  origins: readonly string[],
): Promise<{ observer: GatewayObserver; serve(): Promise<MetricsServer | undefined> } | undefined> {
  if (port === undefined) return undefined;
  const { createMetrics } = await import('./telemetry/metrics.js');
  const { serveMetrics } = await import('./telemetry/metricsServer.js');
  const { registry, observer } = createMetrics(origins);
  return { observer, serve: () => serveMetrics(registry, { host, port }) };
}

async function loadTracing({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_SERVICE_NAME: serviceName,
}: Config): Promise<Tracing> {
  if (endpoint === undefined) return propagateOnly;
  const { createOpenTelemetry } = await import('./telemetry/openTelemetry.js');
  return createOpenTelemetry({ endpoint, serviceName });
}
