/** A GraphQL endpoint over one schema: Apollo Server with the plugin that runs operations, their cache, and the handler. */
import { ApolloServer, HeaderMap, type ApolloServerPlugin, type GraphQLRequestContext } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import {
  GraphQLError,
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Logger } from 'pino';
import type { GatewayContext } from '../fields/context.js';
import {
  checkIdempotencyHeader,
  limitRestCalls,
  rejectNullConditions,
  rejectUnknownOperationType,
  type RestCallLimitOptions,
} from './checks.js';
import { documentLimits, type DocumentLimits } from './documentSize.js';
import type { FormatErrorsOptions } from './formatErrors.js';
import { formatNonOperationError, formatRejection } from './fromApollo.js';
import { createGraphQLHandler, type GraphQLHandler } from './handler.js';
import { limitInput } from './inputLimit.js';
import { landingPage } from './landingPage.js';
import {
  createOperationCache,
  createOperationFactory,
  type OperationCache,
  type PrepareOperation,
} from './operation.js';
import {
  createPersistedOperations,
  type OperationManifest,
  type PersistedOperationsOptions,
} from './persistedOperations.js';
import {
  GRAPHQL_MEDIA_TYPE,
  HttpStatus,
  mediaTypeOf,
  negotiate,
  statusOfRejection,
  statusOfResult,
} from './responses.js';
import { limitResults, type ResultLimitOptions } from './resultLimit.js';

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
  const { schema, isProduction, explorerEnabled, log, reportInternalError, errorLimits } = options;
  limitResults(schema, options);
  const formatOptions = { reportInternalError, errorLimits, hideSuggestions: isProduction };
  const checks = [
    rejectUnknownOperationType,
    rejectNullConditions,
    limitInput(options), // before the checks that walk the input
    limitRestCalls(options),
    checkIdempotencyHeader,
  ];
  const prepare = createOperationFactory({ schema, checks, ...formatOptions });
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
      apolloPlugin({ operations, prepare, ...formatOptions }),
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

interface ApolloPluginOptions extends FormatErrorsOptions {
  operations: OperationCache;
  prepare: PrepareOperation;
}

/**
 * Connects Apollo Server to the gateway's execution: Apollo Server reads, parses and validates a request, and this plugin
 * runs the operation. Apollo Server never executes one, so its execution hooks (`executionDidStart`, `willResolveField`)
 * fire only where it reports that a document has no such operation. Once an operation is cached, its requests bypass Apollo
 * Server: another plugin sees only the first requests of a document, GET requests, and requests that Apollo Server rejects.
 */
function apolloPlugin({
  operations,
  prepare,
  ...formatOptions
}: ApolloPluginOptions): ApolloServerPlugin<GatewayContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation(request) {
          operations.add(request.source, request.document);
          // Apollo Server would find this only after execution, when a mutation has already taken effect.
          if (negotiate(acceptOf(request)).mediaType !== undefined) return Promise.resolve();
          request.response.http.headers.set('content-type', GRAPHQL_MEDIA_TYPE);
          throw notAcceptable();
        },

        async responseForOperation({ source, document, operation, request, contextValue }) {
          const definition = operation as OperationDefinitionNode | undefined; // undefined despite its type
          if (!definition) return null; // Apollo Server reports that it cannot be determined
          const cached = operations.find(source, request.operationName);
          const prepared = cached ?? prepare(source, document, definition); // too long for the cache
          const singleResult = await prepared.run(contextValue, request.variables);
          return {
            http: { status: HttpStatus.Ok, headers: new HeaderMap() },
            body: { kind: 'single', singleResult },
          };
        },

        willSendResponse(request) {
          const { body, http } = request.response;
          if (body.kind === 'incremental') return Promise.resolve(); // graphql-js 16 has none
          // Only Apollo Server's own rejections set `errors`: a result of `run` is formatted already.
          if (request.errors) {
            const { source, document, operation: definition, contextValue: context } = request;
            const { operationName } = request.request;
            const rejected = { source, document, operationName, definition, context };
            body.singleResult = formatRejection(request.errors, rejected, formatOptions);
          }
          const { mediaType, partialSuccessStatus } = negotiate(acceptOf(request));
          http.status = request.errors
            ? statusOfRejection(http.status, codesOf(body.singleResult))
            : statusOfResult(body.singleResult, partialSuccessStatus);
          // Without a type, Apollo Server responds with 406.
          if (mediaType !== undefined) http.headers.set('content-type', mediaTypeOf(http.status, mediaType));
          return Promise.resolve();
        },
      }),

    invalidRequestWasReceived({ error }) {
      const http =
        error instanceof GraphQLError && (error.extensions['http'] as { status?: number } | undefined);
      if (!http) return Promise.resolve();
      // Apollo Server reads the status when it writes the response.
      if (error.message.startsWith(CSRF_MESSAGE)) http.status = HttpStatus.Forbidden;
      else http.status = statusOfRejection(http.status);
      return Promise.resolve();
    },
  };
}

/** Only its message distinguishes this error of Apollo Server from others with the code BAD_REQUEST. */
const CSRF_MESSAGE = 'This operation has been blocked as a potential Cross-Site Request Forgery';

function codesOf({ errors = [] }: FormattedExecutionResult): unknown[] {
  return errors.map(({ extensions }) => extensions?.['code']);
}

function acceptOf({ request }: Pick<GraphQLRequestContext<GatewayContext>, 'request'>): string | undefined {
  return request.http?.headers.get('accept');
}

function notAcceptable(): GraphQLError {
  return new GraphQLError(
    'Expected an Accept header that allows application/json or application/graphql-response+json',
    { extensions: { code: ApolloServerErrorCode.BAD_REQUEST, http: { status: HttpStatus.NotAcceptable } } },
  );
}
