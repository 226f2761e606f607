/**
 * Every failure there is, and what each one means: its error code, the status of a response that has nothing else, the outcome of a
 * mutation, whether a REST call is retried, what the circuit breaker counts, and its name in metrics all follow from one entry. No message
 * contains a URL, a header, a token or a body, so clients may see it.
 */
import { ErrorCode, type WriteOutcome } from './errors.js';

export interface Failure {
  /** Message for clients, unless the error was created with a more specific one. */
  message: string;
  code: ErrorCode;
  /** APPLIED if a part of the result cannot be read. */
  outcome: WriteOutcome;
  /** Whether the same call may succeed a little later. @default false */
  isTransient?: true;
  /** Status of the response to a request that fails as a whole (GraphQL over HTTP, section 6.4; RFC 9110 §15). */
  httpStatus?: number;
  /** Whether that response includes `outcome`, although the gateway does not know whether the request is a mutation. @default false */
  tellsOutcome?: boolean;
  /** Which protection of the gateway rejected the request, as a label of its metric. */
  rejectedBy?: 'event_loop_delay' | 'in_flight_requests' | 'rate_limit';
  /** Statuses of responses of the service that mean this failure. */
  statuses?: readonly number[];
  /** Seconds to wait before another try, unless the response says how many. */
  retryAfterSeconds?: number;
  /** Which calls are retried: all, because no byte was sent, or only reads. @default none */
  retriedCalls?: 'all' | 'reads';
  /** Whether the call earns retries as one that succeeds does. @default false */
  earnsRetries?: boolean;
  /** How the circuit breaker counts the call: not at all, if it says nothing about the service (`none`). @default a success */
  circuit?: 'failure' | 'none';
  /** Name in metrics, logs and traces of attempts. A failure without one never ends an attempt. */
  errorType?: string;
  /** Whether the gateway did not send the call in order to protect itself or the service. @default false */
  isShed?: boolean;
  /** Whether the service or the store of keys is at fault, or the gateway is overloaded or stopping: not the client. @default false */
  isServerFault?: boolean;
  /** Whether a write may be sent again even if it may have been applied. @default false */
  isSafeToRepeat?: boolean;
  /**
   * Whether the write was not sent because of an earlier request with its idempotency key. The outcome belongs to that request, which has
   * been counted and logged. @default false
   */
  isOfEarlierAttempt?: boolean;
  /** Label in the metric of idempotency keys: why no write was sent. */
  keyResult?: string;
}

/** The client's request cannot be executed, whatever it is. */
const badRequest = { code: ErrorCode.BadRequest, outcome: 'NOT_APPLIED' } as const;

/** The operation is rejected before it is executed. */
const rejectedOperation = { outcome: 'NOT_APPLIED', httpStatus: 422 } as const;

const overloaded = {
  message: 'The gateway is overloaded',
  code: ErrorCode.ServiceUnavailable,
  outcome: 'NOT_APPLIED',
  isTransient: true,
  httpStatus: 503,
  tellsOutcome: true,
  isServerFault: true,
  retryAfterSeconds: 1,
} as const;

/** The service responded with a 4xx: it is up. */
const rejection = {
  outcome: 'NOT_APPLIED',
  earnsRetries: true,
  errorType: 'RejectedError',
} as const;

/** The gateway did not send the call. */
const unsent = { outcome: 'NOT_APPLIED' } as const;

/** Not sent, and likely to succeed later. */
const notStarted = {
  ...unsent,
  code: ErrorCode.ServiceUnavailable,
  isTransient: true,
  isServerFault: true,
} as const;

const shed = { ...notStarted, circuit: 'none', isShed: true } as const;

/** The call was sent. */
const serviceFailure = {
  code: ErrorCode.ServiceError,
  outcome: 'UNKNOWN',
  isTransient: true,
  circuit: 'failure',
  errorType: 'ServiceFailureError',
  isServerFault: true,
} as const;

/** The response proves nothing. */
const invalidResponse = {
  code: ErrorCode.ServiceResponseInvalid,
  errorType: 'InvalidResponseError',
  isServerFault: true,
} as const;

