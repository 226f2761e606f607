/** The closed list of values of `extensions.code`, including the codes that Apollo Server gives. */
export const ErrorCode = {
  /** The input is invalid; `inputPath` locates the error, and `rule` says what is wrong. */
  BadUserInput: 'BAD_USER_INPUT',
  /** No well-formed bearer token, or a service to which the gateway forwards tokens responded with 401. */
  Unauthenticated: 'UNAUTHENTICATED',
  /** The service responded with 403. */
  Forbidden: 'FORBIDDEN',
  /** The service responded with 404, or the read before an update or a deletion found nothing. */
  NotFound: 'NOT_FOUND',
  /** The service responded with 409, or `ifLastUpdateDate` is not the date of the last update. */
  Conflict: 'CONFLICT',
  /** The service responded with 429, or the client exceeded the gateway's rate limit. */
  RateLimited: 'RATE_LIMITED',
  /** The service responded with any other 4xx. */
  ServiceRejected: 'SERVICE_REJECTED',
  /** Nothing was sent (no connection, circuit open, queue full, overload), or the response was discarded for lack of memory. */
  ServiceUnavailable: 'SERVICE_UNAVAILABLE',
  /** No complete response before the deadline. */
  ServiceTimeout: 'SERVICE_TIMEOUT',
  /** The service responded with 5xx, or the connection was lost after the call was sent. */
  ServiceError: 'SERVICE_ERROR',
  /** The response is a redirect, of the wrong type, too large, not JSON, or violates the contract. */
  ServiceResponseInvalid: 'SERVICE_RESPONSE_INVALID',
  /** The operation exceeds a limit. */
  QueryTooComplex: 'QUERY_TOO_COMPLEX',
  /** The operation is not in the manifest. */
  QueryNotInSafelist: 'QUERY_NOT_IN_SAFELIST',
  /** Dry run: the mutation is valid and was not sent. */
  DryRun: 'DRY_RUN',
  /** The idempotency key was used with other arguments. */
  IdempotencyKeyReused: 'IDEMPOTENCY_KEY_REUSED',
  /** The mutation with this idempotency key is being executed; it may be repeated with the same key. */
  IdempotencyInProgress: 'IDEMPOTENCY_IN_PROGRESS',
  /** An earlier attempt with this key may have been applied, and could be applied twice if it were sent again. */
  IdempotencyOutcomeUnknown: 'IDEMPOTENCY_OUTCOME_UNKNOWN',
  /** The idempotency key is older than the time for which keys are kept. */
  IdempotencyKeyExpired: 'IDEMPOTENCY_KEY_EXPIRED',
  /** The idempotency key cannot be recorded: keys are not enabled, or their store fails. */
  IdempotencyUnavailable: 'IDEMPOTENCY_UNAVAILABLE',
  /** The request is not well-formed HTTP or GraphQL over HTTP, or may be forged by another site (CSRF). */
  BadRequest: 'BAD_REQUEST',
  /** The document is not GraphQL. */
  GraphqlParseFailed: 'GRAPHQL_PARSE_FAILED',
  /** The document does not fit the schema. */
  GraphqlValidationFailed: 'GRAPHQL_VALIDATION_FAILED',
  /** The document has no such operation. */
  OperationResolutionFailure: 'OPERATION_RESOLUTION_FAILURE',
  /** No operation with this ID is known; a client of APQ sends its text next. */
  PersistedQueryNotFound: 'PERSISTED_QUERY_NOT_FOUND',
  /** Operations cannot be sent by ID. */
  PersistedQueryNotSupported: 'PERSISTED_QUERY_NOT_SUPPORTED',
  /** A bug in the gateway. */
  InternalServerError: 'INTERNAL_SERVER_ERROR',
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** The message that clients get for a bug in the gateway. */
export const INTERNAL_ERROR_MESSAGE = 'Internal server error';
