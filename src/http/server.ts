/** The HTTP server: Fastify with GraphQL on one path, health checks and the explorer. */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { promisify } from 'node:util';
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import fastify, {
  LogController,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';
import { GatewayError } from '../gatewayError.js';
import { rejectionReasons } from '../telemetry/events.js';
import type { RequestIds } from '../telemetry/requestSummary.js';
import type { AddHealthChecks } from '../telemetry/metrics.js';
import { createInterval } from '../telemetry/log.js';
import type { RequestTelemetry, RequestTelemetryOptions } from '../telemetry/requestTelemetry.js';
import {
  configureNodeServer,
  createGracefulShutdown,
  endConnections,
  type ShutdownOptions,
} from './connections.js';
import {
  ALLOWED_METHODS,
  fromFastifyError,
  handleClientError,
  securityHeaders,
  sendError,
} from './errorResponses.js';
import {
  createSubgraphTokenCheck,
  describeRequest,
  GRAPHQL_PATH,
  hasValidHost,
  idsOf,
  isGraphQLPath,
  readForwardedFor,
  readRequestId,
  REQUEST_ID_HEADER,
  requestsTrace,
  schemeOf,
} from './request.js';
import type { ExplorerPagesOptions } from './explorerPages.js';
import { graphqlRoute, type GraphQLRouteOptions } from './graphqlRoute.js';

export interface HttpServerOptions extends GraphQLRouteOptions, ExplorerPagesOptions {
  explorerEnabled: boolean;
  /** Receives the address instead of IDs if a connection was rejected before its first request. */
  onRequestRejected: (reason: string, origin: RequestIds | { address: string }) => void;
  log: Logger;
  maxConnections: number;
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  /** The proxies in front whose X-Forwarded-For is trusted: their number, or their addresses and networks. */
  trustedProxies: number | string[];
  corsOrigins: readonly (string | RegExp)[];
  createTelemetry: (options: RequestTelemetryOptions) => RequestTelemetry;
  reportInternalError: (error: unknown, ids: RequestIds) => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether a GraphQL request comes from a router (any supergraph gateway), which sends requests of many clients from one address. */
    isRouter: boolean;
    /** Undefined for health checks, despite the type. */
    telemetry: RequestTelemetry;
  }
}

export function createHttpServer(options: HttpServerOptions) {
  const server = createFastify(options);
  const shutDown = createGracefulShutdown(server.server);
  let isDraining = false;
  const addHealthChecks: AddHealthChecks = (to) => {
    to.get(LIVENESS_PATH, () => ({ status: 'ok' }));
    to.get(READINESS_PATH, (_request, reply) => {
      if (server.server.listening && !isDraining) return { status: 'ok' };
      void reply.code(503).header('retry-after', '1');
      return { status: isDraining ? 'draining' : 'starting' };
    });
  };

  server.setErrorHandler((error: FastifyError | GatewayError, request, reply) => {
    const failure = error instanceof GatewayError ? error : fromFastifyError(error, request);
    const reason = rejectionReasons[failure.failure];
    if (reason !== undefined) options.onRequestRejected(reason, idsOf(request));
    if (failure.failure === 'internalError') options.reportInternalError(error, idsOf(request));
    sendError(reply, failure);
  });
  void server.register(async (root) => {
    await applyCors(root, options.corsOrigins);
    root.setNotFoundHandler(rejectUnknownRoute);
    addHealthChecks(root);
    if (options.explorerEnabled) {
      const { explorerPages } = await import('./explorerPages.js');
      await root.register(explorerPages, options);
    }
    await root.register(graphqlRoute, options);
  });

  return {
    /** Starts accepting requests; returns the address. A name such as localhost may have several, of which the first is used. */
    async listen({ host, port }: { host: string; port: number }): Promise<string> {
      const { address } = await lookup(host);
      return server.listen({ host: address, port });
    },
    addHealthChecks,
    countConnections: promisify(server.server.getConnections.bind(server.server)),
    /** Shuts down without losing a request. */
    async stop(shutdownOptions: ShutdownOptions): Promise<void> {
      isDraining = true;
      await shutDown(shutdownOptions);
      await server.close();
    },
  };
}

/** The response headers for clients: pages of other origins may read them. */
const EXPOSED_HEADERS = [
  'retry-after',
  'traceparent',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
];

type CorsCallback = (error: Error | null, options: FastifyCorsOptions) => void;

