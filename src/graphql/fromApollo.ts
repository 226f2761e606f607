/**
 * Everything that is repaired in Apollo Server's responses: its statuses, codes and messages of rejections. An upgrade that changes
 * what this relies on fails in test/graphql/fromApollo.test.ts.
 */
import type { HTTPGraphQLResponse } from '@apollo/server';
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';
import {
  FORGED_MESSAGE,
  maxTokensIn,
  rewordApolloMessage,
  shortenMessage,
} from '../domain/libraryMessages.js';
import { ErrorCode } from '../errors.js';
import type { GatewayContext } from '../fields/context.js';
import { tooComplex } from './documentSize.js';
import { limitErrors } from './errors/errorLimit.js';
import { placeFinder } from './errors/inputErrors.js';
import { formatError, INTERNAL_ERROR_MESSAGE, type FormatErrorsOptions } from './errors/publicErrors.js';
import {
  extensionsOf,
  GRAPHQL_MEDIA_TYPE,
  HttpStatus,
  recordOperation,
  type GraphQLHttpResponse,
} from './responses.js';

/** Apollo Server's context value: it executes nothing, so this only connects its plugin and the handler of one request. */
export interface ApolloContext {
  readonly context: GatewayContext;
  readonly request: ApolloRequest;
}

export interface ApolloRequest {
  readonly id: string;
  /** What the plugin finds out about a request that is rejected before there is an operation to run. */
  rejection?: Rejection;
}

export interface Rejection {
  errors: readonly GraphQLError[];
  source: string | undefined;
  /** Undefined if the source could not be parsed. */
  document: DocumentNode | undefined;
  operationName: string | undefined;
  definition: OperationDefinitionNode | undefined;
  context: GatewayContext;
}

/** The response to a request that Apollo Server handled: its own rejection is repaired, a result or a page is not changed. */
export function fromApollo(
  response: HTTPGraphQLResponse,
  { id, rejection }: ApolloRequest,
  options: FormatErrorsOptions,
): GraphQLHttpResponse {
  const { status = HttpStatus.Ok, headers } = response;
  const text = textOf(response);
  const result = rejection
    ? formatRejection(rejection, options)
    : status >= HttpStatus.BadRequest && repairErrors(text, id);
  if (!result) return { status, headers, body: text };
  headers.set('content-type', GRAPHQL_MEDIA_TYPE); // Apollo Server negotiates the type of errors, too
  return { status: statusOf(status, result), headers, body: `${JSON.stringify(result)}\n` };
}

/** Only incremental delivery sends responses in chunks, which graphql-js 16 does not have. */
function textOf({ body }: HTTPGraphQLResponse): string {
  if (body.kind === 'complete') return body.string;
  throw new Error('Expected a complete response, got chunks');
}

/** Statuses that are more specific than the codes of the errors. */
const specificStatuses: readonly number[] = [
  HttpStatus.MethodNotAllowed,
  HttpStatus.NotAcceptable,
  HttpStatus.UnsupportedMediaType,
];

/** Apollo Server uses 400 for most errors, forged requests included, and 200 for hashes of persisted queries. */
function statusOf(status: number, { errors = [] }: FormattedExecutionResult): number {
  if (status >= HttpStatus.InternalServerError || specificStatuses.includes(status)) return status;
  if (errors.some(({ message }) => message === FORGED_MESSAGE)) return HttpStatus.Forbidden;
  const isSyntaxError = errors.some(
    ({ extensions }) => extensions?.['code'] === ErrorCode.GraphqlParseFailed,
  );
  return isSyntaxError ? HttpStatus.BadRequest : HttpStatus.UnprocessableContent;
}

/**
 * The errors that Apollo Server finds before its plugin runs, for instance while it reads the parameters. Undefined if the errors
 * come from a check, which are complete.
 */
function repairErrors(text: string, requestId: string): FormattedExecutionResult | undefined {
  const { errors = [] } = JSON.parse(text) as FormattedExecutionResult;
  if (errors.every(({ extensions }) => extensions?.['requestId'] !== undefined)) return undefined;
  return { errors: errors.map((error) => repairError(error, requestId)) };
}

function repairError({ message, extensions }: GraphQLFormattedError, requestId: string) {
  const code = extensions?.['code'];
  return code === ErrorCode.InternalServerError
    ? { message: INTERNAL_ERROR_MESSAGE, extensions: { code, retryable: false, requestId } }
    : {
        message: shortenMessage(rewordApolloMessage(message)),
        extensions: { ...extensions, retryable: false, requestId },
      };
}

/** The public errors of a document that cannot be parsed, is invalid, or has no such operation. */
function formatRejection(
  { errors, source, document, operationName, definition, context }: Rejection,
  { reportInternalError }: FormatErrorsOptions,
): FormattedExecutionResult {
  const named = document && getOperationAST(document, operationName);
  // Any part of a document that could not be parsed, or has no such operation, may be the intended mutation.
  const isMutation = named
    ? named.operation === OperationTypeNode.MUTATION
    : /\bmutation\b/.test(source ?? '');
  const placeOf = placeFinder(document, named);
  const formatContext = { isMutation, ids: context.client.ids, placeOf, reportInternalError };
  const limited = limitErrors(
    errors.map((error) => ({ rootKey: undefined, errors: formatError(repairCode(error), formatContext) })),
  );
  recordOperation(context, definition, limited.errors);
  return { errors: limited.errors, ...extensionsOf(context, limited) };
}

/** Apollo Server gives every parse and validation error its own code, limits included. */
function repairCode(error: GraphQLError): GraphQLError {
  const { originalError: cause, message } = error;
  if (cause instanceof GraphQLError && cause.extensions['code'] === ErrorCode.QueryTooComplex) return cause;
  if (isRangeError(cause)) return tooComplex('Expected a document that is nested less deeply');
  const maxTokens = maxTokensIn(message);
  if (maxTokens !== undefined)
    return tooComplex(`Expected a document of at most ${maxTokens} tokens, got more`);
  error.message = rewordApolloMessage(message);
  return error;
}

/** Whether the parser failed with an error of the JavaScript engine; a limit on tokens that is raised very far allows it. */
function isRangeError(cause: Error | undefined): boolean {
  return cause instanceof GraphQLError ? isRangeError(cause.originalError) : cause instanceof RangeError;
}
