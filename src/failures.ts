/**
 * Every failure, and all that follows from it, from error code to circuit breaker: one entry each. No message contains a URL, a header, a
 * token or a body, so clients may see it.
 */
import type { ErrorCode, WriteOutcome } from './errors.js';

export interface Failure {
  code: ErrorCode;
  /** Message for clients, unless the error was created with a more specific one. */
  message: string;
  /** APPLIED if a part of the result cannot be read. */
  outcome: WriteOutcome;
  /** Whether the same call may succeed a little later. @default follows from the code */
  isTransient: boolean;
  /** Status of the response to a request that fails as a whole (GraphQL over HTTP, section 6.4; RFC 9110 §15). */
  httpStatus?: number;
  /** Statuses of responses of the service that mean this failure. */
  statuses?: readonly number[];
  /** Seconds to wait before another try, unless the response says how many. */
  retryAfterSeconds?: number;
  /** Which calls are retried: all, because no byte was sent, or only reads. @default none */
  retriedCalls?: 'all' | 'reads';
  /** How the circuit breaker counts it: not at all if `none` (says nothing about the service) or `shed` (not sent). @default a success */
  circuit?: 'failure' | 'none' | 'shed';
  /** Name in metrics, logs and traces of attempts. A failure without one never ends an attempt. */
  errorType?: string;
  /** Whether a write may be sent again even if it may have been applied. @default false */
  isSafeToRepeat?: boolean;
}

/** Codes of failures after which the same call may succeed a little later. */
const TRANSIENT =
  /^(?:RATE_LIMITED|SERVICE_(?:ERROR|TIMEOUT|UNAVAILABLE)|IDEMPOTENCY_(?:IN_PROGRESS|UNAVAILABLE))$/;

/** Creates the failures of a kind: each has a code, a message, and what it has in addition to its kind, or instead. */
function kind(common: Pick<Failure, 'outcome'> & Partial<Failure>) {
  return (code: ErrorCode, message: string, own?: Partial<Failure>): Failure => ({
    isTransient: TRANSIENT.test(code),
    ...common,
    code,
    message,
    ...own,
  });
}

const unsent = kind({ outcome: 'NOT_APPLIED' });

/** The whole request fails, whatever it is. */
const invalidRequest = (httpStatus: number, message: string) =>
  unsent('BAD_REQUEST', message, { httpStatus });

/** The operation is rejected before it is executed. */
const rejectedOperation = (code: ErrorCode, message: string, httpStatus = 422) =>
  unsent(code, message, { httpStatus });

/** The gateway protects itself. */
const shedRequest = kind({ outcome: 'NOT_APPLIED', httpStatus: 503, retryAfterSeconds: 1 });

/** The service responded with a 4xx: it is up (RFC 9110 §15.5, RFC 6585 §4). */
const rejection = (statuses: number[], code: ErrorCode, message: string, own?: Partial<Failure>) =>
  unsent(code, message, { statuses, errorType: 'RejectedError', ...own });

/** Not sent in order to protect the service. */
const shedCall = kind({ outcome: 'NOT_APPLIED', circuit: 'shed' });

/** The call was sent, or may have been. */
const serviceFailure = kind({ outcome: 'UNKNOWN', circuit: 'failure', errorType: 'ServiceFailureError' });

/** The same, and a read may be sent again. */
const retriedFailure = (message: string, own?: Partial<Failure>) =>
  serviceFailure('SERVICE_ERROR', message, { retriedCalls: 'reads', ...own });

/** Any other failure, after which a write may have been applied, if only by an earlier request with its idempotency key. */
const otherFailure = kind({ outcome: 'UNKNOWN' });

/** The response proves nothing. */
const invalidResponse = (message: string, own?: Partial<Failure>) =>
  otherFailure('SERVICE_RESPONSE_INVALID', message, { errorType: 'InvalidResponseError', ...own });

