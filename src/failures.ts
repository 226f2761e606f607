/**
 * Every failure there is, and what each one means: its error code, the status of a response that has nothing else, the outcome of a
 * mutation, whether a REST call is retried, what the circuit breaker counts, and its name in metrics all follow from one entry. No message
 * contains a URL, a header, a token or a body, so clients may see it.
 */
import type { ErrorCode, WriteOutcome } from './errors.js';

export interface Failure {
  code: ErrorCode;
  /** Message for clients, unless the error was created with a more specific one. */
  message: string;
  /** APPLIED if a part of the result cannot be read. */
  outcome: WriteOutcome;
  /** Whether the same call may succeed a little later. @default false */
  isTransient?: true;
  /** Status of the response to a request that fails as a whole (GraphQL over HTTP, section 6.4; RFC 9110 §15). */
  httpStatus?: number;
  /** Which protection of the gateway rejected the request, as a label of its metric. */
  rejectedBy?: 'event_loop_delay' | 'in_flight_requests' | 'rate_limit';
  /** Statuses of responses of the service that mean this failure. */
  statuses?: readonly number[];
  /** Seconds to wait before another try, unless the response says how many. */
  retryAfterSeconds?: number;
  /** Which calls are retried: all, because no byte was sent, or only reads. @default none */
  retriedCalls?: 'all' | 'reads';
  /**
   * How the circuit breaker counts the call: not at all, if it says nothing about the service (`none`), or was not sent in order to protect
   * the service or the gateway (`shed`). @default a success
   */
  circuit?: 'failure' | 'none' | 'shed';
  /** Name in metrics, logs and traces of attempts. A failure without one never ends an attempt. */
  errorType?: string;
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

/** Creates the failures of a kind: each has a code, a message, and what it has in addition to its kind, or instead. */
function kind<const Common extends Partial<Failure>>(common: Common) {
  return <const Own extends Partial<Failure> = object>(
    code: ErrorCode,
    message: string,
    own?: Own & Record<Exclude<keyof Own, keyof Failure>, never>,
  ) => ({ ...common, code, message, ...own }) as Base & Omit<Common, keyof Own> & Own;
}
type Base = Pick<Failure, 'code' | 'message'>;

/** The whole request fails, whatever it is. */
const invalidRequest = kind({ outcome: 'NOT_APPLIED', httpStatus: 400 });

/** The operation is rejected before it is executed. */
const rejectedOperation = kind({ outcome: 'NOT_APPLIED', httpStatus: 422 });

/** The gateway protects itself. */
const shedRequest = kind({
  outcome: 'NOT_APPLIED',
  isTransient: true,
  httpStatus: 503,
  retryAfterSeconds: 1,
});

/** The service responded with a 4xx: it is up (RFC 9110 §15.5, RFC 6585 §4). */
const rejection = kind({ outcome: 'NOT_APPLIED', errorType: 'RejectedError' });

/** The gateway did not send the call. */
const unsent = kind({ outcome: 'NOT_APPLIED' });

/** Not sent, and likely to succeed later. */
const notStarted = kind({ outcome: 'NOT_APPLIED', isTransient: true });

/** Not sent in order to protect the service. */
const shedCall = kind({ outcome: 'NOT_APPLIED', isTransient: true, circuit: 'shed' });

/** The call was sent, or may have been. */
const serviceFailure = kind({
  outcome: 'UNKNOWN',
  isTransient: true,
  circuit: 'failure',
  errorType: 'ServiceFailureError',
});

/** The response proves nothing. */
const invalidResponse = kind({ outcome: 'UNKNOWN', errorType: 'InvalidResponseError' });

/** Nothing was sent now, but an earlier request with the key may have been applied. */
const earlierAttempt = kind({ outcome: 'UNKNOWN', isOfEarlierAttempt: true });

/** Any other failure, after which a write may have been applied. */
const otherFailure = kind({ outcome: 'UNKNOWN' });

export const failures = {
  // The request was rejected before there was an operation.
  requestInvalid: invalidRequest('BAD_REQUEST', 'Expected a valid HTTP request'),
  /** Another site may have sent it (CSRF). */
  requestForged: invalidRequest(
    'BAD_REQUEST',
    'Expected the content type application/json, or a non-empty header apollo-require-preflight: another site may have sent this request',
    { httpStatus: 403 },
  ),
  pathUnknown: invalidRequest('BAD_REQUEST', 'Expected the path of the GraphQL endpoint', {
    httpStatus: 404,
  }),
  methodNotAllowed: invalidRequest('BAD_REQUEST', 'Expected the method GET or POST', { httpStatus: 405 }),
  notAcceptable: invalidRequest(
    'BAD_REQUEST',
    'Expected an Accept header that allows application/json or application/graphql-response+json',
    { httpStatus: 406 },
  ),
  requestTimedOut: invalidRequest('BAD_REQUEST', 'The request did not arrive in time', { httpStatus: 408 }),
  bodyTooLarge: invalidRequest('BAD_REQUEST', 'Expected a smaller request body', { httpStatus: 413 }),
  urlTooLong: invalidRequest('BAD_REQUEST', 'Expected a shorter URL', { httpStatus: 414 }),
  mediaTypeUnsupported: invalidRequest('BAD_REQUEST', 'Expected the content type application/json', {
    httpStatus: 415,
  }),
  /** The parameters are not a GraphQL request. */
  parametersInvalid: invalidRequest('BAD_REQUEST', 'Expected a GraphQL request', { httpStatus: 422 }),
  headersTooLarge: invalidRequest('BAD_REQUEST', 'Expected smaller request headers', { httpStatus: 431 }),
  tooManyRequests: invalidRequest('RATE_LIMITED', 'Too many requests', {
    isTransient: true,
    httpStatus: 429,
    rejectedBy: 'rate_limit',
  }),
  tooManyInFlight: shedRequest('SERVICE_UNAVAILABLE', 'The gateway is overloaded', {
    rejectedBy: 'in_flight_requests',
  }),
  eventLoopDelayed: shedRequest('SERVICE_UNAVAILABLE', 'The gateway is overloaded', {
    rejectedBy: 'event_loop_delay',
  }),

  // The operation was rejected before it was executed.
  operationUnlisted: rejectedOperation('QUERY_NOT_IN_SAFELIST', 'Operation is not on the safelist', {
    httpStatus: 403,
  }),
  /** By this message Apollo Client, too, recognizes it. */
  persistedQueryNotFound: rejectedOperation('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'),
  persistedQueryNotSupported: rejectedOperation(
    'PERSISTED_QUERY_NOT_SUPPORTED',
    'PersistedQueryNotSupported',
  ),
  syntaxInvalid: rejectedOperation('GRAPHQL_PARSE_FAILED', 'Expected a GraphQL document', {
    httpStatus: 400,
  }),
  documentInvalid: rejectedOperation('GRAPHQL_VALIDATION_FAILED', 'Expected a document that fits the schema'),
  operationUnresolved: rejectedOperation(
    'OPERATION_RESOLUTION_FAILURE',
    'Expected an operation of the document',
  ),
  operationTooComplex: rejectedOperation('QUERY_TOO_COMPLEX', 'The operation exceeds a limit'),
  /** Fields report it during their execution, too. */
  inputInvalid: rejectedOperation('BAD_USER_INPUT', 'The input is invalid'),

  /** More errors than a response lists. Its outcome is theirs. */
  errorsOmitted: otherFailure('QUERY_TOO_COMPLEX', 'The response has more errors than it lists'),
  /** A bug in the gateway. */
  internalError: otherFailure('INTERNAL_SERVER_ERROR', 'Internal server error', { httpStatus: 500 }),

  // The request does not allow the call.
  tokenMissing: unsent('UNAUTHENTICATED', 'Expected the header "Authorization: Bearer <token>"'),
  /** No token is required, but a call without the one that the client meant to send could have another effect. */
  tokenMalformed: unsent(
    'UNAUTHENTICATED',
    'Expected the header "Authorization: Bearer <token>", or none, got another value',
  ),
  /** The call would use secrets of the operator, which are for clients that the gateway knows. */
  clientUnknown: unsent('UNAUTHENTICATED', 'Expected a client that the gateway knows'),
  /** The key set of the issuer cannot be fetched, for which the client is not to blame. */
  clientUnverified: notStarted(
    'SERVICE_UNAVAILABLE',
    'The client cannot be verified at the moment: nothing was sent',
    { retryAfterSeconds: 5 },
  ),
  dryRun: unsent('DRY_RUN', 'Dry run: the REST call was not sent'),
  tooManyReads: unsent('QUERY_TOO_COMPLEX', 'The operation reads more notifications than the limit allows'),
  otherItemInvalid: unsent('OTHER_ITEM_INVALID', 'Another item of the list is invalid, so none was sent'),
  itemUnchecked: unsent(
    'QUERY_TOO_COMPLEX',
    'Earlier items have so many errors that this one was neither checked nor sent',
  ),
  /** If the field is a mutation, the service has executed it. */
  resultTooLarge: otherFailure('QUERY_TOO_COMPLEX', 'The result exceeds the size limit'),

  // The service rejected the call.
  unauthenticated: rejection('UNAUTHENTICATED', 'The service requires a valid bearer token', {
    statuses: [401],
  }),
  forbidden: rejection('FORBIDDEN', 'The service does not permit this operation', { statuses: [403] }),
  /**
   * A complete 404 with a JSON body or none, a 410 with any body, or a 2xx to a read that finds nothing. A write that depends on that read
   * is not sent.
   */
  notFound: rejection('NOT_FOUND', 'No resource matches these identifiers', { statuses: [404, 410] }),
  /** An incomplete 404, or the page of a proxy: no proof that the resource is missing, but a write was rejected. */
  foreignNotFound: invalidResponse('SERVICE_RESPONSE_INVALID', 'The 404 response is neither empty nor JSON', {
    outcome: 'NOT_APPLIED',
  }),
  /** Also if a read shows another state than the client expects; then the write is not sent. */
  conflict: rejection('CONFLICT', 'The change conflicts with the current state in the service', {
    statuses: [409],
  }),
  rateLimited: rejection('RATE_LIMITED', 'Too many requests to the service; try again later', {
    statuses: [429],
    isTransient: true,
    retriedCalls: 'reads',
  }),
  /** The service has not processed the call, because it could be a replay (RFC 8470 §5.2). */
  tooEarly: rejection('SERVICE_UNAVAILABLE', 'The service is not ready to process the request yet', {
    statuses: [425],
    isTransient: true,
    retriedCalls: 'reads',
  }),
  /** Any other 4xx, and 401 if the service did not get the client's token. */
  rejected: rejection('SERVICE_REJECTED', 'The service rejected the request'),

  // No byte of the call was sent.
  bulkTimedOut: notStarted(
    'SERVICE_UNAVAILABLE',
    'The time limit for starting items passed before this one was sent',
  ),
  shuttingDown: notStarted('SERVICE_UNAVAILABLE', 'The gateway shut down before this item was sent'),
  circuitOpen: shedCall('SERVICE_UNAVAILABLE', 'Circuit breaker is open'),
  queueFull: shedCall('SERVICE_UNAVAILABLE', 'The queue of REST calls is full', { retryAfterSeconds: 1 }),
  /** The call was waiting for a connection, or for its connection to open. */
  deadlinePassed: shedCall('SERVICE_UNAVAILABLE', 'The deadline passed before the request was sent', {
    retryAfterSeconds: 1,
    errorType: 'DeadlinePassedError',
  }),
  unreachable: notStarted('SERVICE_UNAVAILABLE', 'Could not connect to the service', {
    retriedCalls: 'all',
    circuit: 'failure',
    errorType: 'UnreachableError',
  }),

  // The call was sent, or may have been.
  timedOut: serviceFailure('SERVICE_TIMEOUT', 'The service did not respond in time', {
    errorType: 'TimeoutError',
  }),
  connectionLost: serviceFailure('SERVICE_ERROR', 'The connection to the service was lost', {
    retriedCalls: 'reads',
  }),
  /**
   * Bytes that are not HTTP (RFC 9112 §2.2, §5.1), or too many of them. On a connection that was used before, they may be the rest of
   * another response.
   */
  invalidHttp: serviceFailure('SERVICE_ERROR', 'The response of the service is not valid HTTP', {
    retriedCalls: 'reads',
  }),
  /**
   * RFC 9110 §15.6.3 to §15.6.5: another attempt may reach a service that is up. 408 says that the request did not arrive in full
   * (§15.5.9), but proxies also send it while the service processes one.
   */
  serviceUnavailable: serviceFailure('SERVICE_ERROR', 'The service failed to process the request', {
    statuses: [408, 502, 503, 504],
    retriedCalls: 'reads',
  }),
  /** Any other 5xx. */
  serviceFailed: serviceFailure('SERVICE_ERROR', 'The service failed to process the request'),
  /** 307 or 308: the service has not acted, and asks to send the same request elsewhere (RFC 9110 §15.4.8, §15.4.9). */
  requestRedirected: invalidResponse('SERVICE_RESPONSE_INVALID', 'The service responded with a redirect', {
    outcome: 'NOT_APPLIED',
    statuses: [307, 308],
  }),
  /** Any other 3xx. A service may have acted before it redirects to the result or to a page (RFC 9110 §15.4.4). */
  redirected: invalidResponse('SERVICE_RESPONSE_INVALID', 'The service responded with a redirect'),
  /** The response is HTML, too large, or not JSON, violates the contract, or proves nothing (`inspect` of the call). */
  responseInvalid: invalidResponse('SERVICE_RESPONSE_INVALID', 'The response of the service is invalid'),
  /** A single value is invalid; the rest of the response is used. */
  valueUnreadable: otherFailure(
    'SERVICE_RESPONSE_INVALID',
    'A value of the response does not match the contract',
    { outcome: 'APPLIED' },
  ),
  /** Too many other requests had large responses at the time. */
  responseDiscarded: otherFailure(
    'SERVICE_UNAVAILABLE',
    'The large response of the service waited too long to be read',
    {
      isTransient: true,
      retryAfterSeconds: 1,
      circuit: 'none',
      errorType: 'ResponseDiscardedError',
    },
  ),
  /** The client disconnected: a read is aborted at any point, a write only if no byte of it was sent. */
  cancelled: unsent('SERVICE_ERROR', 'Cancelled', { circuit: 'none', errorType: 'CancelledError' }),

  // A mutation with an idempotency key was not sent, or not sent again.
  keyReused: unsent(
    'IDEMPOTENCY_KEY_REUSED',
    'Expected a new idempotency key: this one was used with another field or other arguments',
    { keyResult: 'key_reused' },
  ),
  keyExpired: earlierAttempt('IDEMPOTENCY_KEY_EXPIRED', 'This idempotency key has expired', {
    keyResult: 'key_expired',
  }),
  tooManyKeys: unsent('RATE_LIMITED', 'Too many new idempotency keys', {
    isTransient: true,
    keyResult: 'rate_limited',
  }),
  keyInProgress: earlierAttempt(
    'IDEMPOTENCY_IN_PROGRESS',
    'The mutation with this idempotency key is in progress',
    { isTransient: true, retryAfterSeconds: 1, isSafeToRepeat: true, keyResult: 'in_progress' },
  ),
  /** Sending it again could apply it twice. */
  keyOutcomeUnknown: earlierAttempt(
    'IDEMPOTENCY_OUTCOME_UNKNOWN',
    'An earlier attempt with this idempotency key may have been applied; it was not sent again',
    { keyResult: 'outcome_unknown' },
  ),
  /** The client sends a key to a gateway that accepts none: nothing is broken. */
  keysNotEnabled: unsent('IDEMPOTENCY_UNAVAILABLE', 'Idempotency keys are not enabled on this gateway', {
    keyResult: 'not_enabled',
  }),
  keyNotRecorded: notStarted(
    'IDEMPOTENCY_UNAVAILABLE',
    'The idempotency key cannot be recorded at the moment',
    { retryAfterSeconds: 1, keyResult: 'unavailable' },
  ),
};

/**
 * Whether the service or the store of keys is at fault, or the gateway is overloaded or stopping: not the client. SERVICE_REJECTED means that
 * the service rejected what the client sent.
 */
export function isServerFault(code: string): boolean {
  return /^(?:SERVICE_(?!REJECTED$)|IDEMPOTENCY_UNAVAILABLE$)/.test(code);
}

export type FailureName = keyof typeof failures;

export type AttemptFailureName = {
  [Name in FailureName]: (typeof failures)[Name] extends { errorType: string } ? Name : never;
}[FailureName];

/** How an attempt failed; `Error` is a bug in the gateway. */
export type AttemptErrorType = 'Error' | (typeof failures)[AttemptFailureName]['errorType'];

export const keyResults = Object.values(failures).flatMap((each) =>
  'keyResult' in each ? each.keyResult : [],
);

const errorTypes = Object.values(failures).flatMap((each) => ('errorType' in each ? each.errorType : []));
export const attemptErrorTypes: readonly AttemptErrorType[] = ['Error', ...new Set(errorTypes)];
