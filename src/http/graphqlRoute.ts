/** GraphQL on one path: every response there is GraphQL JSON. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createContext, type ContextDependencies } from '../fields/context.js';
import type { RequestClient } from '../freight/restCall.js';
import { GatewayError } from '../gatewayError.js';
import { GRAPHQL_MEDIA_TYPE, HttpStatus, negotiate, type GraphQLHandler } from '../graphql/handler.js';
import { ResponseMemory, type LargeResponses } from '../transport/largeResponses.js';
import { codingOf } from '../transport/response.js';
import { Cancellation } from '../transport/cancellation.js';
import {
  declaredBytes,
  DRY_RUN_HEADER,
  GRAPHQL_PATH,
  headerLengthProblem,
  idempotencyHeaderOf,
  clientOf,
} from './request.js';
import { shedLoad, type LoadSheddingOptions } from './overload.js';
import type { RateLimitOptions } from './rateLimit.js';
import type { ClientsOptions } from './clients.js';
import { createFlushGate, onceClosed } from './connections.js';

/** Serves the requests of one kind of client: routers, or all others. */
interface Endpoint {
  handle: GraphQLHandler;
  dependencies: ContextDependencies;
}

export interface GraphQLRouteOptions {
  endpoint: Endpoint;
  /** Serves routers, recognized by one of its tokens. They compose their own operations, so no safelist applies. */
  subgraph: (Endpoint & { tokens: readonly string[] }) | undefined;
  /** Identifies clients; if undefined, none is identified. */
  clients: ClientsOptions | undefined;
  maxBodyBytes: number;
  largeResponses: LargeResponses;
  /** Timeout of a large response whose client does not read it, in milliseconds. */
  responseTimeoutMs: number;
  loadShedding: LoadSheddingOptions;
  /** No limit if undefined. */
  rateLimit: RateLimitOptions | undefined;
}

export async function graphqlRoute(scope: FastifyInstance, options: GraphQLRouteOptions): Promise<void> {
  const { endpoint, subgraph, clients, maxBodyBytes, loadShedding, rateLimit } = options;
  if (clients) {
    const { identifyClients } = await import('./clients.js'); // loads the library for JWTs
    identifyClients(scope, clients); // first, so that limits know whom they apply to
  }
  shedLoad(scope, loadShedding, maxBodyBytes);
  if (rateLimit) {
    const { applyRateLimit } = await import('./rateLimit.js'); // loads the Redis client
    await applyRateLimit(scope, rateLimit);
  }
  scope.addHook('onRequest', (request, reply, done) => done(rejectionOf(request, reply)));

  const nextFlush = createFlushGate();
  scope.route({
    method: ['GET', 'POST'],
    url: GRAPHQL_PATH,
    exposeHeadRoute: false,
    async handler(request, reply) {
      const { telemetry, isRouter } = request;
      const { handle, dependencies } = subgraph && isRouter ? subgraph : endpoint;
      const client = requestClient(request, reply, options);
      const idempotencyHeader = idempotencyHeaderOf(request.headers);
      let response;
      telemetry.operationStarted();
      try {
        response = await handle(request, () =>
          createContext({ client, telemetry, idempotencyHeader }, dependencies),
        );
      } finally {
        telemetry.operationEnded();
        if (request.inFlight) loadShedding.requests.release(request.inFlight);
        releaseWhenSent(client.memory, reply, options);
        request.body = undefined; // the response may wait for a client that does not read
      }
      await nextFlush();
      for (const [name, value] of response.headers) reply.header(name, value);
      setStatus(reply, response.status);
      // Node has reason phrases for all other statuses.
      if (reply.statusCode === HttpStatus.PartialSuccess) reply.raw.statusMessage = 'Partial Success';
      return response.body; // returning the reply would have Fastify watch the stream of the response
    },
  });
}

/** Call after type(). Routers get 200 and a type that they accept: Apollo Gateway discards the body of any other response. */
export function setStatus(reply: FastifyReply, status: number): void {
  const { isRouter, headers } = reply.request;
  if (!isRouter || status === HttpStatus.Ok) void reply.code(status);
  else void reply.code(HttpStatus.Ok).type(negotiate(headers.accept).mediaType ?? GRAPHQL_MEDIA_TYPE);
}

/** The failure for headers that the gateway rejects; undefined if it accepts them. */
function rejectionOf(request: FastifyRequest, reply: FastifyReply): GatewayError | undefined {
  const { headers } = request;
  const lengthProblem = headerLengthProblem(headers);
  if (lengthProblem !== undefined) return new GatewayError('headersTooLarge', { message: lengthProblem });
  // Fail closed: a client that sends this header must be able to rely on nothing being changed.
  if (headers[DRY_RUN_HEADER] !== undefined && headers[DRY_RUN_HEADER] !== '1')
    return new GatewayError('requestInvalid', {
      message: `Expected the header ${DRY_RUN_HEADER} to be 1, got another value`,
    });
  // Fastify rejects a missing type only if there is a body.
  if (request.method === 'POST' && headers['content-type'] === undefined)
    return new GatewayError('mediaTypeUnsupported', {
      message: 'Expected the content type application/json, got none',
    });
  const coding = codingOf(request);
  if (coding === undefined) return undefined;
  reply.header('accept-encoding', 'identity'); // RFC 9110 §15.5.16
  const message = `Expected a request body without a content coding, got ${coding}`;
  return new GatewayError('mediaTypeUnsupported', { message });
}

function requestClient(
  request: FastifyRequest,
  { raw }: FastifyReply,
  { largeResponses, maxBodyBytes }: GraphQLRouteOptions,
): RequestClient {
  const { accessProblem, headers, telemetry } = request;
  const client = request.inFlight?.client ?? clientOf(request);
  const cancellation = new Cancellation();
  onceClosed(raw, () => {
    if (!raw.writableEnded) cancellation.cancel(); // the client disconnected before the response was complete
  });
  const requestBytes = request.url.length + declaredBytes(request, maxBodyBytes);
  return {
    ...client,
    isTokenMalformed: client.authorization === undefined && Boolean(headers.authorization),
    accessProblem,
    isDryRun: headers[DRY_RUN_HEADER] === '1',
    ids: telemetry.ids,
    observer: telemetry.calls,
    memory: new ResponseMemory({ queue: largeResponses, client, cancellation, requestBytes }),
    cancellation,
  };
}

/** Releases a large response when the client has read it, because it takes memory until then; cuts it off if the client does not read. */
function releaseWhenSent(
  memory: ResponseMemory,
  { raw }: FastifyReply,
  { responseTimeoutMs }: GraphQLRouteOptions,
): void {
  if (!memory.hasTurn) {
    memory.release();
    return;
  }
  raw.setTimeout(responseTimeoutMs);
  const { socket } = raw.req;
  const release = () => memory.release();
  socket.once('close', release); // a response that waits behind another one is not closed
  onceClosed(raw, () => {
    socket.off('close', release); // the connection may have many responses
    release();
  });
}
