/** GraphQL on one path: whatever the request, the answer there is GraphQL JSON. */
import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyError, FastifyPluginCallback, FastifyReply } from 'fastify';
import type { ContextOptions, GatewayContext } from '../context.js';
import { DEFECT_MESSAGE, ErrorCode, type ErrorSituation } from '../errors.js';

export const GRAPHQL_PATH = '/graphql';

/** What the HTTP side knows of a request. */
export type RequestFacts = Pick<ContextOptions, 'authorization' | 'left' | 'requestId'>;

export interface GraphQLRouteOptions {
  apollo: ApolloServer<GatewayContext>;
  createContext: (facts: RequestFacts) => GatewayContext;
  report: ErrorSituation['report'];
}

export const graphqlRoute: FastifyPluginCallback<GraphQLRouteOptions> = (scope, options, done) => {
  const { apollo, createContext, report } = options;
  const handler = fastifyApolloHandler(apollo, {
    context: ({ id, headers }, reply) => {
      const { authorization } = headers;
      return Promise.resolve(createContext({ authorization, requestId: id, left: leftSignal(reply.raw) }));
    },
  });
  scope.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error.code === 'ERR_INVALID_URL' ? 400 : (error.statusCode ?? 500);
    if (status >= 500) report(error, request.id);
    const isDefect = status >= 500;
    const code = isDefect ? ErrorCode.InternalServerError : ApolloServerErrorCode.BAD_REQUEST;
    void answerError(reply, { status, code, message: isDefect ? DEFECT_MESSAGE : error.message });
  });
  const otherMethods = scope.supportedMethods.filter((method) => method !== 'GET' && method !== 'POST');
  scope.route({ method: ['GET', 'POST'], url: GRAPHQL_PATH, exposeHeadRoute: false, handler });
  scope.route({
    method: otherMethods,
    url: GRAPHQL_PATH,
    handler: (request, reply) => {
      const message = `Expected the method GET or POST, got ${request.method}`;
      void reply.header('allow', 'GET, POST');
      return answerError(reply, { status: 405, code: ApolloServerErrorCode.BAD_REQUEST, message });
    },
  });
  done();
};

/** An answer of GraphQL (GraphQL over HTTP, section 6.4) to a request that does not get as far as Apollo Server. */
function answerError(
  reply: FastifyReply,
  error: { status: number; code: string; message: string },
): FastifyReply {
  const { status, code, message } = error;
  const extensions = { code, retryable: false, requestId: reply.request.id };
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ errors: [{ message, extensions }] }));
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
