/** The composition root: creates everything the gateway consists of, and connects it. */
import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createGraphQLServer } from './graphql/apolloServer.js';
import { ConfigError, type Config } from './config/config.js';
import type { ContextDependencies } from './fields/context.js';
import { readBackKinds } from './fields/writes.js';
import { fixedSecretsIn, operationLabels } from './freight/operations.js';
import { createIdempotencyStore } from './freight/idempotency/idempotency.js';
import { createService } from './freight/service.js';
import type { ClientsOptions } from './http/clients.js';
import { GRAPHQL_PATH } from './http/request.js';
import { InFlightRequests } from './http/overload.js';
import { createHttpServer } from './http/server.js';
import { createSchema, createSubgraphSchema, subgraphLimits } from './graphql/schema.js';
import { MisconfiguredRedisError } from './redis/address.js';
import { createLargeResponses } from './transport/largeResponses.js';
import { Cancellation } from './transport/cancellation.js';
import { createLogger } from './telemetry/log.js';
import type { RequestIds } from './telemetry/requestSummary.js';
import { createTelemetry } from './telemetry/telemetry.js';
import { createTransports } from './transport/transport.js';

export interface GatewayOptions {
  /** Requires SERVICE_URL: only the program starts a mock service. */
  config: Config;
  /** @default the log of the program */
  log?: Logger;
  /** Whether SERVICE_URL is the mock service, where the explorer may run mutations. @default false */
  usesMockService?: boolean;
}

export type Gateway = Awaited<ReturnType<typeof createGateway>>;

