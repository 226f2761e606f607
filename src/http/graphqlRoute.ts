/** GraphQL on one path: whatever the request, the answer there is GraphQL JSON. */
import type { ServerResponse } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { GatewayContext, RequestInfo } from '../context.js';
import { DRY_RUN_HEADER } from './headers.js';
import type { OperationManifest } from '../graphql/operationManifest.js';
import { Cancellation } from '../service/transport/cancellation.js';
import { createTickEnd } from './writeBatching.js';
import { shedLoad, type LoadSheddingOptions } from './loadShedding.js';
import { applyPagePolicy } from './securityHeaders.js';
import { enforceLineLimit } from '../graphql/requestParams.js';
import type { RateLimitOptions } from './rateLimit.js';
import { badRequest, sendError } from './errorResponses.js';
import { requireListed } from '../graphql/safelist.js';
import type { ShortWay } from '../graphql/handler.js';
import { createSubgraphTokenCheck } from './subgraphToken.js';

export const GRAPHQL_PATH = '/graphql';

/** What executes operations. */
export interface Executor {
  apollo: ApolloServer<GatewayContext>;
  shortWay: ShortWay;
}

export interface GraphQLRouteOptions {
  executor: Executor;
  /** What answers the holders of a token instead, whose operations no manifest can list: they compose them. */
  subgraph?: { executor: Executor; token: string };
  createContext: (facts: RequestInfo) => GatewayContext;
  /** Lines of a document at the most. */
  maxLines: number;
  /** Operations that may run; any when undefined. */
  manifest: OperationManifest | undefined;
  overload: LoadSheddingOptions;
  /** No limit when undefined. */
  rateLimit: RateLimitOptions | undefined;
  /** Whether there are pages to explore the schema, at this path and at another. */
  explorerEnabled: boolean;
}

export async function graphqlRoute(scope: FastifyInstance, options: GraphQLRouteOptions): Promise<void> {
  const {
    executor,
    subgraph,
    createContext,
    maxLines,
    manifest,
    overload,
    rateLimit,
    explorerEnabled: hasExplorer,
  } = options;
  if (hasExplorer) applyPagePolicy(scope);
  shedLoad(scope, overload);
  if (rateLimit) {
    const { applyRateLimit: limitRate } = await import('./rateLimit.js'); // with its client for Redis
    await limitRate(scope, rateLimit);
  }

  scope.addHook('onRequest', ({ headers }, reply, done) => {
    const value = headers[DRY_RUN_HEADER];
    if (value === undefined || value === '1') {
      done();
      return;
    }
    // Whatever was meant, the caller may rely on that nothing changes.
    sendError(reply, badRequest(400, `Expected the header ${DRY_RUN_HEADER} to be 1, got another value`));
  });

  const contextOf = ({ id, headers, record }: FastifyRequest, { raw }: FastifyReply) => {
    const { authorization } = headers;
    const isDryRun = headers[DRY_RUN_HEADER] !== undefined;
    return createContext({ authorization, requestId: id, isDryRun, record, left: departureFrom(raw) });
  };
  const answerWith = ({ apollo, shortWay }: Executor): RouteHandlerMethod => {
    const longWay = fastifyApolloHandler(apollo, {
      context: (request, reply) => Promise.resolve(contextOf(request, reply)),
    });
    return async function (request, reply) {
      const answer = await shortWay(request, () => contextOf(request, reply));
      if (answer === undefined) return longWay.call(this, request, reply);
      void reply.type(answer.contentType);
      return answer.body;
    };
  };
  const answer = answerWith(executor);
  const answerHolders = subgraph ? answerWith(subgraph.executor) : answer;
  const holdsToken = createSubgraphTokenCheck(subgraph?.token);
  const checkListed = manifest && requireListed(manifest);
  const endOfTurn = createTickEnd();
  scope.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    exposeHeadRoute: false,
    preHandler: [
      enforceLineLimit(maxLines),
      (request, reply, done) => {
        if (checkListed === undefined || holdsToken(request)) done();
        else checkListed(request, reply, done);
      },
    ],
    async handler(request, reply) {
      const answerFor = holdsToken(request) ? answerHolders : answer;
      const body = await request.record.run(() => answerFor.call(this, request, reply) as Promise<unknown>);
      await endOfTurn();
      return body;
    },
  });
}

/** Happens when the connection closes before the answer is complete. */
function departureFrom(response: ServerResponse): Cancellation {
  const departure = new Cancellation();
  response.on('close', () => {
    if (!response.writableEnded) departure.cancel();
  });
  return departure;
}
