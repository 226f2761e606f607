/** The HTTP side: a Fastify server with GraphQL on one path. */
import { randomUUID } from 'node:crypto';
import fastify, { LogController, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { graphqlRoute, type GraphQLRouteOptions } from './graphqlRoute.js';

const REQUEST_ID_HEADER = 'x-request-id';

export interface HttpServerOptions extends GraphQLRouteOptions {
  log: Logger;
  /** Bound on the body of a request in bytes. */
  maxBodyBytes: number;
  /** Bound on the arrival of a whole request in milliseconds. */
  requestTimeoutMs: number;
}

/** The server is not listening yet; Apollo Server has to be started. */
export function createHttpServer({
  log,
  maxBodyBytes,
  requestTimeoutMs,
  ...graphql
}: HttpServerOptions): FastifyInstance {
  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    // Names such as __proto__ are data here: what may not have them says so, and nothing copies them by assignment.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    genReqId: ({ headers }) => acceptedRequestId(headers[REQUEST_ID_HEADER]) ?? randomUUID(),
  });
  let isClosing = false;
  server.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, done) => {
    // A connection that is kept open would keep the server from closing.
    if (isClosing) reply.header('connection', 'close');
    done();
  });
  void server.register(graphqlRoute, graphql);
  return server as unknown as FastifyInstance;
}

/** A caller's own request id, when it is short and plain enough to go on into headers and logs. */
function acceptedRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : undefined;
}
