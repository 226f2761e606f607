/**
 * The closed list of values of `extensions.code`. Requests that are not valid GraphQL get Apollo Server's own codes,
 * such as GRAPHQL_PARSE_FAILED.
 */
export const ErrorCode = {
  /** The input is invalid; `inputPath` locates the error. */
  BadUserInput: 'BAD_USER_INPUT',
  /** No well-formed bearer token, or the service responded with 401. */
  Unauthenticated: 'UNAUTHENTICATED',
  /** The service responded with 403. */
  Forbidden: 'FORBIDDEN',
  /** The service responded with 404, or its response has no notification for an update. */
  NotFound: 'NOT_FOUND',
  /** The service responded with 409, or `ifLastUpdateDate` is not the date of the last update. */
  Conflict: 'CONFLICT',
  /** The service responded with 429, or the client exceeded the gateway's rate limit. */
  RateLimited: 'RATE_LIMITED',
  /** The service responded with any other 4xx. */
  ServiceRejected: 'SERVICE_REJECTED',
  /** No connection to the service, or the gateway did not try: circuit breaker open, queue full, or overloaded. */
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
  /** A bug in the gateway. */
  InternalServerError: 'INTERNAL_SERVER_ERROR',
} as const;
export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];

/** The message that clients get for a bug in the gateway. */
export const INTERNAL_ERROR_MESSAGE = 'Internal server error';
