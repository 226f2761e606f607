/** GraphQL on one path: every response there is GraphQL JSON. */
import type { ServerResponse } from 'node:http';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayContext, RequestInfo } from '../fields/context.js';
import { HttpStatus, PARTIAL_SUCCESS_REASON, RequestError } from '../graphql/responses.js';
import type { GraphQLHandler } from '../graphql/handler.js';
import { MemoryShare, type MemoryBudget } from '../transport/memoryBudget.js';
import { codingOf } from '../transport/response.js';
import { Cancellation } from '../transport/cancellation.js';
import { DRY_RUN_HEADER, GRAPHQL_PATH, headerLengthProblem, identityOf, isValidHost } from './request.js';
import { badRequest, overloadError, setStatus } from './errorResponses.js';
import { shedLoad, type LoadSheddingOptions } from './overload.js';
import type { RateLimitOptions } from './rateLimit.js';
import { identifyClients, type ClientsOptions } from './clients.js';
import { applyPagePolicy } from './browserPolicy.js';
import { createTickEnd, onceClosed } from './connections.js';

/** What serves the requests of one kind of client. */
interface Endpoint {
  handle: GraphQLHandler;
  createContext: (info: RequestInfo) => GatewayContext;
}

export interface GraphQLRouteOptions {
  endpoint: Endpoint;
  /** Serves supergraph gateways, recognized by one of its tokens. They compose their own operations, so no safelist applies. */
  subgraph: (Endpoint & { tokens: readonly string[] }) | undefined;
  /** Identifies no client if undefined. */
  clients: ClientsOptions | undefined;
  memoryBudget: MemoryBudget;
  loadShedding: LoadSheddingOptions;
  /** No limit if undefined. */
  rateLimit: RateLimitOptions | undefined;
  /** Whether there are pages to explore the schema, on this path and another. */
  explorerEnabled: boolean;
}

export async function graphqlRoute(scope: FastifyInstance, options: GraphQLRouteOptions): Promise<void> {
  const { endpoint, subgraph, clients, memoryBudget, loadShedding, rateLimit, explorerEnabled } = options;
  if (explorerEnabled) applyPagePolicy(scope);
  const { requests: inFlight } = loadShedding;
  if (clients) await identifyClients(scope, clients); // first, so that limits know whom they apply to
  shedLoad(scope, loadShedding);
  if (rateLimit) {
    const { applyRateLimit } = await import('./rateLimit.js'); // loads the Redis client
    await applyRateLimit(scope, rateLimit);
  }
  scope.addHook('onRequest', (request, reply, done) => {
    const rejection = rejectionOf(request);
    const coding = codingOf(request);
    if (rejection !== undefined || coding === undefined) {
      done(rejection);
      return;
    }
    reply.header('accept-encoding', 'identity'); // RFC 9110 §15.5.16
    const message = `Expected a request body without a content coding, got ${coding}`;
    done(new RequestError(badRequest(HttpStatus.UnsupportedMediaType, message)));
  });

  const tickEnd = createTickEnd();
  scope.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    exposeHeadRoute: false,
    async handler(request, reply) {
      const { telemetry, isSupergraph } = request;
      const { handle, createContext } = subgraph && isSupergraph ? subgraph : endpoint;
      const memory = new MemoryShare(memoryBudget, 'result', identityOf(request)); // held by the operation
      memory.retain(); // by the response, until it is written or its connection closed
      onceClosed(reply.raw, () => memory.release());
      const info = requestInfo(request, reply, memory);
      const begun = inFlight.begin(info);
      let response;
      const { bodyMemory } = request;
      request.bodyMemory = undefined; // from here on, the operation holds it, even if the client disconnects
      telemetry.operationStarted();
      try {
        response = await handle(request, () => createContext(info));
      } finally {
        telemetry.operationEnded();
        inFlight.end(begun);
        memory.endOperation();
        bodyMemory?.release();
        request.body = undefined; // the response may wait for a client that does not read
      }
      const { isDisplaced, isCancelled } = info.cancellation;
      if (isDisplaced && isCancelled) throw overloadError('in_flight_requests');
      // Errors that Apollo Server finds before its plugin runs are not recorded yet; their code follows from the status.
      if (response.status >= 400) telemetry.operation.errorCodes ??= [codeOfStatus(response.status)];
      await tickEnd();
      for (const [name, value] of response.headers) reply.header(name, value);
      setStatus(reply, response.status);
      if (reply.statusCode === HttpStatus.PartialSuccess) reply.raw.statusMessage = PARTIAL_SUCCESS_REASON;
      return response.body; // returning the reply would have Fastify watch the stream of the response
    },
  });
}

/** Why a request is rejected for its headers. */
function rejectionOf({ headers, gatewayHeaders }: FastifyRequest): RequestError | undefined {
  const lengthProblem = headerLengthProblem(headers);
  if (lengthProblem !== undefined)
    return new RequestError(badRequest(HttpStatus.HeadersTooLarge, lengthProblem));
  // Fail closed: a client that sends this header must be able to rely on nothing being changed.
  if (gatewayHeaders.dryRun === 'invalid')
    return new RequestError(
      badRequest(HttpStatus.BadRequest, `Expected the header ${DRY_RUN_HEADER} to be 1, got another value`),
    );
  if (!isValidHost(headers.host))
    return new RequestError(badRequest(HttpStatus.BadRequest, 'Expected a valid Host header'));
  return undefined;
}

function requestInfo(request: FastifyRequest, { raw }: FastifyReply, memory: MemoryShare): RequestInfo {
  const { accessProblem, gatewayHeaders, telemetry } = request;
  return {
    share: memory.identity.share,
    authorization: memory.identity.authorization,
    peer: memory.identity.peer,
    accessProblem,
    isDryRun: gatewayHeaders.dryRun === 'on',
    idempotencyHeader: gatewayHeaders.idempotencyKey,
    telemetry,
    memory,
    cancellation: cancelOnDisconnect(raw),
  };
}

/** Cancelled when the client disconnects before the response is complete. */
function cancelOnDisconnect(response: ServerResponse): Cancellation {
  const cancellation = new Cancellation();
  onceClosed(response, () => {
    if (!response.writableEnded) cancellation.cancel();
  });
  return cancellation;
}

function codeOfStatus(status: number): string {
  return status >= 500 ? ApolloServerErrorCode.INTERNAL_SERVER_ERROR : ApolloServerErrorCode.BAD_REQUEST;
}
