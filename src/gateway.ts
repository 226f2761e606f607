/** The composition root: creates everything the gateway consists of, and connects it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createGraphQLServer, type GraphQLServerOptions } from './graphql/endpoint.js';
import type { Config } from './config/config.js';
import { createContext } from './fields/context.js';
import { createGatewayService } from './gatewayService.js';
import { createGatewayTelemetry } from './gatewayTelemetry.js';
import { allowedOrigins } from './http/browserPolicy.js';
import { GRAPHQL_PATH } from './http/request.js';
import { InFlightRequests } from './http/overload.js';
import { createHttpServer } from './http/server.js';
import { createSchema } from './graphql/schema.js';
import type { RequestIds } from './transport/calls.js';
import { MemoryBudget } from './transport/memoryBudget.js';
import { createSubgraphSchema, subgraphLimits } from './graphql/subgraph.js';
import type { MetricsServer } from './telemetry/metricsServer.js';
import { createRequestTelemetryFactory } from './telemetry/requestTelemetry.js';

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
  const isProduction = config.NODE_ENV === 'production';
  const explorerEnabled = config.EXPLORER;
  const requests = new InFlightRequests(config.MAX_IN_FLIGHT_REQUESTS);
  const memoryBudget = new MemoryBudget(config.MAX_BYTES_IN_FLIGHT);
  const telemetry = await createGatewayTelemetry({
    config,
    log,
    load: {
      requests: () => ({ value: requests.count, limit: requests.limit }),
      connections: async () => ({ value: await server.countConnections(), limit: config.MAX_CONNECTIONS }),
      bytes: () => ({ value: memoryBudget.bytesInFlight, limit: config.MAX_BYTES_IN_FLIGHT }),
      rest: () => service.load(),
    },
  });
  const { observer, tracing } = telemetry;
  const service = await createGatewayService({ config, observer, log });

  const reportInternalError = (error: unknown, ids: RequestIds) => {
    log.error({ ...ids, err: error }, 'Unexpected error');
  };
  const documentLimits = {
    maxTokens: config.MAX_TOKENS,
    maxDepth: config.MAX_DEPTH,
    maxAliases: config.MAX_ALIASES,
    maxDirectives: config.MAX_DIRECTIVES,
  };
  const createServer = (options: ServerOptions) =>
    createGraphQLServer({
      manifest: config.OPERATIONS_MANIFEST,
      apqCacheBytes: config.APQ_CACHE_BYTES,
      ...documentLimits,
      maxRestCalls: config.MAX_REST_CALLS,
      maxMutationFields: config.MAX_MUTATION_FIELDS,
      maxBodyBytes: config.MAX_BODY_BYTES,
      maxResultBytes: config.MAX_RESULT_BYTES,
      isProduction,
      explorerEnabled,
      schemaPrefix: config.SCHEMA_PREFIX ?? '',
      log,
      reportInternalError,
      ...options,
    });
  // Two schemas rather than one with hidden fields: what is absent cannot leak through error messages.
  const publicServer = createServer({
    schema: isProduction ? createSchema(config.SCHEMA_PREFIX) : createSubgraphSchema(config.SCHEMA_PREFIX),
    safelist: config.OPERATIONS_MANIFEST,
  });
  const subgraph =
    config.SUBGRAPH_TOKEN === undefined
      ? undefined
      : {
          server: createServer({
            schema: createSubgraphSchema(config.SCHEMA_PREFIX),
            safelist: undefined,
            ...subgraphLimits(documentLimits, config.MAX_ENTITIES),
          }),
          tokens: config.SUBGRAPH_TOKEN,
        };
  const graphqlServers = [publicServer, ...(subgraph ? [subgraph.server] : [])];
  for (const each of graphqlServers) await each.start();

  const server = createHttpServer({
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
    createTelemetry: createRequestTelemetryFactory({
      observer,
      tracing,
      exposeCalls: config.EXPOSE_REST_CALLS,
    }),
    reportInternalError,
    onRequestRejected: (reason, ids) => {
      observer.onRequestRejected({ ...ids, reason });
    },
    maxBodyBytes: config.MAX_BODY_BYTES,
    maxConnections: config.MAX_CONNECTIONS,
    maxConnectionAgeMs: config.MAX_CONNECTION_AGE_MS,
    incomingBodies: {
      maxBodies: config.MAX_INCOMING_BODIES,
      maxBodiesPerAddress: config.MAX_INCOMING_BODIES_PER_ADDRESS,
      minBytesPerSecond: config.MIN_BODY_BYTES_PER_SECOND,
    },
    timeouts: {
      headersMs: Math.min(config.HEADERS_TIMEOUT_MS, config.REQUEST_TIMEOUT_MS),
      requestMs: config.REQUEST_TIMEOUT_MS,
      responseMs: config.RESPONSE_TIMEOUT_MS,
      keepAliveMs: config.KEEP_ALIVE_TIMEOUT_MS,
    },
    loadShedding: {
      requests,
      maxEventLoopDelayMs: config.MAX_EVENT_LOOP_DELAY_MS,
    },
    rateLimit:
      config.RATE_LIMIT === undefined && config.RATE_LIMIT_PER_ADDRESS === undefined
        ? undefined
        : {
            perClient: config.RATE_LIMIT,
            perAddress: config.RATE_LIMIT_PER_ADDRESS,
            redisUrl: config.REDIS_URL,
            log,
            observer,
          },
    trustedProxies: config.TRUST_PROXY,
    corsOrigins: allowedOrigins(config.CORS_ORIGINS, isProduction),
    explorerEnabled,
    usesMockService,
    schemaPrefix: config.SCHEMA_PREFIX ?? '',
  });
  let metricsServer: MetricsServer | undefined;

  return {
    async listen() {
      const { HOST: host, PORT: port } = config;
      metricsServer = await telemetry.serveMetrics();
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
      for (const each of graphqlServers) await each.stop();
      // A write whose client was cut off may still be in flight, and a collector may never respond.
      await Promise.race([service.stop().then(() => tracing.stop()), graceExpired]);
      await metricsServer?.stop();
    },
  };
}
