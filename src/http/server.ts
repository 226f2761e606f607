/** The HTTP side: GraphQL on one path of a Fastify server. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import fastify, { LogController, type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { ContextOptions, GatewayContext } from '../context.js';

export const GRAPHQL_PATH = '/graphql';
const REQUEST_ID_HEADER = 'x-request-id';

/** What the HTTP side knows of a request. */
export type RequestFacts = Pick<ContextOptions, 'authorization' | 'left' | 'requestId'>;

export interface HttpServerOptions {
  log: Logger;
  apollo: ApolloServer<GatewayContext>;
  createContext: (facts: RequestFacts) => GatewayContext;
}

/** The server is not listening yet; Apollo Server has to be started. */
export function createHttpServer({ log, apollo, createContext }: HttpServerOptions): FastifyInstance {
  const server = fastify({
    loggerInstance: log,
    // Names such as __proto__ are data here: what may not have them says so, and nothing copies them by assignment.
    onProtoPoisoning: 'ignore',
    onConstructorPoisoning: 'ignore',
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => acceptedRequestId(headers[REQUEST_ID_HEADER]) ?? randomUUID(),
  });
  const handler = fastifyApolloHandler(apollo, {
    context: ({ id, headers }, reply) => {
      const { authorization } = headers;
      return Promise.resolve(createContext({ authorization, requestId: id, left: leftSignal(reply.raw) }));
    },
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
  server.route({ method: ['GET', 'POST'], url: GRAPHQL_PATH, handler });
  return server as unknown as FastifyInstance;
}

/** Aborted when the connection closes before the answer is complete. */
function leftSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // one for each call that is under way
  response.once('close', () => {
    if (!response.writableEnded) controller.abort();
  });
  return controller.signal;
}

/** A caller's own request id, when it is short and plain enough to go on into headers and logs. */
function acceptedRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.:-]{1,128}$/.test(header) ? header : undefined;
}
