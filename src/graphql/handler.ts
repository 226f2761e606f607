/** The pipeline of one GraphQL request over HTTP: parameters, operation, response. */
import type { IncomingHttpHeaders } from 'node:http';
import { HeaderMap, type ApolloServer } from '@apollo/server';
import type { FormattedExecutionResult } from 'graphql';
import { isRecord } from '../domain/json.js';
import type { GatewayContext } from '../fields/context.js';
import { GatewayError } from '../gatewayError.js';
import { tooComplex } from './documentSize.js';
import { fromApollo, type ApolloContext } from './fromApollo.js';
import {
  GRAPHQL_MEDIA_TYPE,
  HttpStatus,
  negotiate,
  type GraphQLHttpResponse,
  type Negotiated,
} from './responses.js';
import type { OperationCache } from './operation.js';
import {
  enforceSafelist,
  listedText,
  persistedQueryIn,
  type OperationManifest,
  type RequestParams,
} from './persistedOperations.js';

/** The parts of an HTTP request that the GraphQL side reads. */
export interface GraphQLHttpRequest {
  id: string;
  method: string;
  /** Request target (RFC 9112 section 3.2). */
  url: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** Throws a GatewayError if it rejects the request before there is an operation. */
export type GraphQLHandler = (
  request: GraphQLHttpRequest,
  createContext: () => GatewayContext,
) => GraphQLHttpResponse | Promise<GraphQLHttpResponse>;

export interface GraphQLHandlerOptions {
  apollo: ApolloServer<ApolloContext>;
  operations: OperationCache;
  /** The only operations that have IDs; none if undefined. */
  manifest: OperationManifest | undefined;
  /** The only operations that may run; any if undefined. */
  safelist: OperationManifest | undefined;
  maxTokens: number;
}

export function createGraphQLHandler(options: GraphQLHandlerOptions): GraphQLHandler {
  const { operations, manifest } = options;
  const handleWithApollo = createApolloHandler(options);
  return (request, createContext) => {
    // Fast path: a well-formed POST of an operation that Apollo Server has validated before, within all limits on documents.
    const params = readJsonPost(request);
    const source = params && (params.query ?? (manifest && listedText(manifest, params.sent)));
    const run = source === undefined ? undefined : operations.find(source, params?.operationName);
    const negotiated = negotiate(request.headers.accept);
    if (!run || negotiated.mediaType === undefined) return handleWithApollo(request, createContext);
    const respond = (result: FormattedExecutionResult) => toResponse(result, negotiated);
    const result = run(createContext(), params?.variables);
    return result instanceof Promise ? result.then(respond) : respond(result);
  };
}

/** Apollo Server parses and validates; its plugin adds the operation to the cache and runs it (apolloServer.ts). */
function createApolloHandler(options: GraphQLHandlerOptions): GraphQLHandler {
  const { apollo, manifest, safelist, maxTokens } = options;
  return async (request, createContext) => {
    const { id, method, headers } = request;
    const sent = readRequestParams(request);
    enforceLineLimit(sent, maxTokens); // a formatter writes at most one line per token
    if (safelist) enforceSafelist(safelist, sent);
    // Fastify rejects only a request with a body for it.
    if (method === 'POST' && headers['content-type'] === undefined)
      throw new GatewayError('mediaTypeUnsupported', {
        message: 'Expected the content type application/json, got none',
      });
    if (method === 'GET' && repeatsParameter(request))
      throw new GatewayError('parametersInvalid', {
        message: 'Expected each parameter once, got one repeated',
      });
    const negotiated = negotiate(headers.accept);
    // A GET may ask for a page, and takes no effect.
    if (method === 'POST' && negotiated.mediaType === undefined) throw new GatewayError('notAcceptable');
    const params = manifest ? withListedText(manifest, sent) : sent;
    const apolloContext: ApolloContext = { context: createContext(), made: {} };
    const response = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method,
        headers: toHeaderMap(headers),
        search:
          method === 'GET' ? `?${new URLSearchParams(params as Record<string, string>).toString()}` : '',
        body: isRecord(request.body) ? params : request.body,
      },
      context: () => Promise.resolve(apolloContext),
    });
    const { result, status } = apolloContext.made;
    if (result === undefined) return fromApollo(response, id);
    if (negotiated.mediaType === undefined) throw new GatewayError('notAcceptable');
    const made = toResponse(result, negotiated, status);
    return { ...made, headers: [...response.headers, ...made.headers] };
  };
}

/** The response with a result; only those with 2xx have the media type that the client asks for. */
function toResponse(
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

/** Replaces the ID of an operation by its text, and removes the extension by which Apollo Server would look for it itself. */
function withListedText(manifest: OperationManifest, sent: RequestParams): RequestParams {
  const query = listedText(manifest, sent);
  const { extensions, ...others } = sent;
  const params = persistedQueryIn(extensions) ? others : sent;
  return query === undefined ? params : { ...params, query };
}

function toHeaderMap(headers: GraphQLHttpRequest['headers']): HeaderMap {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    if (value) map.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return map;
}

/**
 * Throws for a document of very many lines, before it is parsed: the parser walks the lines to locate each
 * error, and neither white space nor comments count as tokens. The texts of a manifest are the operator's own and exempt.
 */
function enforceLineLimit({ query }: RequestParams, maxLines: number): void {
  if (typeof query !== 'string' || query.length < maxLines) return;
  // Lines by the GraphQL specification, section 2.1.2.
  if (query.split(/\r\n|[\n\r]/, maxLines + 1).length <= maxLines) return;
  throw tooComplex(`Expected a document of at most ${maxLines} lines, got more`);
}

/** Parameters of which an empty text is the same as none (GraphQL over HTTP, section 6.2); Apollo Server would take them for values. */
const MAY_BE_EMPTY = new Set(['operationName', 'variables', 'extensions']);

/**
 * Reads the parameters for Apollo Server (GraphQL over HTTP, sections 6.2 and 6.3). For a GET, it parses the URL: Fastify's own query differs
 * for a target in absolute form (RFC 9112 section 3.2.2).
 */
function readRequestParams({ method, url, body }: GraphQLHttpRequest): RequestParams {
  const sent = method === 'GET' ? Object.fromEntries(new URL(url, 'http://any').searchParams) : body;
  if (!isRecord(sent)) return {};
  const params = Object.entries(sent).filter(([name, value]) => value !== '' || !MAY_BE_EMPTY.has(name));
  return Object.fromEntries(params);
}

function repeatsParameter({ url }: GraphQLHttpRequest): boolean {
  const { searchParams } = new URL(url, 'http://any');
  return new Set(searchParams.keys()).size < searchParams.size;
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
