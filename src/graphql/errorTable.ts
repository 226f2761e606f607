/** Maps every failure of a REST call to an error code. */
import { ErrorCode } from '../errors.js';
import {
  IdempotencyUnavailableError,
  InProgressError,
  KeyExpiredError,
  KeyReusedError,
  OutcomeUnknownError,
  RepeatFailedError,
} from '../freight/idempotency/errors.js';
import {
  BulkheadFullError,
  CancelledError,
  CircuitOpenError,
  ConflictError,
  DryRunError,
  InvalidResponseError,
  MemoryBudgetError,
  NotFoundError,
  PrecedingReadError,
  RejectedError,
  ServiceFailureError,
  TimeoutError,
  TokenMissingError,
  TooManyReadsError,
  ServiceError,
  UnreachableError,
} from '../transport/errors.js';

/**
 * The result is larger than one response may be. If the field is a mutation, the service has executed it: the effect is that
 * of a write whose response was lost.
 */
export class ResultTooLargeError extends ServiceError {
  readonly name = 'ResultTooLargeError';
  readonly effect = 'unknown';
  readonly isTransient = false;
}

/** Statuses with a specific code (RFC 9110 section 15.5, RFC 6585 section 4); any other 4xx is SERVICE_REJECTED. */
const clientErrorCodes: Readonly<Record<number, { code: ErrorCode; message: string }>> = {
  401: { code: ErrorCode.Unauthenticated, message: 'The service requires a valid bearer token' },
  403: { code: ErrorCode.Forbidden, message: 'The service does not permit this operation' },
  404: { code: ErrorCode.NotFound, message: 'No resource matches these identifiers' },
  409: { code: ErrorCode.Conflict, message: 'The change conflicts with the current state in the service' },
  429: { code: ErrorCode.RateLimited, message: 'Too many requests to the service; try again later' },
};

/** The code and message that a client gets for a failed REST call. */
export function describeServiceError(error: ServiceError): { code: ErrorCode; message: string } {
  if (error instanceof PrecedingReadError || error instanceof RepeatFailedError)
    return describeServiceError(error.cause);
  return clientErrorOf(error) ?? { code: codeOf(error), message: error.message };
}

function clientErrorOf(error: ServiceError): { code: ErrorCode; message: string } | undefined {
  if (!(error instanceof RejectedError)) return undefined;
  return error.status === 401 && error.isTokenWithheld ? undefined : clientErrorCodes[error.status];
}

function codeOf(error: ServiceError): ErrorCode {
  if (error instanceof TokenMissingError) return ErrorCode.Unauthenticated;
  if (error instanceof DryRunError) return ErrorCode.DryRun;
  if (error instanceof NotFoundError) return ErrorCode.NotFound;
  if (error instanceof ConflictError) return ErrorCode.Conflict;
  if (error instanceof RejectedError) return ErrorCode.ServiceRejected;
  if (error instanceof UnreachableError) return ErrorCode.ServiceUnavailable;
  if (error instanceof CircuitOpenError || error instanceof BulkheadFullError)
    return ErrorCode.ServiceUnavailable;
  if (error instanceof MemoryBudgetError) return ErrorCode.ServiceUnavailable;
  if (error instanceof ResultTooLargeError || error instanceof TooManyReadsError)
    return ErrorCode.QueryTooComplex;
  if (error instanceof TimeoutError) return ErrorCode.ServiceTimeout;
  if (error instanceof InvalidResponseError) return ErrorCode.ServiceResponseInvalid;
  if (error instanceof ServiceFailureError || error instanceof CancelledError) return ErrorCode.ServiceError;
  if (error instanceof KeyReusedError) return ErrorCode.IdempotencyKeyReused;
  if (error instanceof InProgressError) return ErrorCode.IdempotencyInProgress;
  if (error instanceof OutcomeUnknownError) return ErrorCode.IdempotencyOutcomeUnknown;
  if (error instanceof KeyExpiredError) return ErrorCode.IdempotencyKeyExpired;
  if (error instanceof IdempotencyUnavailableError) return ErrorCode.IdempotencyUnavailable;
  return ErrorCode.InternalServerError;
}
