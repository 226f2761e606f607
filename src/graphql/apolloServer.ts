/** A GraphQL endpoint over one schema: Apollo Server with the plugin that runs operations, their cache, and the handler. */
import { ApolloServer, HeaderMap, type ApolloServerPlugin, type GraphQLRequestContext } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginLandingPageLocalDefault } from '@apollo/server/plugin/landingPage/default';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import { GraphQLError, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import { withTypePrefix } from '../explorer/example.js';
import { EXAMPLE_TOKEN, examples } from '../explorer/examples.js';
import {
  checkIdempotencyHeader,
  limitFixedSize,
  limitInput,
  limitItemResults,
  limitRestCalls,
  limitResults,
  rejectNullConditions,
  rejectUnknownOperationType,
  type InputLimitOptions,
  type RestCallLimitOptions,
  type ResultLimitOptions,
} from './checks.js';
import { documentLimits, type DocumentLimits } from './documentSize.js';
import type { FormatErrorsOptions } from './publicErrors.js';
import type { ApolloContext } from './fromApollo.js';
import { GatewayError } from '../gatewayError.js';
import { createGraphQLHandler } from './handler.js';
import {
  createOperationCache,
  createOperationFactory,
  type OperationCache,
  type CreateOperation,
} from './operation.js';
import type { OperationManifest } from './persistedOperations.js';
import { GRAPHQL_MEDIA_TYPE, mediaTypeOf, negotiate, statusOfResult, type Negotiated } from './responses.js';
import { reportFailuresAsData } from '../fields/writeFailures.js';

/** Maximum length of all cached documents together, in characters. */
const DOCUMENT_CACHE_MAX_CHARS = 262_144;

export interface GraphQLServerOptions
  extends DocumentLimits, InputLimitOptions, RestCallLimitOptions, ResultLimitOptions {
  /** Not shared with another endpoint: its root fields are changed to limit the size of results. */
  schema: GraphQLSchema;
  /** The only operations that have IDs; none if undefined. */
  manifest: OperationManifest | undefined;
  /** The only operations that may run; any if undefined. */
  safelist: OperationManifest | undefined;
  /** Production hides the schema in messages and, without the explorer, introspection. */
  isProduction: boolean;
  /** Whether browsers get Apollo Sandbox. */
  explorerEnabled: boolean;
  schemaPrefix: string;
  log: Logger;
  reportInternalError: FormatErrorsOptions['reportInternalError'];
  maxErrors?: FormatErrorsOptions['maxErrors'];
}

export function createGraphQLServer(options: GraphQLServerOptions) {
  const { schema, isProduction, explorerEnabled, log, reportInternalError, maxErrors } = options;
  limitResults(schema, options);
  reportFailuresAsData(schema);
  const formatOptions = { reportInternalError, maxErrors, hideSuggestions: isProduction };
  const checks = [
    rejectUnknownOperationType,
    rejectNullConditions,
    limitInput(options), // before the checks that walk the input
    limitFixedSize(options),
    limitItemResults,
    limitRestCalls(options),
    checkIdempotencyHeader,
  ];
  const createOperation = createOperationFactory(schema, checks, formatOptions);
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
    ...documentLimits(options),
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      explorerEnabled ? sandbox(options.schemaPrefix) : ApolloServerPluginLandingPageDisabled(),
      apolloPlugin(operationCache, createOperation),
    ],
  });
  const { maxTokens, manifest, safelist } = options;
  return {
    handle: createGraphQLHandler({
      apollo,
      operations: operationCache,
      manifest,
      safelist,
      maxLines: maxTokens, // a formatter writes at most one line per token
      ...formatOptions,
    }),
    start: () => apollo.start(),
    stop: () => apollo.stop(),
  };
}

