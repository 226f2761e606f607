/** The HTTP side: a Fastify server with GraphQL on one path, and health beside it. */
import { randomUUID } from 'node:crypto';
import fastify, {
  LogController,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Logger } from 'pino';
import type { ErrorContext } from '../graphql/errors/errorTable.js';
import type { RequestTelemetry, RequestTelemetryOptions } from '../telemetry/requestTelemetry.js';
import { applyBrowserPolicy, type BrowserPolicyOptions } from './cors.js';
import { createGracefulShutdown, type ShutdownOptions } from './gracefulShutdown.js';
import { explorerPages } from './explorerPages.js';
import { GRAPHQL_PATH, graphqlRoute, type GraphQLRouteOptions } from './graphqlRoute.js';
import { addHealth, isHealthPath } from './health.js';
import {
  handleClientError,
  rejectConnect,
  badRequest,
  internalError,
  errorCodesIn,
  minimalSecurityHeaders,
  fromFastifyError,
  sendError,
  RequestRejectedError,
} from './errorResponses.js';

const REQUEST_ID_HEADER = 'x-request-id';

export interface HttpServerOptions extends GraphQLRouteOptions {
  log: Logger;
  /** Bound on the body of a request in bytes. */
  maxBodyBytes: number;
  /** Connections at the most. */
  maxConnections: number;
  timeouts: {
    /** Bound on the arrival of a request's headers in milliseconds. */
    headersMs: number;
    /** Bound on the arrival of a whole request in milliseconds. */
    requestMs: number;
    /** For how many milliseconds a connection is kept without a request. */
    keepAliveMs: number;
  };
  /** Proxies in front, whose word on the caller's address is taken. */
  proxies: number;
  browserPolicy: BrowserPolicyOptions;
  createRecord: (options: RequestTelemetryOptions) => RequestTelemetry;
  reportInternalError: ErrorContext['report'];
  onRequestRejected: (reason: RequestRejectedError['reason'] | 'connections') => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    record: RequestTelemetry;
  }
}

export interface HttpServer {
  /** Begins to accept requests; gives the address. */
  listen(bounds: { host: string; port: number }): Promise<string>;
  /** Ends without losing a request. */
  stop(options: ShutdownOptions): Promise<void>;
}

export function createHttpServer({ log, timeouts, createRecord, ...options }: HttpServerOptions): HttpServer {
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger, // a request has a record, and no log of its own
    bodyLimit: options.maxBodyBytes,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: 1000,
      requireHostHeader: false, // what Node itself would answer has no body
    },
    clientErrorHandler: handleClientError,
    frameworkErrors: (_error, request, reply) => {
      const problem = badRequest(400, 'Expected a valid path');
      begin(request, reply); // there are no hooks yet
      void reply.headers(minimalSecurityHeaders);
      request.record.operation.errorCodes = [problem.code];
      sendError(reply, problem);
    },
    trustProxy: (_address, hop) => hop < options.proxies,
    return503OnClosing: false, // what is on its way while the server ends is answered
    // Names such as __proto__ are data here: what may not have them says so, and nothing copies them by assignment.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    genReqId: ({ headers }) => acceptedRequestId(headers[REQUEST_ID_HEADER]) ?? randomUUID(),
  }) as unknown as FastifyInstance;
  server.server.maxConnections = options.maxConnections;
  server.server.on('connect', rejectConnect);
  // An expectation may be ignored (RFC 9110 section 10.1.1); what Node itself would answer has no body.
  server.server.on('checkExpectation', (request, response) => {
    server.routing(request, response);
  });
  const drain = createGracefulShutdown(server.server);
  server.server.on('drop', () => {
    options.onRequestRejected('connections');
  });
  let isDraining = false;

  server.decorateRequest('record');
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    const { id: requestId, method, headers, url } = request;
    reply.header(REQUEST_ID_HEADER, requestId);
    if (isHealthPath(url)) return;
    // Fastify puts the options of a route together each time.
    const record = createRecord({
      requestId,
      method,
      headers,
      route: () => request.routeOptions.url,
      traceRequested: headers['x-gateway-trace'] === '1' || headers['x-gateway-dry-run'] === '1',
    });
    request.record = record;
    if (record.traceparent !== undefined) reply.header('traceparent', record.traceparent);
    reply.raw.on('close', () => {
      record.close(reply.raw.writableFinished ? reply.statusCode : undefined);
    });
  };
  server.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    done();
  });
  server.addHook('onSend', ({ record }: { record?: RequestTelemetry }, reply, payload, done) => {
    if (!server.server.listening) reply.header('connection', 'close');
    // Where there was no operation yet, the answer alone tells what was wrong.
    if (record && reply.statusCode >= 400) record.operation.errorCodes ??= errorCodesIn(payload);
    done();
  });
  server.setErrorHandler((error, { id }, reply) => {
    if (error instanceof RequestRejectedError) {
      options.onRequestRejected(error.reason);
      sendError(reply, error.response);
      return;
    }
    const problem = fromFastifyError(error as Parameters<typeof fromFastifyError>[0]);
    if (problem === undefined) options.reportInternalError(error, id);
    sendError(reply, problem ?? internalError);
  });
  void server.register(async (root) => {
    await applyBrowserPolicy(root, options.browserPolicy);
    root.setNotFoundHandler(({ url, method }, reply) => {
      if (url.split('?')[0] !== GRAPHQL_PATH) {
        sendError(reply, badRequest(404, `Expected the path ${GRAPHQL_PATH}`));
        return;
      }
      void reply.header('allow', 'GET, POST');
      sendError(reply, badRequest(405, `Expected the method GET or POST, got ${method}`));
    });
    addHealth(root, () => !isDraining);
    if (options.explorerEnabled) await root.register(explorerPages);
    await root.register(graphqlRoute, options);
  });

  return {
    listen: (bounds) => server.listen(bounds),
    async stop(bounds) {
      isDraining = true;
      await drain(bounds);
      await server.close();
    },
  };
}

/** A caller's own request id, when it is short and plain enough to go on into headers and logs. */
function acceptedRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : undefined;
}