/** Throws a ConfigError if SERVICE_URL is missing, or if its Redis could lose keys. */
export async function createGateway({ config, usesMockService = false, ...options }: GatewayOptions) {
  const { http, graphql, SERVICE_URL: serviceUrl } = config;
  if (serviceUrl === undefined)
    throw new ConfigError(['SERVICE_URL: expected the URL of the service, got none']);
  const log = options.log ?? (await createLogger(config.process.logLevel));
  const requests = new InFlightRequests(http.maxInFlightRequests);
  const largeResponses = createLargeResponses(http.maxLargeResponses);
  const settings = { ...config.service, serviceUrl };
  const { clientCertificate: certificate } = config.service;
  const telemetry = await createTelemetry({
    ...config.telemetry,
    proxies: config.service,
    log,
    service: {
      restOperations: operationLabels(settings),
      mutations: readBackKinds,
    },
    load: {
      requests: () => ({ value: requests.count, limit: requests.limit }),
      connections: async () => ({ value: await httpServer.countConnections(), limit: http.maxConnections }),
      largeResponses: () => largeResponses.load().active,
      rest: () => transports.load(),
      acceptsKeys: config.idempotency.kind === 'redis' ? () => store?.isAvailable?.() === true : undefined,
      clientCertificateExpiry: certificate ? Date.parse(new X509Certificate(certificate).validTo) : undefined,
    },
  });
  const shutdown = new Cancellation();
  const { timeoutMs, readBackTimeoutMs } = config.service;
  const store = await createIdempotencyStore({ ...config.idempotency, log, telemetry }).catch(
    rejectMisconfiguredRedis,
  );
  const transports = createTransports({ ...config.service, telemetry });
  const service = createService({
    settings,
    transportTo: (url) => transports.to(url),
    timeoutMs,
    readBackTimeoutMs,
    idempotency: {
      ...config.idempotency,
      store,
      leaseMs: 2 * readBackTimeoutMs + timeoutMs + LEASE_MARGIN_MS,
    },
    telemetry,
  });
  const dependencies: ContextDependencies = {
    settings,
    service,
    bulk: { concurrency: config.service.listConcurrency, timeoutMs: graphql.bulkTimeoutMs, shutdown },
    maxResultBytes: graphql.maxResultBytes,
  };

  const reportInternalError = (error: unknown, ids: RequestIds) => {
    log.error({ ...ids, err: error }, 'Unexpected error');
  };
  const endpointOptions = { ...graphql, log, reportInternalError };
  // Two schemas rather than one with hidden fields: an absent field cannot leak through error messages.
  const schema = (graphql.isProduction ? createSchema : createSubgraphSchema)(graphql.schemaPrefix);
  for (const problem of graphql.manifest?.problemsWith(schema) ?? [])
    log.warn(problem, 'Operation of OPERATIONS_MANIFEST does not fit the schema');
  const publicEndpoint = createGraphQLServer({ ...endpointOptions, schema, safelist: graphql.manifest });
  const { tokens, maxEntities } = config.subgraph;
  const subgraphEndpoint =
    tokens &&
    createGraphQLServer({
      ...endpointOptions,
      schema: createSubgraphSchema(graphql.schemaPrefix),
      safelist: undefined,
      ...subgraphLimits(graphql, maxEntities),
    });
  const endpoints = [publicEndpoint, subgraphEndpoint].filter((each) => each !== undefined);
  for (const each of endpoints) await each.start();

  const httpServer = createHttpServer({
    ...http,
    log,
    endpoint: { handle: publicEndpoint.handle, dependencies },
    subgraph: subgraphEndpoint && {
      handle: subgraphEndpoint.handle,
      dependencies: {
        ...dependencies,
        settings: { ...settings, maxGuids: Infinity }, // identifiers beyond maxReads fail one by one
        maxReads: maxEntities,
      },
      tokens,
    },
    clients: clientOptions(config, log),
    largeResponses,
    createTelemetry: telemetry.startRequest,
    reportInternalError,
    onRequestRejected: (reason, origin) => telemetry.requestRejected({ ...origin, reason }),
    loadShedding: { requests, maxEventLoopDelayMs: http.maxEventLoopDelayMs },
    rateLimit: http.rate && { rate: http.rate, redisUrl: http.redisUrl, log, telemetry },
    usesMockService,
  });
  /** Waits for calls in flight, then closes the connections, the one to the store of keys last. */
  const stopService = async () => {
    await service.settled();
    await transports.stop();
    await store?.close();
    await telemetry.stopTracing();
  };
  let metricsServer: Awaited<ReturnType<typeof telemetry.serveMetrics>>;

  return {
    /** Starts accepting requests; returns the URL of the GraphQL endpoint. */
    async listen() {
      metricsServer = await telemetry.serveMetrics(httpServer.addHealthChecks);
      const { host, port } = config.process;
      const url = await httpServer.listen({ host, port }).catch(rejectMisconfiguredRedis); // opens the Redis of the rate limit
      return `${url}${GRAPHQL_PATH}`;
    },
    /** Shuts down without losing a request; requests still in flight after the grace period are cut off. */
    async stop({ drainDelayMs = config.process.drainDelayMs } = {}) {
      const graceMs = config.process.shutdownGraceMs;
      setTimeout(() => shutdown.cancel(), drainDelayMs).unref();
      const graceExpired = sleep(drainDelayMs + graceMs, undefined, { ref: false });
      await httpServer.stop({ delayMs: drainDelayMs, graceMs });
      for (const each of endpoints) await each.stop();
      // A write whose client was cut off may still be in flight, and a collector may never respond.
      await Promise.race([stopService(), graceExpired]);
      await metricsServer?.close();
    },
  };
}

/** Options for identifying clients and for who may use the operator's secrets; undefined if no client can or must identify itself. */
function clientOptions({ http, service }: Config, log: Logger): ClientsOptions | undefined {
  const { clientKeysFile: keysFile } = http;
  const { clientJwksUrl: jwksUrl, clientJwtIssuer: issuer = '', clientJwtAudience: audience = '' } = http;
  const hasSecrets = fixedSecretsIn(service).length > 0;
  const admits = !hasSecrets ? 'all' : http.anonymousClients === 'allow' ? 'anonymous' : 'known';
  if (!keysFile && !jwksUrl && admits !== 'known') return undefined;
  return { keysFile, issuer: jwksUrl && { jwksUrl, issuer, audience, proxies: service }, admits, log };
}

/** Milliseconds by which a key stays in progress longer than its calls may take: for a process that is slow to record their outcome. */
const LEASE_MARGIN_MS = 10_000;

/** Throws a ConfigError for a Redis with which the gateway must not start, and any other error as it is. */
function rejectMisconfiguredRedis(error: unknown): never {
  if (error instanceof MisconfiguredRedisError) throw new ConfigError([`REDIS_URL: ${error.message}`]);
  throw error;
}
