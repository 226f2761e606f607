/** The errors that callers see: one closed list of codes, and how each failure becomes one of them. */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { InvalidInputError, type InputError } from '../../input/argumentParser.js';
import { MAX_INPUT_ERRORS } from '../../input/valueSchemas.js';
import {
  CancelledError,
  DryRunError,
  ServiceFailureError,
  InvalidResponseError,
  CircuitOpenError,
  BulkheadFullError,
  RejectedError,
  ServiceError,
  TimeoutError,
  TokenMissingError,
  UnreachableError,
} from '../../service/transport/errors.js';

/**
 * Values of `extensions.code`. Apollo Server's codes for requests that are no valid GraphQL, such as
 * GRAPHQL_PARSE_FAILED, come besides.
 */
export const ErrorCode = {
  /** The input breaks a rule; `inputPath` says where. */
  BadUserInput: 'BAD_USER_INPUT',
  /** No well-formed bearer token, or the service answered 401. */
  Unauthenticated: 'UNAUTHENTICATED',
  /** The service answered 403. */
  Forbidden: 'FORBIDDEN',
  /** The service answered 404. */
  NotFound: 'NOT_FOUND',
  /** The service answered 409. */
  Conflict: 'CONFLICT',
  /** The service answered 429, or the caller sent more requests than the gateway takes. */
  RateLimited: 'RATE_LIMITED',
  /** The service answered another 4xx. */
  ServiceRejected: 'SERVICE_REJECTED',
  /** No connection to the service, or the gateway did not try, as the service fails or there is too much to do. */
  ServiceUnavailable: 'SERVICE_UNAVAILABLE',
  /** No complete answer within the deadline. */
  ServiceTimeout: 'SERVICE_TIMEOUT',
  /** The service answered 5xx, or the connection was lost after the call was sent. */
  ServiceError: 'SERVICE_ERROR',
  /** The answer is a redirect, of the wrong type, too large, not JSON, or not of the documented shape. */
  ServiceResponseInvalid: 'SERVICE_RESPONSE_INVALID',
  /** The operation is over a limit. */
  QueryTooComplex: 'QUERY_TOO_COMPLEX',
  /** The operation is not in the manifest of those that may run. */
  QueryNotInSafelist: 'QUERY_NOT_IN_SAFELIST',
  /** A dry run: the mutation is sound, and was not carried out. */
  DryRun: 'DRY_RUN',
  /** A defect of the gateway. */
  InternalServerError: 'INTERNAL_SERVER_ERROR',
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** All that a caller learns of a defect. */
export const INTERNAL_ERROR_MESSAGE = 'Internal server error';

/** What an error is presented for. */
export interface ErrorContext {
  isMutation: boolean;
  requestId: string;
  /** Told of every defect of the gateway. */
  report: (error: unknown, requestId: string) => void;
}

/** The errors that a caller sees for one error: several where several rules of the input are broken. */
export function formatError(error: GraphQLError, errorContext: ErrorContext): GraphQLFormattedError[] {
  const cause = error.originalError;
  if (cause instanceof InvalidInputError) {
    return formatInputErrors(cause.errors, errorContext, error);
  }
  if (cause instanceof ServiceError) return [formatServiceError(error, cause, errorContext)];
  const { code, inputPath } = error.extensions;
  if (code !== undefined && code !== ErrorCode.InternalServerError) {
    // An error of Apollo Server, or of a plugin, before anything was executed.
    const about = inputPath === undefined ? {} : { inputPath };
    return [
      toGraphQLError(
        error,
        error.message,
        { code, ...about, ...outcomeOf('none', false, errorContext) },
        errorContext,
      ),
    ];
  }
  errorContext.report(cause ?? error, errorContext.requestId);
  const internalError = { code: ErrorCode.InternalServerError, ...outcomeOf('unknown', false, errorContext) };
  return [toGraphQLError(error, INTERNAL_ERROR_MESSAGE, internalError, errorContext)];
}

/** An error for each broken rule, of very many the first; `at` is the error of the field, if it was executed. */
export function formatInputErrors(
  problems: readonly InputError[],
  errorContext: ErrorContext,
  at?: GraphQLError,
): GraphQLFormattedError[] {
  return problems.slice(0, MAX_INPUT_ERRORS).map((problem) => formatInputError(problem, errorContext, at));
}

function formatInputError(
  { path, message }: InputError,
  errorContext: ErrorContext,
  at?: GraphQLError,
): GraphQLFormattedError {
  const inputPath = path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${String(part)}`),
    '',
  );
  const extensions = { code: ErrorCode.BadUserInput, inputPath, ...outcomeOf('none', false, errorContext) };
  return toGraphQLError(at, `${inputPath}: ${message}`, extensions, errorContext);
}

/** What an answer with one of these statuses means (RFC 9110 section 15.5, RFC 6585 section 4). */
const clientErrorCodes: Readonly<Record<number, { code: ErrorCode; message: string }>> = {
  401: { code: ErrorCode.Unauthenticated, message: 'The service rejected the bearer token' },
  403: { code: ErrorCode.Forbidden, message: 'The service does not permit this operation' },
  404: { code: ErrorCode.NotFound, message: 'No resource matches these identifiers' },
  409: { code: ErrorCode.Conflict, message: 'The change conflicts with the current state in the service' },
  429: { code: ErrorCode.RateLimited, message: 'Too many requests to the service; try again later' },
};

function codeOf(error: ServiceError): ErrorCode {
  if (error instanceof TokenMissingError) return ErrorCode.Unauthenticated;
  if (error instanceof DryRunError) return ErrorCode.DryRun;
  if (error instanceof RejectedError)
    return clientErrorCodes[error.status]?.code ?? ErrorCode.ServiceRejected;
  if (
    error instanceof UnreachableError ||
    error instanceof CircuitOpenError ||
    error instanceof BulkheadFullError
  )
    return ErrorCode.ServiceUnavailable;
  if (error instanceof TimeoutError) return ErrorCode.ServiceTimeout;
  if (error instanceof InvalidResponseError) return ErrorCode.ServiceResponseInvalid;
  if (error instanceof ServiceFailureError || error instanceof CancelledError) return ErrorCode.ServiceError;
  return ErrorCode.InternalServerError;
}

function formatServiceError(error: GraphQLError, cause: ServiceError, errorContext: ErrorContext) {
  const { effect, isTransient, retryAfterSeconds, status, serviceMessages } = cause;
  const message =
    (cause instanceof RejectedError ? clientErrorCodes[cause.status]?.message : undefined) ?? cause.message;
  const details = Object.fromEntries(
    Object.entries({ retryAfterSeconds, status, serviceMessages }).filter(([, value]) => value !== undefined),
  );
  const extensions = { code: codeOf(cause), ...outcomeOf(effect, isTransient, errorContext), ...details };
  return toGraphQLError(error, message, extensions, errorContext);
}

/** Whether a mutation took effect, and whether the same operation may be sent again without harm. */
function outcomeOf(effect: ServiceError['effect'], isTransient: boolean, { isMutation }: ErrorContext) {
  if (!isMutation) return { retryable: isTransient };
  return {
    outcome: effect === 'none' ? 'NOT_APPLIED' : 'UNKNOWN',
    retryable: isTransient && effect === 'none',
  };
}

/** An error of GraphQL about the arguments of a field, which it finds while it executes, and gives no code. */
export function isArgumentCoercionError({ extensions, originalError }: GraphQLError): boolean {
  return (
    extensions['code'] === undefined &&
    originalError instanceof GraphQLError &&
    originalError.nodes !== undefined
  );
}

function toGraphQLError(
  at: GraphQLError | undefined,
  message: string,
  extensions: Record<string, unknown>,
  { requestId }: ErrorContext,
): GraphQLFormattedError {
  const { locations, path } = at?.toJSON() ?? {};
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { ...extensions, requestId },
  };
}

/** The form of what fails outside of an operation, for instance while Apollo Server reads the HTTP request. */
export function formatNonOperationError(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { code } = formatted.extensions ?? {};
  return code === ErrorCode.InternalServerError
    ? { message: INTERNAL_ERROR_MESSAGE, extensions: { code, retryable: false } }
    : { ...formatted, extensions: { ...formatted.extensions, retryable: false } };
}
