/** Apollo Server with everything that every operation goes through. */
import { ApolloServer, type ApolloServerOptions } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import type { GatewayContext } from './context.js';
import { presentOutside, type ErrorSituation } from './errors.js';
import { manifestStore } from './http/safelist.js';
import { acceptableAnswer } from './plugins/acceptableAnswer.js';
import { conditions } from './plugins/conditions.js';
import { documentLimits } from './plugins/documentLimits.js';
import { errorContract } from './plugins/errorContract.js';
import { landingPage } from './plugins/landingPage.js';
import { operationCost } from './plugins/operationCost.js';
import { operationRecord } from './plugins/operationRecord.js';
import { operationType } from './plugins/operationType.js';
import { shownCalls } from './plugins/shownCalls.js';
import { statuses } from './plugins/statuses.js';

/** Bound on the parsed documents that are kept, by the length of their text. */
const KEPT_DOCUMENTS_CHARACTERS = 262_144;

export interface ApolloOptions {
  schema: GraphQLSchema;
  config: Config;
  log: Logger;
  report: ErrorSituation['report'];
  /** Whether there are pages to explore the schema: Apollo Sandbox is one. */
  hasExplorer: boolean;
}

/** It is not started yet. */
export function createApollo({
  schema,
  config,
  log,
  report,
  hasExplorer,
}: ApolloOptions): ApolloServer<GatewayContext> {
  const isProduction = config.NODE_ENV === 'production';
  return new ApolloServer<GatewayContext>({
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
      landingPage({ isOn: hasExplorer }),
      acceptableAnswer,
      operationType,
      conditions,
      operationCost({
        maxRestCalls: config.MAX_REST_CALLS,
        maxMutationFields: config.MAX_MUTATION_FIELDS,
      }),
      errorContract({ report, hideSuggestions: isProduction }),
      operationRecord,
      shownCalls,
      statuses,
    ],
    formatError: presentOutside,
  });
}

function persistedQueries({
  OPERATIONS_MANIFEST: manifest,
  APQ_CACHE_BYTES: maxSize,
}: Config): NonNullable<ApolloServerOptions<GatewayContext>['persistedQueries']> {
  if (manifest) return { cache: manifestStore(manifest) };
  return maxSize === 0 ? false : { cache: new InMemoryLRUCache({ maxSize }) };
}