async function applyCors(server: FastifyInstance, origins: HttpServerOptions['corsOrigins']): Promise<void> {
  if (origins.length === 0) return;
  const policy = {
    origin: [...origins],
    methods: ['GET', 'POST'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  };
  await server.register(cors, () => ({ headers }: FastifyRequest, callback: CorsCallback) => {
    // Without this header an OPTIONS request is not a preflight (Fetch standard) but a request of the wrong method.
    callback(null, { ...policy, preflight: headers['access-control-request-method'] !== undefined });
  });
}

/** Fastify with everything that applies to connections and requests on any path. */
function createFastify(options: HttpServerOptions): FastifyInstance {
  const { log, maxBodyBytes, maxConnections, trustedProxies, onRequestRejected } = options;
  const startRequest = createRequestStart(options);
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger, // requests are logged by their telemetry
    bodyLimit: maxBodyBytes,
    requestTimeout: options.requestTimeoutMs,
    keepAliveTimeout: options.keepAliveTimeoutMs,
    http: {
      headersTimeout: options.headersTimeoutMs,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false, // Node's own response would have no body
      joinDuplicateHeaders: true, // it would drop all but the first, and proxies may have read another
    },
    clientErrorHandler: handleClientError,
    frameworkErrors: (_error, request, reply) => {
      startRequest(request, reply); // no hook runs for such a request
      sendError(reply, new GatewayError('requestInvalid', { message: 'Expected a valid path' }));
    },
    trustProxy: typeof trustedProxies === 'number' ? (_address, hop) => hop < trustedProxies : trustedProxies,
    return503OnClosing: false, // requests in transit during the shutdown get their response
    genReqId: ({ headers }) => readRequestId(headers) ?? randomUUID(),
  }) as unknown as FastifyInstance;
  readJsonBodies(server);
  server.decorateRequest('isRouter', false);
  server.decorateRequest('telemetry');
  server.decorateRequest('quotaKey', undefined);
  server.decorateRequest('accessProblem', undefined);
  endConnections(server);
  server.addHook('onRequest', (request, reply, done) => {
    startRequest(request, reply);
    if (hasValidHost(request.raw)) done();
    else done(new GatewayError('requestInvalid', { message: 'Expected one valid Host header' }));
  });
  configureNodeServer(server.server, maxConnections, (peer) => onRequestRejected('connections', peer));
  return server;
}

/**
 * Rejects bodies of any other type than JSON with 415, and JSON that is not UTF-8 (RFC 8259 §8.1): Fastify's own parser replaces invalid
 * bytes, and names would reach the service with replacement characters. It also rejects names such as __proto__, which are data here: the
 * rules for input reject them where they are not allowed, and nothing assigns them.
 */
function readJsonBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, parseJson(body)),
  );
}

function parseJson(body: Buffer): unknown {
  const rejected = (message: string) => new GatewayError('requestInvalid', { message });
  if (!isUtf8(body)) throw rejected('Expected JSON in UTF-8, got another encoding');
  const text = body.toString('utf8');
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text) as unknown;
  } catch {
    throw rejected(`Expected a JSON body, got ${text === '' ? 'an empty one' : 'one that is not JSON'}`);
  }
}

const NO_ADDRESS =
  'X-Forwarded-For lacks the address that a trusted proxy adds: using the address of the connection';

/** Reads the gateway's headers and starts the telemetry of a request; it ends when the response is sent or the client disconnects. */
function createRequestStart({ createTelemetry, subgraph, trustedProxies, log }: HttpServerOptions) {
  const mayWarn = createInterval();
  const isSubgraphToken = createSubgraphTokenCheck(subgraph?.tokens ?? []);
  return (request: FastifyRequest, reply: FastifyReply) => {
    const { id: requestId, method, headers, url } = request;
    reply.headers(securityHeaders).header(REQUEST_ID_HEADER, requestId);
    if (isHealthPath(url)) return;
    const hasAddress = trustedProxies === 0 || readForwardedFor(request);
    const isGraphQL = method !== 'OPTIONS' && isGraphQLPath(request); // OPTIONS is for CORS, not for an operation
    const telemetry = createTelemetry({
      requestId,
      method,
      headers,
      traceRequested: requestsTrace(headers),
      isGraphQL,
      scheme: schemeOf(request),
      describe: () => describeRequest(request),
    });
    request.isRouter = isGraphQL && isSubgraphToken(headers);
    request.telemetry = telemetry;
    if (!hasAddress && mayWarn(NO_ADDRESS)) log.warn(idsOf(request), NO_ADDRESS);
    if (telemetry.traceparent !== undefined) reply.header('traceparent', telemetry.traceparent);
    reply.raw.on('close', () => {
      // Node reports writes that it discards with a destroyed socket as finished.
      const isSent = reply.raw.writableFinished && !request.raw.socket.destroyed;
      telemetry.close(isSent ? reply.statusCode : undefined);
    });
  };
}

function rejectUnknownRoute(request: FastifyRequest, reply: FastifyReply): void {
  if (!isGraphQLPath(request)) {
    sendError(reply, new GatewayError('pathUnknown', { message: `Expected the path ${GRAPHQL_PATH}` }));
    return;
  }
  void reply.header('allow', ALLOWED_METHODS);
  const message = `Expected the method GET or POST, got ${request.method}`;
  sendError(reply, new GatewayError('methodNotAllowed', { message }));
}

const LIVENESS_PATH = '/livez';
const READINESS_PATH = '/readyz';

/** Whether a request is a health check: these are too frequent to be logged. */
function isHealthPath(url: string): boolean {
  const [path] = url.split('?');
  return path === LIVENESS_PATH || path === READINESS_PATH;
}
