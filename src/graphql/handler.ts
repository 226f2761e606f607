/** The pipeline of one GraphQL request over HTTP: parameters, operation, response. */
import type { IncomingHttpHeaders } from 'node:http';
import { HeaderMap, type ApolloServer } from '@apollo/server';
import type { FormattedExecutionResult } from 'graphql';
import { isRecord } from '../domain/json.js';
import type { GatewayContext } from '../fields/context.js';
import { GatewayError } from '../gatewayError.js';
import { fromApollo, type ApolloContext } from './fromApollo.js';
import { mediaTypeOf, negotiate, statusOfResult, type GraphQLHttpResponse } from './responses.js';
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
  maxLines: number;
}

export function createGraphQLHandler(options: GraphQLHandlerOptions): GraphQLHandler {
  const { operations, manifest } = options;
  const handleWithApollo = createApolloHandler(options);
  return (request, createContext) => {
    // Fast path: a well-formed POST of an operation that Apollo Server has validated before, within all limits on documents.
    const params = readJsonPost(request);
    const source = params && (params.query ?? (manifest && listedText(manifest, readRequestParams(request))));
    const operation = source === undefined ? undefined : operations.find(source, params?.operationName);
    const { mediaType, partialSuccessStatus } = negotiate(request.headers.accept);
    if (!operation || mediaType === undefined) return handleWithApollo(request, createContext);
    const respond = (result: FormattedExecutionResult): GraphQLHttpResponse => {
      const status = statusOfResult(result, partialSuccessStatus);
      return {
        status,
        headers: [['content-type', mediaTypeOf(status, mediaType)]],
        body: `${JSON.stringify(result)}\n`,
      };
    };
    const result = operation.run(createContext(), params?.variables);
    return result instanceof Promise ? result.then(respond) : respond(result);
  };
}

/** Apollo Server parses and validates; its plugin adds the operation to the cache and runs it (apolloServer.ts). */
function createApolloHandler(options: GraphQLHandlerOptions): GraphQLHandler {
  const { apollo, manifest, safelist, maxLines } = options;
  return async (request, createContext) => {
    const sent = readRequestParams(request);
    enforceLineLimit(sent, maxLines);
    if (safelist) enforceSafelist(safelist, sent);
    const { id, method, headers } = request;
    if (method === 'POST' && headers['content-type'] === undefined)
      throw new GatewayError('contentTypeMissing'); // Fastify rejects only a request with a body for it
    const params = manifest ? withListedText(request, sent, manifest) : sentParams(request);
    const apolloContext: ApolloContext = { context: createContext(), response: { isComplete: false } };
    const response = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method, headers: toHeaderMap(headers), ...params },
      context: () => Promise.resolve(apolloContext),
    });
    return fromApollo(response, id, apolloContext.response.isComplete);
  };
}

/** An empty operation name in the body of a POST is the same as none. */
function sentParams({ url, body }: GraphQLHttpRequest) {
  const isUnnamed = isRecord(body) && body['operationName'] === '';
  return { search: searchOf(url), body: isUnnamed ? { ...body, operationName: null } : body };
}

/** Replaces the ID of an operation by its text, and removes the extension by which Apollo Server would look for it itself. */
function withListedText(request: GraphQLHttpRequest, sent: RequestParams, manifest: OperationManifest) {
  const query = listedText(manifest, sent);
  const replaced = {
    ...(query !== undefined && { query }),
    ...(persistedQueryIn(sent['extensions']) && { extensions: null }),
  };
  const { search, body } = sentParams(request);
  const params = new URLSearchParams(search);
  for (const [name, value] of Object.entries(replaced))
    if (value === null) params.delete(name);
    else params.set(name, value);
  return { search: `?${params.toString()}`, body: isRecord(body) ? { ...body, ...replaced } : body };
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
  throw new GatewayError('documentTooLong', {
    message: `Expected a document of at most ${maxLines} lines, got more`,
  });
}

/**
 * Reads the parameters that Apollo Server is going to read (GraphQL over HTTP, sections 6.2 and 6.3); it rejects repeated
 * ones, of which this returns the last. For a GET, it parses the URL: Fastify's own query differs for a target in absolute form (RFC 9112
 * section 3.2.2).
 */
function readRequestParams({ method, url, body }: GraphQLHttpRequest): RequestParams {
  if (method === 'GET') return Object.fromEntries(new URLSearchParams(searchOf(url)));
  return isRecord(body) ? body : {};
}

/**
 * The query component of a request target, with its question mark, and without empty parameters: these are the same as none (GraphQL
 * over HTTP, section 6.2), but Apollo Server would look for an operation without a name, and parse the others as JSON.
 */
function searchOf(url: string): string {
  const { search, searchParams } = new URL(url, 'http://any');
  const { size } = searchParams;
  for (const name of ['operationName', 'variables', 'extensions'])
    if (searchParams.getAll(name).join() === '') searchParams.delete(name); // not if it is repeated, which is rejected
  return searchParams.size === size ? search : `?${searchParams.toString()}`;
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
    /** Undefined if the operation is given by its id. */
    query: query ?? undefined,
    operationName: operationName === '' ? undefined : (operationName ?? undefined),
    variables: variables ?? undefined,
  };
}
