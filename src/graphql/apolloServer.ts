/** A GraphQL endpoint over one schema: Apollo Server with the plugin that runs operations, their cache, and the handler of requests that the cache cannot serve. */
import { ApolloServer, HeaderMap, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { isRecord } from '../domain/json.js';
import { withTypePrefix } from '../explorer/example.js';
import { EXAMPLE_TOKEN, examples } from '../explorer/examples.js';
import { GatewayError } from '../gatewayError.js';
import type { OperationLimits } from './checks.js';
import {
  enforceLineLimit,
  limitOperationSize,
  MAX_VALIDATION_ERRORS,
  type DocumentLimits,
} from './documentSize.js';
import { fromApollo, rejectDocument, type ApolloContext } from './fromApollo.js';
import { createGraphQLHandler, negotiate, toResponse, type GraphQLHandler } from './handler.js';
import { createOperationCache, createOperationFactory, type FindOperation } from './operation.js';
import {
  enforceSafelist,
  withListedText,
  type OperationManifest,
  type RequestParams,
} from './persistedOperations.js';
import type { FormatErrorsOptions } from './publicErrors.js';

/** Maximum length of all cached documents together, in characters. */
const DOCUMENT_CACHE_MAX_CHARS = 262_144;

export interface GraphQLServerOptions extends DocumentLimits, OperationLimits, FormatErrorsOptions {
  schema: GraphQLSchema;
  /** The only operations that have IDs; none if undefined. */
  manifest: OperationManifest | undefined;
  /** The only operations that may run; any if undefined. */
  safelist: OperationManifest | undefined;
  /** Whether browsers get Apollo Sandbox. */
  explorerEnabled: boolean;
  schemaPrefix: string;
  log: Logger;
}

export function createGraphQLServer(options: GraphQLServerOptions) {
  const { schema, isProduction, explorerEnabled, log } = options;
  const createOperation = createOperationFactory(schema, options);
  const findOperation = createOperationCache(createOperation, DOCUMENT_CACHE_MAX_CHARS);
  const apollo = new ApolloServer<ApolloContext>({
    schema,
    logger: log,
    nodeEnv: isProduction ? 'production' : 'development',
    introspection: !isProduction || explorerEnabled, // the explorer needs it
    hideSchemaDetailsFromClientErrors: isProduction,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: false, // the handler knows the operations of a manifest
    documentStore: new InMemoryLRUCache<DocumentNode>({
      maxSize: DOCUMENT_CACHE_MAX_CHARS,
      sizeCalculation: ({ loc }) => loc?.end || 1,
    }),
    parseOptions: { maxLexicalTokens: options.maxTokens },
    validationOptions: { maxErrors: MAX_VALIDATION_ERRORS },
    validationRules: [limitOperationSize(options)],
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      explorerEnabled ? sandbox(options.schemaPrefix) : ApolloServerPluginLandingPageDisabled(),
      apolloPlugin(findOperation, options),
    ],
  });
  return {
    handle: createGraphQLHandler(findOperation, options.manifest, createApolloHandler(apollo, options)),
    start: () => apollo.start(),
    stop: () => apollo.stop(),
  };
}

/** The page that browsers get: Apollo Sandbox with the examples. */
function sandbox(schemaPrefix: string): ApolloServerPlugin {
  return ApolloServerPluginLandingPageLocalDefault({
    document: examples.map((example) => withTypePrefix(example, schemaPrefix).document).join('\n\n'),
    variables: Object.assign({}, ...examples.map(({ variables }) => variables)) as Record<string, unknown>,
    headers: { authorization: `Bearer ${EXAMPLE_TOKEN}` },
    includeCookies: false,
    footer: false,
    embed: { runTelemetry: false },
  });
}

/**
 * Connects Apollo Server to the gateway's execution: Apollo Server reads, parses and validates a request, and this plugin
 * runs the operation. Apollo Server never executes one, so its execution hooks (`executionDidStart`, `willResolveField`)
 * fire only where it reports that a document has no such operation. Once an operation is cached, its requests bypass Apollo
 * Server: another plugin sees only the first requests of a document, GET requests, and requests that Apollo Server rejects. The handler
 * makes the response, so Apollo Server serializes nothing.
 */
function apolloPlugin(
  findOperation: FindOperation,
  options: FormatErrorsOptions,
): ApolloServerPlugin<ApolloContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        async responseForOperation({ source, document, request, contextValue }) {
          const run = findOperation(source, request.operationName, document);
          if (!run) return null; // Apollo Server reports that the operation cannot be determined
          contextValue.made.result = await run(contextValue.context, request.variables);
          return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: {} } };
        },

        willSendResponse(requestContext) {
          const { errors, contextValue } = requestContext;
          if (errors) Object.assign(contextValue.made, rejectDocument(requestContext, errors, options));
          return Promise.resolve();
        },
      }),
  };
}

/** Handles requests that the operations in the cache do not serve: Apollo Server parses and validates, and its plugin runs the operation. */
function createApolloHandler(
  apollo: ApolloServer<ApolloContext>,
  { manifest, safelist, maxTokens }: GraphQLServerOptions,
): GraphQLHandler {
  return async (request, createContext) => {
    const { method, headers, url, body } = request;
    // Fastify's own query differs for a target in absolute form (RFC 9112 section 3.2.2).
    const searchParams = method === 'GET' ? new URL(url, 'http://any').searchParams : undefined;
    const sent = withoutEmpty(searchParams ? Object.fromEntries(searchParams) : body);
    enforceLineLimit(sent['query'], maxTokens);
    if (safelist) enforceSafelist(safelist, sent);
    if (searchParams && new Set(searchParams.keys()).size < searchParams.size)
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
        headers: new HeaderMap(
          Object.entries(headers).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])),
        ),
        search: searchParams ? `?${new URLSearchParams(params as Record<string, string>).toString()}` : '',
        body: isRecord(body) ? params : body,
      },
      context: () => Promise.resolve(apolloContext),
    });
    const { result, status } = apolloContext.made;
    if (result === undefined) return fromApollo(response);
    if (negotiated.mediaType === undefined) throw new GatewayError('notAcceptable');
    const made = toResponse(result, negotiated, status);
    return { ...made, headers: [...response.headers, ...made.headers] };
  };
}

/** Parameters of which an empty text is the same as none (GraphQL over HTTP, section 6.2); Apollo Server would take them for values. */
const MAY_BE_EMPTY = new Set(['operationName', 'variables', 'extensions']);

function withoutEmpty(sent: unknown): RequestParams {
  if (!isRecord(sent)) return {};
  const params = Object.entries(sent).filter(([name, value]) => value !== '' || !MAY_BE_EMPTY.has(name));
  return Object.fromEntries(params);
}