export const failures = {
  // The request was rejected before there was an operation.
  requestInvalid: { ...badRequest, message: 'Expected a valid HTTP request', httpStatus: 400 },
  /** Another site may have sent it (CSRF). */
  requestForged: {
    ...badRequest,
    message:
      'Expected the content type application/json, or a non-empty header apollo-require-preflight: another site may have sent this request',
    httpStatus: 403,
  },
  pathUnknown: { ...badRequest, message: 'Expected the path of the GraphQL endpoint', httpStatus: 404 },
  methodNotAllowed: { ...badRequest, message: 'Expected the method GET or POST', httpStatus: 405 },
  notAcceptable: {
    ...badRequest,
    message: 'Expected an Accept header that allows application/json or application/graphql-response+json',
    httpStatus: 406,
    tellsOutcome: true,
  },
  requestTimedOut: { ...badRequest, message: 'The request did not arrive in time', httpStatus: 408 },
  bodyTooLarge: { ...badRequest, message: 'Expected a smaller request body', httpStatus: 413 },
  urlTooLong: { ...badRequest, message: 'Expected a shorter URL', httpStatus: 414 },
  mediaTypeUnsupported: {
    ...badRequest,
    message: 'Expected the content type application/json',
    httpStatus: 415,
  },
  contentTypeMissing: {
    ...badRequest,
    message: 'Expected the content type application/json, got none',
    httpStatus: 415,
    tellsOutcome: true,
  },
  /** The parameters are not a GraphQL request. */
  parametersInvalid: { ...badRequest, message: 'Expected a GraphQL request', httpStatus: 422 },
  headersTooLarge: { ...badRequest, message: 'Expected smaller request headers', httpStatus: 431 },
  tooManyRequests: {
    ...unsent,
    message: 'Too many requests',
    code: ErrorCode.RateLimited,
    isTransient: true,
    httpStatus: 429,
    tellsOutcome: true,
    rejectedBy: 'rate_limit',
  },
  tooManyInFlight: { ...overloaded, rejectedBy: 'in_flight_requests' },
  eventLoopDelayed: { ...overloaded, rejectedBy: 'event_loop_delay' },

  // The operation was rejected before it was executed.
  operationUnlisted: {
    ...rejectedOperation,
    message: 'Operation is not on the safelist',
    code: ErrorCode.QueryNotInSafelist,
    httpStatus: 403,
    tellsOutcome: true,
  },
  persistedQueryNotFound: {
    ...rejectedOperation,
    message: 'PersistedQueryNotFound', // by which Apollo Client, too, recognizes it
    code: ErrorCode.PersistedQueryNotFound,
    tellsOutcome: true,
  },
  persistedQueryNotSupported: {
    ...rejectedOperation,
    message: 'PersistedQueryNotSupported',
    code: ErrorCode.PersistedQueryNotSupported,
  },
  /** Checked before the document is parsed. */
  documentTooLong: {
    ...rejectedOperation,
    message: 'Expected a document with fewer lines',
    code: ErrorCode.QueryTooComplex,
    tellsOutcome: true,
  },
  syntaxInvalid: {
    ...rejectedOperation,
    message: 'Expected a GraphQL document',
    code: ErrorCode.GraphqlParseFailed,
    httpStatus: 400,
  },
  documentInvalid: {
    ...rejectedOperation,
    message: 'Expected a document that fits the schema',
    code: ErrorCode.GraphqlValidationFailed,
  },
  operationUnresolved: {
    ...rejectedOperation,
    message: 'Expected an operation of the document',
    code: ErrorCode.OperationResolutionFailure,
  },
  operationTooComplex: {
    ...rejectedOperation,
    message: 'The operation exceeds a limit',
    code: ErrorCode.QueryTooComplex,
  },
  /** Fields report it during their execution, too. */
  inputInvalid: { ...rejectedOperation, message: 'The input is invalid', code: ErrorCode.BadUserInput },

  /** More errors than a response lists. Its outcome is theirs. */
  errorsOmitted: {
    message: 'The response has more errors than it lists',
    code: ErrorCode.QueryTooComplex,
    outcome: 'UNKNOWN',
  },
  /** A bug in the gateway. */
  internalError: {
    message: 'Internal server error',
    code: ErrorCode.InternalServerError,
    outcome: 'UNKNOWN',
    httpStatus: 500,
  },

  // The request does not allow the call.
  tokenMissing: {
    ...unsent,
    message: 'Expected the header "Authorization: Bearer <token>"',
    code: ErrorCode.Unauthenticated,
  },
  /** No token is required, but a call without the one that the client meant to send could have another effect. */
  tokenMalformed: {
    ...unsent,
    message: 'Expected the header "Authorization: Bearer <token>", or none, got another value',
    code: ErrorCode.Unauthenticated,
  },
  /** The call would use secrets of the operator, which are for clients that the gateway knows. */
  clientUnknown: {
    ...unsent,
    message: 'Expected a client that the gateway knows',
    code: ErrorCode.Unauthenticated,
  },
  /** The key set of the issuer cannot be fetched, for which the client is not to blame. */
  clientUnverified: {
    ...notStarted,
    message: 'The client cannot be verified at the moment: nothing was sent',
    retryAfterSeconds: 5,
  },
  dryRun: { ...unsent, message: 'Dry run: the REST call was not sent', code: ErrorCode.DryRun },
  tooManyReads: {
    ...unsent,
    message: 'The operation reads more notifications than the limit allows',
    code: ErrorCode.QueryTooComplex,
  },
  otherItemInvalid: {
    ...unsent,
    message: 'Another item of the list is invalid, so none was sent',
    code: ErrorCode.OtherItemInvalid,
  },
  itemUnchecked: {
    ...unsent,
    message: 'Earlier items have so many errors that this one was neither checked nor sent',
    code: ErrorCode.QueryTooComplex,
  },
  /** If the field is a mutation, the service has executed it. */
  resultTooLarge: {
    message: 'The result exceeds the size limit',
    code: ErrorCode.QueryTooComplex,
    outcome: 'UNKNOWN',
  },

  // The service rejected the call (RFC 9110 §15.5, RFC 6585 §4).
  unauthenticated: {
    ...rejection,
    message: 'The service requires a valid bearer token',
    code: ErrorCode.Unauthenticated,
    statuses: [401],
  },
  forbidden: {
    ...rejection,
    message: 'The service does not permit this operation',
    code: ErrorCode.Forbidden,
    statuses: [403],
  },
  /**
   * A complete 404 with a JSON body or none, a 410 with any body, or a 2xx to a read that finds nothing. A write that depends on that read
   * is not sent.
   */
  notFound: {
    ...rejection,
    message: 'No resource matches these identifiers',
    code: ErrorCode.NotFound,
    statuses: [404, 410],
  },
  /** An incomplete 404, or the page of a proxy: no proof that the resource is missing, but a write was rejected. */
  foreignNotFound: {
    ...invalidResponse,
    message: 'The 404 response is neither empty nor JSON',
    outcome: 'NOT_APPLIED',
  },
  /** Also if a read shows another state than the client expects; then the write is not sent. */
  conflict: {
    ...rejection,
    message: 'The change conflicts with the current state in the service',
    code: ErrorCode.Conflict,
    statuses: [409],
  },
  rateLimited: {
    ...rejection,
    message: 'Too many requests to the service; try again later',
    code: ErrorCode.RateLimited,
    statuses: [429],
    isTransient: true,
    retriedCalls: 'reads',
    earnsRetries: false,
  },
  /** The service has not processed the call, because it could be a replay (RFC 8470 §5.2). */
  tooEarly: {
    ...rejection,
    message: 'The service is not ready to process the request yet',
    code: ErrorCode.ServiceUnavailable,
    statuses: [425],
    isTransient: true,
    retriedCalls: 'reads',
    earnsRetries: false,
    isServerFault: true,
  },
  /** Any other 4xx, and 401 if the service did not get the client's token. */
  rejected: { ...rejection, message: 'The service rejected the request', code: ErrorCode.ServiceRejected },

  // No byte of the call was sent.
  bulkTimedOut: { ...notStarted, message: 'The time for starting items ended before this one was sent' },
  shuttingDown: { ...notStarted, message: 'The gateway shut down before this item was sent' },
  circuitOpen: { ...shed, message: 'Circuit breaker is open' },
  queueFull: { ...shed, message: 'The queue of REST calls is full', retryAfterSeconds: 1 },
  /** The call was waiting for a connection, or for its connection to open. */
  deadlinePassed: {
    ...shed,
    message: 'The deadline passed before the request was sent',
    retryAfterSeconds: 1,
    errorType: 'DeadlinePassedError',
  },
  unreachable: {
    ...unsent,
    message: 'Could not connect to the service',
    code: ErrorCode.ServiceUnavailable,
    isTransient: true,
    retriedCalls: 'all',
    circuit: 'failure',
    errorType: 'UnreachableError',
    isServerFault: true,
  },

  // The call was sent, or may have been.
  timedOut: {
    ...serviceFailure,
    message: 'The service did not respond in time',
    code: ErrorCode.ServiceTimeout,
    errorType: 'TimeoutError',
  },
  connectionLost: {
    ...serviceFailure,
    message: 'The connection to the service was lost',
    retriedCalls: 'reads',
  },
  /**
   * Bytes that are not HTTP (RFC 9112 §2.2, §5.1), or too many of them. On a connection that was used before, they may be the rest of
   * another response.
   */
  invalidHttp: {
    ...serviceFailure,
    message: 'The response of the service is not valid HTTP',
    retriedCalls: 'reads',
  },
  /**
   * RFC 9110 §15.6.3 to §15.6.5: another attempt may reach a service that is up. 408 says that the request did not arrive in full
   * (§15.5.9), but proxies also send it while the service processes one.
   */
  serviceUnavailable: {
    ...serviceFailure,
    message: 'The service failed to process the request',
    statuses: [408, 502, 503, 504],
    retriedCalls: 'reads',
  },
  /** Any other 5xx. */
  serviceFailed: { ...serviceFailure, message: 'The service failed to process the request' },
  /** 307 or 308: the service has not acted, and asks to send the same request elsewhere (RFC 9110 §15.4.8, §15.4.9). */
  requestRedirected: {
    ...invalidResponse,
    message: 'The service responded with a redirect',
    outcome: 'NOT_APPLIED',
    statuses: [307, 308],
  },
  /** Any other 3xx. A service may have acted before it redirects to the result or to a page (RFC 9110 §15.4.4). */
  redirected: {
    ...invalidResponse,
    message: 'The service responded with a redirect',
    outcome: 'UNKNOWN',
  },
  /** The response is HTML, too large, or not JSON, violates the contract, or proves nothing (`inspect` of the call). */
  responseInvalid: {
    ...invalidResponse,
    message: 'The response of the service is invalid',
    outcome: 'UNKNOWN',
  },
  /** A single value is invalid; the rest of the response is used. */
  valueUnreadable: {
    message: 'A value of the response does not match the contract',
    code: ErrorCode.ServiceResponseInvalid,
    outcome: 'APPLIED',
    isServerFault: true,
  },
  /** Too many other requests had large responses at the time. */
  responseDiscarded: {
    message: 'The large response of the service waited too long to be read',
    code: ErrorCode.ServiceUnavailable,
    outcome: 'UNKNOWN',
    isTransient: true,
    retryAfterSeconds: 1,
    circuit: 'none',
    errorType: 'ResponseDiscardedError',
    isServerFault: true,
  },
  /** The client disconnected: a read is aborted at any point, a write only if no byte of it was sent. */
  cancelled: {
    message: 'Cancelled',
    code: ErrorCode.ServiceError,
    outcome: 'NOT_APPLIED',
    circuit: 'none',
    errorType: 'CancelledError',
  },

  // A mutation with an idempotency key was not sent, or not sent again.
  keyReused: {
    ...unsent,
    message: 'Expected a new idempotency key: this one was used with another field or other arguments',
    code: ErrorCode.IdempotencyKeyReused,
    keyResult: 'key_reused',
  },
  /** Nothing was sent now, but an earlier request with the key may have been applied. */
  keyExpired: {
    message: 'This idempotency key has expired',
    code: ErrorCode.IdempotencyKeyExpired,
    outcome: 'UNKNOWN',
    isOfEarlierAttempt: true,
    keyResult: 'key_expired',
  },
  tooManyKeys: {
    ...unsent,
    message: 'Too many new idempotency keys',
    code: ErrorCode.RateLimited,
    isTransient: true,
    keyResult: 'rate_limited',
  },
  keyInProgress: {
    message: 'The mutation with this idempotency key is in progress',
    code: ErrorCode.IdempotencyInProgress,
    outcome: 'UNKNOWN',
    isTransient: true,
    retryAfterSeconds: 1,
    isSafeToRepeat: true,
    isOfEarlierAttempt: true,
    keyResult: 'in_progress',
  },
  /** An earlier request may have been applied, and sending it again could apply it twice. */
  keyOutcomeUnknown: {
    message: 'An earlier attempt with this idempotency key may have been applied; it was not sent again',
    code: ErrorCode.IdempotencyOutcomeUnknown,
    outcome: 'UNKNOWN',
    isOfEarlierAttempt: true,
    keyResult: 'outcome_unknown',
  },
  /** The client sends a key to a gateway that accepts none: nothing is broken. */
  keysNotEnabled: {
    ...unsent,
    message: 'Idempotency keys are not enabled on this gateway',
    code: ErrorCode.IdempotencyUnavailable,
    keyResult: 'not_enabled',
  },
  keyNotRecorded: {
    ...unsent,
    message: 'The idempotency key cannot be recorded at the moment',
    code: ErrorCode.IdempotencyUnavailable,
    isTransient: true,
    retryAfterSeconds: 1,
    isServerFault: true,
    keyResult: 'unavailable',
  },
} as const satisfies Record<string, Failure>;

export type FailureName = keyof typeof failures;

export type AttemptFailureName = {
  [Name in FailureName]: (typeof failures)[Name] extends { errorType: string } ? Name : never;
}[FailureName];

/** How an attempt failed; `Error` is a bug in the gateway. */
export type AttemptErrorType = 'Error' | (typeof failures)[AttemptFailureName]['errorType'];

type KeyResult = Extract<(typeof failures)[FailureName], { keyResult: string }>['keyResult'];

export const keyResults: readonly KeyResult[] = Object.values(failures).flatMap((each) =>
  'keyResult' in each ? each.keyResult : [],
);

export const protections = Object.values(failures).flatMap((each) =>
  'rejectedBy' in each ? each.rejectedBy : [],
);

const errorTypes = Object.values(failures).flatMap((each) => ('errorType' in each ? each.errorType : []));
export const attemptErrorTypes: readonly AttemptErrorType[] = ['Error', ...new Set(errorTypes)];
