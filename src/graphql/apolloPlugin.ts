import { HeaderMap, type ApolloServerPlugin, type GraphQLRequestContext } from '@apollo/server';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { GraphQLError, type FormattedExecutionResult, type OperationDefinitionNode } from 'graphql';
import type { GatewayContext } from '../fields/context.js';
import type { PrepareOperation } from './execution/operation.js';
import type { OperationCache } from './execution/operationCache.js';
import type { ResponseFormatter } from './execution/response.js';
import {
  GRAPHQL_MEDIA_TYPE,
  HttpStatus,
  mediaTypeOf,
  negotiate,
  statusOfRejection,
  statusOfResult,
} from './responses.js';

export interface ApolloPluginOptions {
  operations: OperationCache;
  prepare: PrepareOperation;
  formatter: ResponseFormatter;
}

/**
 * Connects Apollo Server to the gateway's execution: Apollo Server reads, parses and validates a request, and this plugin
 * runs the operation. Apollo Server never executes one, so its execution hooks (`executionDidStart`, `willResolveField`)
 * fire only where it reports that a document has no such operation. Once an operation is cached, its requests bypass Apollo
 * Server: another plugin sees only the first requests of a document, GET requests, and requests that Apollo Server rejects.
 */
export function apolloPlugin({
  operations,
  prepare,
  formatter,
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
            body.singleResult = formatter.formatRejection(request.errors, rejected);
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
