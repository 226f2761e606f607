/** The composition root: creates everything the gateway consists of, and connects it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createGraphQLServer, type GraphQLServerOptions } from './graphql/endpoint.js';
import type { Config } from './config/config.js';
import { createContext } from './fields/context.js';
import { readBackKinds } from './fields/index.js';
import { operationLabels, originsOf } from './freight/operations.js';
import { createGatewayService, serviceSettingsOf } from './gatewayService.js';
import { GRAPHQL_PATH } from './http/request.js';
import { InFlightRequests } from './http/overload.js';
import { createHttpServer } from './http/server.js';
import { createSchema } from './graphql/schema.js';
import type { RequestIds } from './transport/calls.js';
import { MemoryBudget } from './transport/memoryBudget.js';
import { createSubgraphSchema, subgraphLimits } from './graphql/subgraph.js';
import type { MetricsServer } from './telemetry/metrics.js';
import { createTelemetry } from './telemetry/telemetry.js';

export interface GatewayOptions {
  config: Config & { SERVICE_URL: URL };
  log: Logger;
  /** Whether SERVICE_URL is that of the mock service, where the explorer may run mutations. @default false */
  usesMockService?: boolean;
}

/** What differs between the servers for routers and for other clients. */
type ServerOptions = Pick<GraphQLServerOptions, 'safelist' | 'schema'> & Partial<GraphQLServerOptions>;

export interface Gateway {
  /** Starts accepting requests; returns the URL of the GraphQL endpoint. */
  listen(): Promise<string>;
  /** URL of the metrics; undefined if this process does not serve them. */
  readonly metricsUrl: string | undefined;
  /** Shuts down without losing a request; requests still in flight after the grace period are cut off. */
  stop(options?: { drainDelayMs?: number }): Promise<void>;
}

export async function createGateway({
  config,
  log,
  usesMockService = false,
}: GatewayOptions): Promise<Gateway> {
  const { http, graphql } = config;
  const requests = new InFlightRequests(http.maxInFlightRequests);
  const memoryBudget = new MemoryBudget(http.maxBytesInFlight);
  const settings = serviceSettingsOf(config);
  const telemetry = await createTelemetry({
    ...config.telemetry,
    log,
    service: {
      origins: originsOf(settings),
      endpoints: operationLabels(settings),
      mutations: readBackKinds,
    },
    load: {
      requests: () => ({ value: requests.count, limit: requests.limit }),
      connections: async () => ({ value: await server.countConnections(), limit: http.maxConnections }),
      bytes: () => ({ value: memoryBudget.bytesInFlight, limit: http.maxBytesInFlight }),
      rest: () => service.load(),
    },
  });
  const { observer } = telemetry;
  const service = await createGatewayService(config, observer, log);

  const reportInternalError = (error: unknown, ids: RequestIds) => {
    log.error({ ...ids, err: error }, 'Unexpected error');
  };
  const createServer = (options: ServerOptions) =>
    createGraphQLServer({ ...graphql, log, reportInternalError, ...options });
  // Two schemas rather than one with hidden fields: what is absent cannot leak through error messages.
  const publicServer = createServer({
    schema: (graphql.isProduction ? createSchema : createSubgraphSchema)(graphql.schemaPrefix),
    safelist: graphql.manifest,
  });
  const subgraph =
    config.subgraph.tokens === undefined
      ? undefined
      : {
          server: createServer({
            schema: createSubgraphSchema(graphql.schemaPrefix),
            safelist: undefined,
            ...subgraphLimits(graphql, config.subgraph.maxEntities),
          }),
          tokens: config.subgraph.tokens,
        };
  const graphqlServers = [publicServer, ...(subgraph ? [subgraph.server] : [])];
  for (const each of graphqlServers) await each.start();

  const server = createHttpServer({
    ...http,
    log,
    endpoint: {
      handle: publicServer.handle,
      createContext: (info) => createContext(info, service.dependencies),
    },
    subgraph: subgraph && {
      handle: subgraph.server.handle,
      createContext: (info) => createContext(info, service.subgraphDependencies),
      tokens: subgraph.tokens,
    },
    memoryBudget,
    createTelemetry: telemetry.startRequest,
    reportInternalError,
    onRequestRejected: (reason, ids) => {
      observer.onRequestRejected({ ...ids, reason });
    },
    loadShedding: { requests, maxEventLoopDelayMs: http.maxEventLoopDelayMs },
    rateLimit:
      http.clientRate === undefined && http.addressRate === undefined
        ? undefined
        : {
            perClient: http.clientRate,
            perAddress: http.addressRate,
            redisUrl: http.redisUrl,
            log,
            observer,
          },
    usesMockService,
  });
  let metricsServer: MetricsServer | undefined;

  return {
    async listen() {
      metricsServer = await telemetry.serveMetrics();
      const { host, port } = config.process;
      const url = await server.listen({ host, port });
      return `${url}${GRAPHQL_PATH}`;
    },
    get metricsUrl() {
      return metricsServer?.url;
    },
    async stop({ drainDelayMs = config.process.drainDelayMs } = {}) {
      const graceMs = config.process.shutdownGraceMs;
      const graceExpired = sleep(drainDelayMs + graceMs, undefined, { ref: false });
      await server.stop({ delayMs: drainDelayMs, graceMs });
      for (const each of graphqlServers) await each.stop();
      // A write whose client was cut off may still be in flight, and a collector may never respond.
      await Promise.race([service.stop().then(() => telemetry.stopTracing()), graceExpired]);
      await metricsServer?.stop();
    },
  };
}
