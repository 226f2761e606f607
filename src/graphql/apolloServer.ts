/** A GraphQL endpoint over one schema: Apollo Server, the cache of operations, and the handler that uses both. */
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { GatewayContext } from '../fields/context.js';
import { apolloPlugin } from './apolloPlugin.js';
import { documentLimits, type DocumentLimits } from './documentSize.js';
import {
  checkIdempotencyHeader,
  limitRestCalls,
  rejectNullConditions,
  rejectUnknownOperationType,
  type RestCallLimitOptions,
} from './checks.js';
import { limitInput } from './inputLimit.js';
import type { FormatErrorsOptions } from './formatErrors.js';
import { formatNonOperationError } from './fromApollo.js';
import { createOperationFactory } from './execution/operation.js';
import { createOperationCache } from './execution/operationCache.js';
import { limitResults, type ResultLimitOptions } from './execution/resultLimit.js';
import { createResponseFormatter } from './execution/response.js';
import { createGraphQLHandler, type GraphQLHandler } from './handler.js';
import { landingPage } from './landingPage.js';
import {
  createPersistedOperations,
  type OperationManifest,
  type PersistedOperationsOptions,
} from './persistedOperations.js';

/** Maximum length of all cached documents together, in characters. */
const DOCUMENT_CACHE_MAX_CHARS = 262_144;

export interface GraphQLServerOptions
  extends DocumentLimits, RestCallLimitOptions, ResultLimitOptions, PersistedOperationsOptions {
  /** Of this endpoint alone: its root fields are changed to limit the size of results. */
  schema: GraphQLSchema;
  /** The only operations that may run; any if undefined. */
  safelist: OperationManifest | undefined;
  /** Production hides the schema in messages and, without the explorer, introspection. */
  isProduction: boolean;
  /** Whether browsers get Apollo Sandbox. */
  explorerEnabled: boolean;
  /** The prefix of the schema's types, for the examples there. */
  schemaPrefix: string;
  log: Logger;
  reportInternalError: FormatErrorsOptions['reportInternalError'];
  errorLimits?: FormatErrorsOptions['errorLimits'];
}

export interface GraphQLServer {
  handle: GraphQLHandler;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function createGraphQLServer(options: GraphQLServerOptions): GraphQLServer {
  const { schema, isProduction, explorerEnabled, log, reportInternalError } = options;
  limitResults(schema, options);
  const { errorLimits } = options;
  const formatter = createResponseFormatter({
    reportInternalError,
    errorLimits,
    hideSuggestions: isProduction,
  });
  const checks = [
    rejectUnknownOperationType,
    rejectNullConditions,
    limitInput(options), // before the checks that walk the input
    limitRestCalls(options),
    checkIdempotencyHeader,
  ];
  const prepare = createOperationFactory({ schema, checks, formatter });
  const operations = createOperationCache({ prepare, maxChars: DOCUMENT_CACHE_MAX_CHARS });
  const persistedOperations = createPersistedOperations(options);
  const apollo = new ApolloServer<GatewayContext>({
    schema,
    logger: log,
    nodeEnv: isProduction ? 'production' : 'development',
    introspection: !isProduction || explorerEnabled, // the explorer needs it
    hideSchemaDetailsFromClientErrors: isProduction,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: persistedOperations.apolloOption,
    documentStore: new InMemoryLRUCache<DocumentNode>({
      maxSize: DOCUMENT_CACHE_MAX_CHARS,
      sizeCalculation: ({ loc }) => loc?.end ?? 1,
    }),
    ...documentLimits(options),
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      landingPage({ enabled: explorerEnabled, schemaPrefix: options.schemaPrefix }),
      apolloPlugin({ operations, prepare, formatter }),
    ],
    formatError: formatNonOperationError,
  });
  const { maxTokens: maxLines, safelist } = options; // no formatter writes more lines than tokens
  return {
    handle: createGraphQLHandler({ apollo, operations, persistedOperations, safelist, maxLines }),
    start: () => apollo.start(),
    stop: () => apollo.stop(),
  };
}
