/** A GraphQL endpoint over one schema: Apollo Server with the plugin that runs operations, their cache, and the handler. */
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
import { withTypePrefix } from '../explorer/example.js';
import { EXAMPLE_TOKEN, examples } from '../explorer/examples.js';
import type { OperationLimits } from './checks.js';
import { limitOperationSize, MAX_VALIDATION_ERRORS, type DocumentLimits } from './documentSize.js';
import type { FormatErrorsOptions } from './publicErrors.js';
import { rejectDocument, type ApolloContext } from './fromApollo.js';
import { createGraphQLHandler, type GraphQLHandlerOptions } from './handler.js';
import { createOperationCache, createOperationFactory, type OperationCache } from './operation.js';

/** Maximum length of all cached documents together, in characters. */
const DOCUMENT_CACHE_MAX_CHARS = 262_144;

export interface GraphQLServerOptions
  extends
    DocumentLimits,
    OperationLimits,
    FormatErrorsOptions,
    Pick<GraphQLHandlerOptions, 'manifest' | 'safelist'> {
  schema: GraphQLSchema;
  /** Whether browsers get Apollo Sandbox. */
  explorerEnabled: boolean;
  schemaPrefix: string;
  log: Logger;
}

export function createGraphQLServer(options: GraphQLServerOptions) {
  const { schema, isProduction, explorerEnabled, log } = options;
  const createOperation = createOperationFactory(schema, options);
  const operationCache = createOperationCache(createOperation, DOCUMENT_CACHE_MAX_CHARS);
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
      apolloPlugin(operationCache, options),
    ],
  });
  return {
    handle: createGraphQLHandler({ ...options, apollo, operations: operationCache }),
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
  operations: OperationCache,
  options: FormatErrorsOptions,
): ApolloServerPlugin<ApolloContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        async responseForOperation({ source, document, request, contextValue }) {
          const run = operations.add(source, document, request.operationName);
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