/** The page that browsers get: Apollo Sandbox with the examples. */
function sandbox(schemaPrefix: string): ApolloServerPlugin {
  const page = ApolloServerPluginLandingPageLocalDefault({
    document: examples.map((example) => withTypePrefix(example, schemaPrefix).document).join('\n\n'),
    variables: Object.assign({}, ...examples.map(({ variables }) => variables)) as Record<string, unknown>,
    headers: { authorization: `Bearer ${EXAMPLE_TOKEN}` },
    includeCookies: false,
    footer: false,
    embed: { runTelemetry: false },
  });
  return {
    async serverWillStart(server) {
      const listener = await page.serverWillStart?.(server);
      return {
        ...listener,
        async renderLandingPage() {
          const { html = '' } = (await listener?.renderLandingPage?.()) ?? {};
          return { html: withExplorer(typeof html === 'string' ? html : await html()) };
        },
      };
    },
  };
}

/** The message of the page while Apollo's script cannot be loaded, and the element that would cover it. */
const OFFLINE = 'Apollo Sandbox cannot be loaded; it appears that you might be offline.';
const COVER = '#embeddableSandbox {';

/** Names this product in the page, and links to the explorer for networks that block Apollo's script. */
function withExplorer(html: string): string {
  return html
    .replaceAll(/(?<=<title>)Apollo Server|Welcome to Apollo Server/g, 'Shipment GraphQL gateway')
    .replace(
      OFFLINE,
      `${OFFLINE} <a href="explorer/">The explorer of this gateway</a> needs no other server.`,
    )
    .replace(COVER, `#embeddableSandbox:empty { display: none; }\n  ${COVER}`);
}

/**
 * Connects Apollo Server to the gateway's execution: Apollo Server reads, parses and validates a request, and this plugin
 * runs the operation. Apollo Server never executes one, so its execution hooks (`executionDidStart`, `willResolveField`)
 * fire only where it reports that a document has no such operation. Once an operation is cached, its requests bypass Apollo
 * Server: another plugin sees only the first requests of a document, GET requests, and requests that Apollo Server rejects.
 */
function apolloPlugin(
  operations: OperationCache,
  createOperation: CreateOperation,
): ApolloServerPlugin<ApolloContext> {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation(request) {
          operations.add(request.source, request.document);
          // Apollo Server would find this only after execution, when a mutation has already taken effect.
          if (negotiated(request).mediaType === undefined) throw notAcceptable();
          return Promise.resolve();
        },

        async responseForOperation(requestContext) {
          const { source, document, request, contextValue } = requestContext;
          const definition = requestContext.operation as OperationDefinitionNode | undefined; // undefined despite its type
          if (!definition) return null; // Apollo Server reports that it cannot be determined
          const cached = operations.find(source, request.operationName);
          const operation = cached ?? createOperation(source, document, definition); // too long for the cache
          contextValue.request.hasRun = true;
          const singleResult = await operation.run(contextValue.context, request.variables);
          const { mediaType = GRAPHQL_MEDIA_TYPE, partialSuccessStatus } = negotiated(requestContext);
          const status = statusOfResult(singleResult, partialSuccessStatus);
          const headers = new HeaderMap([['content-type', mediaTypeOf(status, mediaType)]]);
          return { http: { status, headers }, body: { kind: 'single', singleResult } };
        },

        willSendResponse(requestContext) {
          if (!requestContext.errors) return Promise.resolve(); // a result of `run`
          const { source, document, operation: definition, request, response, contextValue } = requestContext;
          const isAcceptable = negotiated(requestContext).mediaType !== undefined;
          contextValue.request.rejection = {
            errors: isAcceptable ? requestContext.errors : [notAcceptable()],
            source,
            document,
            operationName: request.operationName,
            definition,
            context: contextValue.context,
          };
          response.http.headers.set('content-type', GRAPHQL_MEDIA_TYPE); // without one, Apollo Server responds with its own 406
          return Promise.resolve();
        },
      }),
  };
}

function negotiated({ request }: Pick<GraphQLRequestContext<ApolloContext>, 'request'>): Negotiated {
  return negotiate(request.http?.headers.get('accept'));
}

function notAcceptable(): GraphQLError {
  const originalError = new GatewayError('notAcceptable');
  return new GraphQLError(originalError.message, { originalError });
}
