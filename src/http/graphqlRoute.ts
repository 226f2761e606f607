/** GraphQL on one path: whatever the request, the answer there is GraphQL JSON. */
import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ApolloServer } from '@apollo/server';
import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance } from 'fastify';
import type { ContextOptions, GatewayContext } from '../context.js';
import { DRY_RUN_HEADER } from '../telemetry/requestRecord.js';
import type { OperationsManifest } from '../operationsManifest.js';
import { turnAwayOverload, type OverloadOptions } from './overload.js';
import { applyPagePolicy } from './pagePolicy.js';
import { limitLines } from './parameters.js';
import { limitRate, type RateLimitOptions } from './rateLimit.js';
import { badRequest, sendProblem } from './problems.js';
import { requireListed } from './safelist.js';
import { createSubgraphTokenCheck } from './subgraphToken.js';

export const GRAPHQL_PATH = '/graphql';

/** What the HTTP side knows of a request. */
export type RequestFacts = Pick<
  ContextOptions,
  'authorization' | 'isDryRun' | 'left' | 'record' | 'requestId'
>;

export interface GraphQLRouteOptions {
  apollo: ApolloServer<GatewayContext>;
  /** What answers the holders of a token instead, whose operations no manifest can list: they compose them. */
  subgraph?: { apollo: ApolloServer<GatewayContext>; token: string };
  createContext: (facts: RequestFacts) => GatewayContext;
  /** Lines of a document at the most. */
  maxLines: number;
  /** Operations that may run; any when undefined. */
  manifest: OperationsManifest | undefined;
  overload: OverloadOptions;
  /** No limit when undefined. */
  rateLimit: RateLimitOptions | undefined;
}

export async function graphqlRoute(scope: FastifyInstance, options: GraphQLRouteOptions): Promise<void> {
  const { apollo, subgraph, createContext, maxLines, manifest, overload, rateLimit } = options;
  applyPagePolicy(scope);
  turnAwayOverload(scope, overload);
  if (rateLimit) await limitRate(scope, rateLimit);

  scope.addHook('onRequest', ({ headers }, reply, done) => {
    const value = headers[DRY_RUN_HEADER];
    if (value === undefined || value === '1') {
      done();
      return;
    }
    // Whatever was meant, the caller may rely on that nothing changes.
    sendProblem(reply, badRequest(400, `Expected the header ${DRY_RUN_HEADER} to be 1, got another value`));
  });

  const executorOf = (server: ApolloServer<GatewayContext>) =>
    fastifyApolloHandler(server, {
      context: ({ id, headers, record }, reply) => {
        const { authorization } = headers;
        const left = leftSignal(reply.raw);
        const isDryRun = headers[DRY_RUN_HEADER] !== undefined;
        return Promise.resolve(createContext({ authorization, requestId: id, isDryRun, record, left }));
      },
    });
  const execute = executorOf(apollo);
  const executeForHolders = subgraph ? executorOf(subgraph.apollo) : execute;
  const holdsToken = createSubgraphTokenCheck(subgraph?.token);
  const checkListed = manifest && requireListed(manifest);
  scope.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    exposeHeadRoute: false,
    preHandler: [
      limitLines(maxLines),
      (request, reply, done) => {
        if (checkListed === undefined || holdsToken(request)) done();
        else checkListed(request, reply, done);
      },
    ],
    handler(request, reply) {
      const executeFor = holdsToken(request) ? executeForHolders : execute;
      return request.record.run(() => executeFor.call(this, request, reply) as Promise<unknown>);
    },
  });
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
