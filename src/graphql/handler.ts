/** The pipeline of one GraphQL request over HTTP. */
import { HeaderMap, type ApolloServer } from '@apollo/server';
import type { FormattedExecutionResult } from 'graphql';
import { isRecord } from '../domain/json.js';
import type { GatewayContext } from '../fields/context.js';
import { GatewayError } from '../gatewayError.js';
import { enforceLineLimit } from './documentSize.js';
import type { FormatErrorsOptions } from './errors/publicErrors.js';
import { fromApollo, type ApolloContext, type ApolloRequest } from './fromApollo.js';
import { mediaTypeOf, negotiate, statusOfResult, type GraphQLHttpResponse } from './responses.js';
import type { OperationCache } from './operation.js';
import {
  enforceSafelist,
  listedText,
  persistedQueryIn,
  type OperationManifest,
} from './persistedOperations.js';
import {
  bodyOf,
  readJsonPost,
  readRequestParams,
  searchOf,
  type GraphQLHttpRequest,
  type RequestParams,
} from './requestParams.js';

/** Throws a GatewayError if it rejects the request before there is an operation. */
export type GraphQLHandler = (
  request: GraphQLHttpRequest,
  createContext: () => GatewayContext,
) => GraphQLHttpResponse | Promise<GraphQLHttpResponse>;

export interface GraphQLHandlerOptions extends FormatErrorsOptions {
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
    const apolloRequest: ApolloRequest = { id };
    const response = await apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method, headers: toHeaderMap(headers), ...params },
      context: () => Promise.resolve({ context: createContext(), request: apolloRequest }),
    });
    return fromApollo(response, apolloRequest, options);
  };
}

function sentParams({ url, body }: GraphQLHttpRequest) {
  return { search: searchOf(url), body: bodyOf(body) };
}

/** With the text of the operation that an ID stands for, and without the extension by which Apollo Server would look for it itself. */
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
