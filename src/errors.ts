/** The errors that callers see: one closed list of codes, and how each failure becomes one of them. */
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { InvalidInputError, type InputProblem } from './arguments/argumentReader.js';
import { MOST_PROBLEMS } from './arguments/rules.js';
import {
  CallerLeftError,
  DryRunError,
  FailedError,
  InvalidAnswerError,
  NotAdmittedError,
  RefusedError,
  ServiceError,
  TimeoutError,
  TokenMissingError,
  UnreachableError,
} from './service/errors.js';

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
export const DEFECT_MESSAGE = 'Internal server error';

/** What an error is presented for. */
export interface ErrorSituation {
  isMutation: boolean;
  requestId: string;
  /** Told of every defect of the gateway. */
  report: (error: unknown, requestId: string) => void;
}

/** The errors that a caller sees for one error: several where several rules of the input are broken. */
export function presentError(error: GraphQLError, situation: ErrorSituation): GraphQLFormattedError[] {
  const cause = error.originalError;
  if (cause instanceof InvalidInputError) {
    return presentProblems(cause.problems, situation, error);
  }
  if (cause instanceof ServiceError) return [presentServiceError(error, cause, situation)];
  const { code, inputPath } = error.extensions;
  if (code !== undefined && code !== ErrorCode.InternalServerError) {
    // An error of Apollo Server, or of a plugin, before anything was executed.
    const about = inputPath === undefined ? {} : { inputPath };
    return [
      present(error, error.message, { code, ...about, ...verdict('none', false, situation) }, situation),
    ];
  }
  situation.report(cause ?? error, situation.requestId);
  const defect = { code: ErrorCode.InternalServerError, ...verdict('unknown', false, situation) };
  return [present(error, DEFECT_MESSAGE, defect, situation)];
}

/** An error for each broken rule, of very many the first; `at` is the error of the field, if it was executed. */
export function presentProblems(
  problems: readonly InputProblem[],
  situation: ErrorSituation,
  at?: GraphQLError,
): GraphQLFormattedError[] {
  return problems.slice(0, MOST_PROBLEMS).map((problem) => presentProblem(problem, situation, at));
}

function presentProblem(
  { path, message }: InputProblem,
  situation: ErrorSituation,
  at?: GraphQLError,
): GraphQLFormattedError {
  const inputPath = path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${String(part)}`),
    '',
  );
  const extensions = { code: ErrorCode.BadUserInput, inputPath, ...verdict('none', false, situation) };
  return present(at, `${inputPath}: ${message}`, extensions, situation);
}

/** What an answer with one of these statuses means (RFC 9110 section 15.5, RFC 6585 section 4). */
const refusals: Readonly<Record<number, { code: ErrorCode; message: string }>> = {
  401: { code: ErrorCode.Unauthenticated, message: 'The service does not accept the bearer token' },
  403: { code: ErrorCode.Forbidden, message: 'The service does not allow the caller to do this' },
  404: { code: ErrorCode.NotFound, message: 'The service has nothing with these identifiers' },
  409: { code: ErrorCode.Conflict, message: 'The call conflicts with what the service has' },
  429: { code: ErrorCode.RateLimited, message: 'The service accepts no more calls for now' },
};

function codeOf(error: ServiceError): ErrorCode {
  if (error instanceof TokenMissingError) return ErrorCode.Unauthenticated;
  if (error instanceof DryRunError) return ErrorCode.DryRun;
  if (error instanceof RefusedError) return refusals[error.status]?.code ?? ErrorCode.ServiceRejected;
  if (error instanceof UnreachableError || error instanceof NotAdmittedError)
    return ErrorCode.ServiceUnavailable;
  if (error instanceof TimeoutError) return ErrorCode.ServiceTimeout;
  if (error instanceof InvalidAnswerError) return ErrorCode.ServiceResponseInvalid;
  if (error instanceof FailedError || error instanceof CallerLeftError) return ErrorCode.ServiceError;
  return ErrorCode.InternalServerError;
}

function presentServiceError(error: GraphQLError, cause: ServiceError, situation: ErrorSituation) {
  const { effect, transient, retryAfterSeconds, status, serviceMessages } = cause;
  const message =
    (cause instanceof RefusedError ? refusals[cause.status]?.message : undefined) ?? cause.message;
  const details = { retryAfterSeconds, status, serviceMessages };
  const known = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
  const extensions = { code: codeOf(cause), ...verdict(effect, transient, situation), ...known };
  return present(error, message, extensions, situation);
}

/** Whether a mutation took effect, and whether the same operation may be sent again without harm. */
function verdict(effect: ServiceError['effect'], transient: boolean, { isMutation }: ErrorSituation) {
  if (!isMutation) return { retryable: transient };
  return {
    outcome: effect === 'none' ? 'NOT_APPLIED' : 'UNKNOWN',
    retryable: transient && effect === 'none',
  };
}

/** An error of GraphQL about the arguments of a field, which it finds while it executes, and gives no code. */
export function isArgumentError({ extensions, originalError }: GraphQLError): boolean {
  return (
    extensions['code'] === undefined &&
    originalError instanceof GraphQLError &&
    originalError.nodes !== undefined
  );
}

function present(
  at: GraphQLError | undefined,
  message: string,
  extensions: Record<string, unknown>,
  { requestId }: ErrorSituation,
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
export function presentOutside(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { code } = formatted.extensions ?? {};
  return code === ErrorCode.InternalServerError
    ? { message: DEFECT_MESSAGE, extensions: { code, retryable: false } }
    : { ...formatted, extensions: { ...formatted.extensions, retryable: false } };
}
