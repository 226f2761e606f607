/** The errors of requests that Apollo Server rejects, in their public form. */
import { ApolloServerErrorCode } from '@apollo/server/errors';
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  type DocumentNode,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
  type OperationDefinitionNode,
} from 'graphql';
import { ErrorCode } from '../errors.js';
import type { GatewayContext } from '../fields/context.js';
import { asTokenLimitError, tooComplex } from './documentSize.js';
import { limitErrors } from './errorLimit.js';
import { formatError, type FormatErrorsOptions } from './formatErrors.js';
import { placeFinder } from './inputErrors.js';
import { shortenMessage } from './publicError.js';
import { INTERNAL_ERROR_MESSAGE } from './publicError.js';
import { extensionsOf, recordOperation } from './responses.js';

/** What is known of a request when Apollo Server rejects it. */
export interface RejectedRequest {
  source: string | undefined;
  /** Undefined if the source could not be parsed. */
  document: DocumentNode | undefined;
  operationName: string | undefined;
  definition: OperationDefinitionNode | undefined;
  context: GatewayContext;
}

/** The body of a response with which Apollo Server rejects a request before there is an operation to run. */
export function formatRejection(
  errors: readonly GraphQLError[],
  { source, document, operationName, definition, context }: RejectedRequest,
  { reportInternalError }: FormatErrorsOptions,
): FormattedExecutionResult {
  const named = document && getOperationAST(document, operationName);
  const isMutation = named ? named.operation === OperationTypeNode.MUTATION : looksLikeMutation(source);
  const placeOf = placeFinder(document, named);
  const formatContext = { isMutation, ids: context.client.ids, placeOf, reportInternalError };
  const limited = limitErrors(
    errors.map((error) => ({
      rootKey: undefined,
      errors: formatError(normalizeCode(error), formatContext),
    })),
  );
  recordOperation(context.telemetry.operation, definition, limited.errors);
  return { errors: limited.errors, ...extensionsOf(context, limited) };
}

/** The form of errors outside of a GraphQL request, for instance while Apollo Server reads the HTTP request. */
export function formatNonOperationError(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { code } = formatted.extensions ?? {};
  return code === ErrorCode.InternalServerError
    ? { message: INTERNAL_ERROR_MESSAGE, extensions: { code, retryable: false } }
    : {
        ...formatted,
        message: shortenMessage(formatted.message),
        extensions: { ...formatted.extensions, retryable: false },
      };
}

/** Adds the request's ID to a response of errors outside of an operation, which Apollo Server formats without the request. */
export function addRequestId(text: string, requestId: string): string {
  const { errors = [], ...rest } = JSON.parse(text) as FormattedExecutionResult;
  if (errors.every(({ extensions }) => extensions?.['requestId'] !== undefined)) return text;
  const identified = errors.map((error) => ({ ...error, extensions: { ...error.extensions, requestId } }));
  return `${JSON.stringify({ errors: identified, ...rest })}\n`;
}

/**
 * Apollo Server gives every parse and validation error its own code, limits included, and some errors about persisted
 * queries an HTTP status but no code.
 */
function normalizeCode(error: GraphQLError): GraphQLError {
  const { originalError: cause, extensions, message } = error;
  if (cause instanceof GraphQLError && cause.extensions['code'] === ErrorCode.QueryTooComplex) return cause;
  if (
    extensions['code'] === undefined &&
    (extensions['http'] as { status?: number } | undefined)?.status === 400
  )
    return new GraphQLError(message, { extensions: { code: ApolloServerErrorCode.BAD_REQUEST } });
  if (isRootCause(cause, RangeError)) return tooComplex('Expected a document that is nested less deeply');
  return asTokenLimitError(error) ?? error;
}

/** Whether the parser failed with an error of the JavaScript engine; a limit on tokens that is raised very far allows it. */
function isRootCause(cause: Error | undefined, type: typeof RangeError): boolean {
  return cause instanceof GraphQLError ? isRootCause(cause.originalError, type) : cause instanceof type;
}

/** Any part of a document that could not be parsed, or has no such operation, may be the intended mutation. */
function looksLikeMutation(source: string | undefined): boolean {
  return source !== undefined && /\bmutation\b/.test(source);
}
