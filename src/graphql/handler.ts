/**
 * Responds to GraphQL requests over HTTP (GraphQL over HTTP, September 2026): a fast path for operations that Apollo Server has validated before, and
 * the status and media type of every result.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FormattedExecutionResult } from 'graphql';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { isRecord } from '../domain/json.js';
import type { GatewayContext } from '../fields/context.js';
import type { FindOperation } from './operation.js';
import { listedText, type OperationManifest } from './persistedOperations.js';

/** The parts of an HTTP request that the GraphQL side reads. */
interface GraphQLHttpRequest {
  method: string;
  /** Request target (RFC 9112 section 3.2). */
  url: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface GraphQLHttpResponse {
  status: number;
  headers: Iterable<[name: string, value: string]>;
  body: string;
}

/** Throws a GatewayError if it rejects the request before there is an operation. */
export type GraphQLHandler = (
  request: GraphQLHttpRequest,
  createContext: () => GatewayContext,
) => GraphQLHttpResponse | Promise<GraphQLHttpResponse>;

/** Runs the operations in the cache, and leaves everything else to Apollo Server. */
export function createGraphQLHandler(
  findOperation: FindOperation,
  manifest: OperationManifest | undefined,
  handleWithApollo: GraphQLHandler,
): GraphQLHandler {
  return (request, createContext) => {
    // A well-formed POST of an operation that Apollo Server has validated before, within all limits on documents.
    const params = readJsonPost(request);
    const source = params && (params.query ?? (manifest && listedText(manifest, params.sent)));
    const run = source === undefined ? undefined : findOperation(source, params?.operationName);
    const negotiated = negotiate(request.headers.accept);
    if (!run || negotiated.mediaType === undefined) return handleWithApollo(request, createContext);
    const respond = (result: FormattedExecutionResult) => toResponse(result, negotiated);
    const result = run(createContext(), params?.variables);
    return result instanceof Promise ? result.then(respond) : respond(result);
  };
}

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/**
 * Reads the parameters of a well-formed POST (GraphQL over HTTP, section 5.3). Returns undefined for everything that
 * Apollo Server must handle: other content types, malformed parameters, and hashes that accompany a text.
 */
function readJsonPost({ method, headers, body }: GraphQLHttpRequest) {
  if (method !== 'POST' || !JSON_TYPE.test(headers['content-type'] ?? '') || !isRecord(body))
    return undefined;
  const { query = null, operationName = null, variables = null, extensions = null } = body;
  if (query !== null && typeof query !== 'string') return undefined;
  if (extensions !== null && !isRecord(extensions)) return undefined;
  if (query !== null && extensions !== null && 'persistedQuery' in extensions) return undefined;
  if (operationName !== null && typeof operationName !== 'string') return undefined;
  if (variables !== null && !isRecord(variables)) return undefined;
  return {
    sent: body,
    /** Undefined if the operation is given by its id. */
    query: query ?? undefined,
    operationName: operationName === '' ? undefined : (operationName ?? undefined),
    variables: variables ?? undefined,
  };
}

/** Statuses of results (section 6.4). Failures have theirs in failures.ts: every response without `data` is 4xx or 5xx. */
export const HttpStatus = {
  /** `data` without `errors`; with `errors` for clients that do not name `application/graphql-response+json`. */
  Ok: 200,
  /** `data`, even null, with `errors`. */
  PartialSuccess: 294,
  /** An operation that was rejected before it was executed. */
  UnprocessableContent: 422,
} as const;

/** Responses that are not GraphQL responses have this type, too. */
export const JSON_MEDIA_TYPE = 'application/json; charset=utf-8';

/**
 * Request errors have this type for every client: with `application/json`, clients could not tell them from the errors of
 * an intermediary, whose bodies they must not read as GraphQL.
 */
export const GRAPHQL_MEDIA_TYPE = 'application/graphql-response+json; charset=utf-8';

/** The response with a result; only those with 2xx have the media type that the client asks for. */
export function toResponse(
  result: FormattedExecutionResult,
  { mediaType = GRAPHQL_MEDIA_TYPE, partialSuccessStatus }: Negotiated,
  statusOfRejection: number = HttpStatus.UnprocessableContent,
): GraphQLHttpResponse {
  const statusOfData = result.errors ? partialSuccessStatus : HttpStatus.Ok;
  const status = 'data' in result ? statusOfData : statusOfRejection;
  return {
    status,
    headers: [['content-type', status < 300 ? mediaType : GRAPHQL_MEDIA_TYPE]],
    body: `${JSON.stringify(result)}\n`,
  };
}

/** The types of a response, in Apollo Server's order of preference. */
const MEDIA_TYPES = [
  JSON_MEDIA_TYPE,
  GRAPHQL_MEDIA_TYPE,
  'application/json; callbackSpec=1.0; charset=utf-8',
];

interface Negotiated {
  /** The type of a response with `data`; undefined if the client accepts none. */
  mediaType: string | undefined;
  /** The status of a response with `data` and `errors`: only clients that name the type of GraphQL responses know 294. */
  partialSuccessStatus: number;
}

/** Selects the media type and status that an Accept header allows (RFC 9110 section 12.5.1). */
export function negotiate(accept: string | undefined): Negotiated {
  return negotiations.memo(accept || '*/*');
}

/** Clients send few different headers, of limited length. */
const negotiations = new LRUCache<string, Negotiated>({
  max: 100,
  memoMethod: (accept) => {
    const negotiator = new Negotiator({ headers: { accept } });
    const namesGraphQL = negotiator
      .mediaTypes()
      .some((type) => GRAPHQL_MEDIA_TYPE.startsWith(`${type.toLowerCase()};`));
    return {
      mediaType: negotiator.mediaType(MEDIA_TYPES),
      partialSuccessStatus: namesGraphQL ? HttpStatus.PartialSuccess : HttpStatus.Ok,
    };
  },
});
