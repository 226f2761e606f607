/** What executes operations: Apollo Server, the short way beside it, and all that goes for both. */
import { ApolloServer, type ApolloServerOptions } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Config } from '../config/config.js';
import type { GatewayContext } from '../context.js';
import { formatNonOperationError, type ErrorContext } from './errors/errorTable.js';
import type { Executor } from '../http/graphqlRoute.js';
import { manifestStore } from './safelist.js';
import { createShortWay } from './handler.js';
import { acceptableAnswer } from '../plugins/acceptableAnswer.js';
import { createAnswerWriter } from './execution/response.js';
import { rejectNullConditions } from './checks/nullConditions.js';
import { documentLimits } from './checks/documentLimits.js';
import { createOperationCache } from './execution/operationCache.js';
import { limitRestCalls } from './checks/restCallLimit.js';
import { rejectUnknownOperationType } from './checks/operationType.js';
import { landingPage } from './landingPage.js';
import { operations } from './apolloPlugin.js';
import { statuses } from '../plugins/statuses.js';

/** Bound on the parsed documents that are kept, by the length of their text. */
const KEPT_DOCUMENTS_CHARACTERS = 262_144;

export interface ExecutorOptions {
  schema: GraphQLSchema;
  config: Config;
  log: Logger;
  reportInternalError: ErrorContext['report'];
  /** Whether there are pages to explore the schema: Apollo Sandbox is one. */
  explorerEnabled: boolean;
}

/** It is not started yet. */
export function createExecutor({
  schema,
  config,
  log,
  reportInternalError: report,
  explorerEnabled: hasExplorer,
}: ExecutorOptions): Executor {
  const isProduction = config.NODE_ENV === 'production';
  const known = createOperationCache({ schema, maxCharacters: KEPT_DOCUMENTS_CHARACTERS });
  const checks = [
    rejectUnknownOperationType,
    rejectNullConditions,
    limitRestCalls({ maxRestCalls: config.MAX_REST_CALLS, maxMutationFields: config.MAX_MUTATION_FIELDS }),
  ];
  const write = createAnswerWriter({ report, hideSuggestions: isProduction });
  const apollo = new ApolloServer<GatewayContext>({
    schema,
    logger: log,
    nodeEnv: config.NODE_ENV,
    introspection: !isProduction || hasExplorer, // without it there is nothing to explore
    hideSchemaDetailsFromClientErrors: isProduction,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    persistedQueries: persistedQueries(config),
    documentStore: new InMemoryLRUCache<DocumentNode>({
      maxSize: KEPT_DOCUMENTS_CHARACTERS,
      sizeCalculation: ({ loc }) => loc?.end ?? 1,
    }),
    ...documentLimits({
      maxTokens: config.MAX_TOKENS,
      maxDepth: config.MAX_DEPTH,
      maxAliases: config.MAX_ALIASES,
      maxDirectives: config.MAX_DIRECTIVES,
    }),
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      landingPage({ enabled: hasExplorer }),
      acceptableAnswer,
      operations({ known, checks, write }),
      statuses,
    ],
    formatError: formatNonOperationError,
  });
  return { apollo, shortWay: createShortWay({ schema, known, checks, write }) };
}

function persistedQueries({
  OPERATIONS_MANIFEST: manifest,
  APQ_CACHE_BYTES: maxSize,
}: Config): NonNullable<ApolloServerOptions<GatewayContext>['persistedQueries']> {
  if (manifest) return { cache: manifestStore(manifest) };
  return maxSize === 0 ? false : { cache: new InMemoryLRUCache({ maxSize }) };
}