export const failures = {
  // The request was rejected before there was an operation.
  requestInvalid: invalidRequest(400, 'Expected a valid HTTP request'),
  /** Another site may have sent it (CSRF). */
  requestForged: invalidRequest(
    403,
    'Expected the content type application/json, or a non-empty header apollo-require-preflight: another site may have sent this request',
  ),
  pathUnknown: invalidRequest(404, 'Expected the path of the GraphQL endpoint'),
  methodNotAllowed: invalidRequest(405, 'Expected the method GET or POST'),
  notAcceptable: invalidRequest(
    406,
    'Expected an Accept header that allows application/json or application/graphql-response+json',
  ),
  requestTimedOut: invalidRequest(408, 'The request did not arrive in time'),
  bodyTooLarge: invalidRequest(413, 'Expected a smaller request body'),
  urlTooLong: invalidRequest(414, 'Expected a shorter URL'),
  mediaTypeUnsupported: invalidRequest(415, 'Expected the content type application/json'),
  /** The parameters are not a GraphQL request. */
  parametersInvalid: invalidRequest(422, 'Expected a GraphQL request'),
  headersTooLarge: invalidRequest(431, 'Expected smaller request headers'),
  tooManyRequests: unsent('RATE_LIMITED', 'Too many requests', { httpStatus: 429 }),
  tooManyInFlight: shedRequest('SERVICE_UNAVAILABLE', 'The gateway is overloaded'),
  eventLoopDelayed: shedRequest('SERVICE_UNAVAILABLE', 'The gateway is overloaded'),

  // The operation was rejected before it was executed.
  operationUnlisted: rejectedOperation('QUERY_NOT_IN_SAFELIST', 'Operation is not on the safelist', 403),
  /** By this message Apollo Client, too, recognizes it. */
  persistedQueryNotFound: rejectedOperation('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'),
  persistedQueryNotSupported: rejectedOperation(
    'PERSISTED_QUERY_NOT_SUPPORTED',
    'PersistedQueryNotSupported',
  ),
  syntaxInvalid: rejectedOperation('GRAPHQL_PARSE_FAILED', 'Expected a GraphQL document', 400),
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
  clientUnverified: unsent(
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
  unauthenticated: rejection([401], 'UNAUTHENTICATED', 'The service requires a valid bearer token'),
  forbidden: rejection([403], 'FORBIDDEN', 'The service does not permit this operation'),
  /** A complete 404 with JSON or no body, a 410, or a 2xx to a read that finds nothing; a write that depends on that read is not sent. */
  notFound: rejection([404, 410], 'NOT_FOUND', 'No resource matches these identifiers'),
  /** An incomplete 404, or the page of a proxy: no proof that the resource is missing, but a write was rejected. */
  foreignNotFound: invalidResponse('The 404 response is neither empty nor JSON', { outcome: 'NOT_APPLIED' }),
  /** Also if a read shows another state than the client expects; then the write is not sent. */
  conflict: rejection([409], 'CONFLICT', 'The change conflicts with the current state in the service'),
  rateLimited: rejection([429], 'RATE_LIMITED', 'Too many requests to the service; try again later', {
    retriedCalls: 'reads',
  }),
  /** The service has not processed the call, because it could be a replay (RFC 8470 §5.2). */
  tooEarly: rejection([425], 'SERVICE_UNAVAILABLE', 'The service is not ready to process the request yet', {
    retriedCalls: 'reads',
  }),
  /** Any other 4xx, and 401 if the service did not get the client's token. */
  rejected: rejection([], 'SERVICE_REJECTED', 'The service rejected the request'),

  // No byte of the call was sent.
  bulkTimedOut: unsent(
    'SERVICE_UNAVAILABLE',
    'The time limit for starting items passed before this one was sent',
  ),
  shuttingDown: unsent('SERVICE_UNAVAILABLE', 'The gateway shut down before this item was sent'),
  circuitOpen: shedCall('SERVICE_UNAVAILABLE', 'Circuit breaker is open'),
  queueFull: shedCall('SERVICE_UNAVAILABLE', 'The queue of REST calls is full', { retryAfterSeconds: 1 }),
  /** The call was waiting for a connection, or for its connection to open. */
  deadlinePassed: shedCall('SERVICE_UNAVAILABLE', 'The deadline passed before the request was sent', {
    retryAfterSeconds: 1,
    errorType: 'DeadlinePassedError',
  }),
  unreachable: unsent('SERVICE_UNAVAILABLE', 'Could not connect to the service', {
    retriedCalls: 'all',
    circuit: 'failure',
    errorType: 'UnreachableError',
  }),

  // The call was sent, or may have been.
  timedOut: serviceFailure('SERVICE_TIMEOUT', 'The service did not respond in time', {
    errorType: 'TimeoutError',
  }),
  connectionLost: retriedFailure('The connection to the service was lost'),
  /** Not HTTP (RFC 9112 §2.2, §5.1), or headers too large. On a reused connection, it may be the rest of another response. */
  invalidHttp: retriedFailure('The response of the service is not valid HTTP'),
  /** Another attempt may reach a service that is up (RFC 9110 §15.6.3-5). Proxies also send 408 (§15.5.9) for a request being processed. */
  serviceUnavailable: retriedFailure('The service failed to process the request', {
    statuses: [408, 502, 503, 504],
  }),
  /** Any other 5xx. */
  serviceFailed: serviceFailure('SERVICE_ERROR', 'The service failed to process the request'),
  /** The service has not acted, and asks to send the request elsewhere: 307, 308 (RFC 9110 §15.4.8, §15.4.9), or a 301 (`isMoved`). */
  requestRedirected: invalidResponse('The service responded with a redirect', {
    outcome: 'NOT_APPLIED',
    statuses: [307, 308],
  }),
  /** Any other 3xx. A service may have acted before it redirects to the result or to a page (RFC 9110 §15.4.4). */
  redirected: invalidResponse('The service responded with a redirect'),
  /** The response is HTML, too large, or not JSON, violates the contract, or proves nothing (`inspect` of the call). */
  responseInvalid: invalidResponse('The response of the service is invalid'),
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
    { retryAfterSeconds: 1, circuit: 'none', errorType: 'ResponseDiscardedError' },
  ),
  /** The client disconnected: a read is aborted at any point, a write only if no byte of it was sent. */
  cancelled: unsent('SERVICE_ERROR', 'Cancelled', {
    isTransient: false,
    circuit: 'none',
    errorType: 'CancelledError',
  }),

  // A mutation with an idempotency key was not sent, or not sent again.
  keyReused: unsent(
    'IDEMPOTENCY_KEY_REUSED',
    'Expected a new idempotency key: this one was used with another field or other arguments',
  ),
  keyExpired: otherFailure('IDEMPOTENCY_KEY_EXPIRED', 'This idempotency key has expired'),
  tooManyKeys: unsent('RATE_LIMITED', 'Too many new idempotency keys'),
  keyInProgress: otherFailure(
    'IDEMPOTENCY_IN_PROGRESS',
    'The mutation with this idempotency key is in progress',
    { retryAfterSeconds: 1, isSafeToRepeat: true },
  ),
  /** Sending it again could apply it twice. */
  keyOutcomeUnknown: otherFailure(
    'IDEMPOTENCY_OUTCOME_UNKNOWN',
    'An earlier attempt with this idempotency key may have been applied; it was not sent again',
  ),
  /** The client sends a key to a gateway that accepts none: nothing is broken. */
  keysNotEnabled: unsent('IDEMPOTENCY_UNAVAILABLE', 'Idempotency keys are not enabled on this gateway', {
    isTransient: false,
  }),
  keyNotRecorded: unsent('IDEMPOTENCY_UNAVAILABLE', 'The idempotency key cannot be recorded at the moment', {
    retryAfterSeconds: 1,
  }),
};

/** Whether the service, the store of keys or the gateway is at fault, and not the client, as with SERVICE_REJECTED. */
export function isServerFault(code: string): boolean {
  return /^(?:SERVICE_(?!REJECTED$)|IDEMPOTENCY_UNAVAILABLE$)/.test(code);
}

/** Whether a write was not sent because of an earlier request with its idempotency key, whose outcome it has, and which was counted. */
export function isOfEarlierAttempt(code: string): boolean {
  return /^IDEMPOTENCY_(?:IN_PROGRESS|KEY_EXPIRED|OUTCOME_UNKNOWN)$/.test(code);
}

export type FailureName = keyof typeof failures;
