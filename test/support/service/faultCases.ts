/** Faults of single calls, each with the error that `notification` or `createNotification` reports. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Failure } from '../graphql/faultOperations.js';
import type { FaultPlan } from './faults.js';

export interface FaultCase {
  fault: FaultPlan;
  /** Undefined if the call succeeds nonetheless. */
  failure?: Failure;
  /** Of a write, if it differs: what is not the expected JSON may still say whether the write was applied. */
  failureOfWrite?: Failure;
  /** Whether a read is retried. */
  isRetried?: boolean;
}

/** The response size limit that the cases assume. */
export const MAX_RESPONSE_BYTES = 65_536;

export const connectionLost: Failure = {
  message: 'The connection to the service was lost',
  code: 'SERVICE_ERROR',
  outcome: 'UNKNOWN',
  retryable: true,
};

export const timedOut: Failure = {
  message: 'The service did not respond in time',
  code: 'SERVICE_TIMEOUT',
  outcome: 'UNKNOWN',
  retryable: true,
};

export const unreachable: Failure = {
  message: 'Could not connect to the service',
  code: 'SERVICE_UNAVAILABLE',
  outcome: 'NOT_APPLIED',
  retryable: true,
};

/** Also the failure of a call whose connection a busy machine opens too late. */
export const unconnectedInTime: Failure = {
  message: 'Could not connect to the service in time',
  code: 'SERVICE_UNAVAILABLE',
  outcome: 'NOT_APPLIED',
  retryable: true,
};

/** That of a call which a busy machine does not write in time. */
export const unsentInTime: Failure = {
  message: 'The deadline passed before the request was sent',
  code: 'SERVICE_UNAVAILABLE',
  outcome: 'NOT_APPLIED',
  retryable: true,
  retryAfterSeconds: 1,
};

export function invalid(message: string, status = 200): Failure {
  return { message, code: 'SERVICE_RESPONSE_INVALID', outcome: 'UNKNOWN', retryable: false, status };
}

/** Only 307 and 308 say that the service has not acted. */
export function redirected(status: number): Failure {
  const failure = invalid('The service responded with a redirect', status);
  return status === 307 || status === 308 ? { ...failure, outcome: 'NOT_APPLIED' } : failure;
}

const messages = [{ message: 'The service says no.' }];

/** A response with an error status and messages. */
export function statusFault(status: number, headers?: Record<string, string>): FaultPlan {
  return { kind: 'respond', status, body: JSON.stringify({ messages }), ...(headers && { headers }) };
}

/** The error for a response with status 400 or above. */
export function statusFailure(status: number, retryAfterSeconds?: number): Failure {
  const isFailure = status === 408 || status >= 500;
  const clientError = clientErrors[status] ?? ['SERVICE_REJECTED', 'The service rejected the request'];
  const [code, message] = isFailure
    ? ['SERVICE_ERROR', 'The service failed to process the request']
    : clientError;
  return {
    message,
    code,
    outcome: isFailure ? 'UNKNOWN' : 'NOT_APPLIED',
    retryable: isFailure || status === 425 || status === 429,
    status,
    serviceMessages: messages,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

const clientErrors: Readonly<Record<number, readonly [code: string, message: string]>> = {
  401: ['UNAUTHENTICATED', 'The service requires a valid bearer token'],
  403: ['FORBIDDEN', 'The service does not permit this operation'],
  404: ['NOT_FOUND', 'No resource matches these identifiers'],
  409: ['CONFLICT', 'The change conflicts with the current state in the service'],
  425: ['SERVICE_UNAVAILABLE', 'The service is not ready to process the request yet'],
  429: ['RATE_LIMITED', 'Too many requests to the service; try again later'],
};

const notList = invalid('The response does not match the contract: /data: expected a list of notifications');
const notJson = invalid('The response is not JSON');
const unproven = invalid('The response does not prove that the write was applied');
const html = invalid('The response is HTML');
const undecodable = invalid('The response cannot be decompressed or is too large');
const bomb = Buffer.alloc(MAX_RESPONSE_BYTES + 1);

/** Faults that fail a call at once. */
export const promptCases = {
  'reset before execution': {
    fault: { kind: 'reset', isExecuted: false },
    failure: connectionLost,
    isRetried: true,
  },
  'reset after execution': { fault: { kind: 'reset' }, failure: connectionLost, isRetried: true },
  'closed before execution': {
    fault: { kind: 'close', isExecuted: false },
    failure: connectionLost,
    isRetried: true,
  },
  'closed after execution': { fault: { kind: 'close' }, failure: connectionLost, isRetried: true },
  'truncated 500': {
    fault: {
      kind: 'respond',
      status: 500,
      headers: { 'content-length': '1000', connection: 'close' },
      body: '{"messages":[',
    },
    failure: connectionLost,
    isRetried: true,
  },
  'reset mid-body': { fault: { kind: 'resetMidBody' }, failure: connectionLost, isRetried: true },
  'truncated before the content-length': {
    fault: { kind: 'cut', framing: 'length' },
    failure: connectionLost,
    isRetried: true,
  },
  'truncated within a chunked body': {
    fault: { kind: 'cut', framing: 'chunked' },
    failure: connectionLost,
    isRetried: true,
  },
  'garbage instead of HTTP': {
    fault: { kind: 'garbage', bytes: Buffer.from('\u0000\u0016\u0003\u0001 not HTTP\r\n\r\n') },
    failure: { ...connectionLost, message: 'The response of the service is not valid HTTP' },
    isRetried: true,
  },
  '502, not executed': {
    fault: { ...statusFault(502), isExecuted: false },
    failure: statusFailure(502),
    isRetried: true,
  },
  '503, executed': {
    fault: { ...statusFault(503), isExecuted: true },
    failure: statusFailure(503),
    isRetried: true,
  },
  '503 with Retry-After': {
    fault: statusFault(503, { 'retry-after': '0' }),
    failure: statusFailure(503, 0),
    isRetried: true,
  },
  '504, executed': {
    fault: { ...statusFault(504), isExecuted: true },
    failure: statusFailure(504),
    isRetried: true,
  },
  '408': { fault: { ...statusFault(408), isExecuted: true }, failure: statusFailure(408), isRetried: true },
  '425': { fault: statusFault(425), failure: statusFailure(425), isRetried: true },
  '429': { fault: statusFault(429), failure: statusFailure(429), isRetried: true },
  '500, not executed': { fault: statusFault(500), failure: statusFailure(500) },
  '500, executed': { fault: { ...statusFault(500), isExecuted: true }, failure: statusFailure(500) },
  '501': { fault: statusFault(501), failure: statusFailure(501) },
  '400': { fault: statusFault(400), failure: statusFailure(400) },
  '401': { fault: statusFault(401), failure: statusFailure(401) },
  '403': { fault: statusFault(403), failure: statusFailure(403) },
  '409': { fault: statusFault(409), failure: statusFailure(409) },
  '418': { fault: statusFault(418), failure: statusFailure(418) },
  '422': { fault: statusFault(422), failure: statusFailure(422) },
  '302, executed': {
    fault: { kind: 'respond', status: 302, headers: { location: '/sign-in' }, isExecuted: true },
    failure: redirected(302),
  },
  '307': {
    fault: {
      kind: 'respond',
      status: 307,
      headers: { location: '/v1/customnotifications' },
      isExecuted: false,
    },
    failure: redirected(307),
  },
  'HTML with status 200': {
    fault: { kind: 'respond', headers: { 'content-type': 'text/html' }, body: '<p>Sign in</p>' },
    failure: html,
  },
  'JSON as HTML': { fault: { kind: 'respond', headers: { 'content-type': 'text/html' } } },
  'invalid JSON': {
    fault: { kind: 'respond', body: '{"data":' },
    failure: notJson,
    failureOfWrite: unproven,
  },
  'binary data': { fault: { kind: 'respond', body: gzipSync('{}') }, failure: notJson },
  'wrong shape': {
    fault: { kind: 'respond', body: '{"data":7}' },
    failure: notList,
    failureOfWrite: unproven,
  },
  'too large, with its length declared': {
    fault: { kind: 'stream', bytes: MAX_RESPONSE_BYTES * 4, isDeclared: true },
    failure: invalid('The response is too large'),
  },
  'too large, with its length unknown': {
    fault: { kind: 'stream', bytes: MAX_RESPONSE_BYTES * 4, isDeclared: false },
    failure: invalid('The response is too large'),
  },
  'gzip bomb': {
    fault: { kind: 'respond', headers: { 'content-encoding': 'gzip' }, body: gzipSync(bomb) },
    failure: undecodable,
  },
  'brotli bomb': {
    fault: { kind: 'respond', headers: { 'content-encoding': 'br' }, body: brotliCompressSync(bomb) },
    failure: undecodable,
  },
  'broken gzip': {
    fault: { kind: 'respond', headers: { 'content-encoding': 'gzip' }, body: gzipSync('{}').subarray(0, -5) },
    failure: undecodable,
  },
  'unknown content coding': {
    fault: { kind: 'respond', headers: { 'content-encoding': 'compress' }, body: gzipSync('{}') },
    failure: invalid('The response has an unsupported content encoding'),
  },
  'text with a content coding': { fault: { kind: 'respond', headers: { 'content-encoding': 'gzip' } } },
} satisfies Readonly<Record<string, FaultCase>>;

/** A read alone fails: an empty body proves that a write was applied. */
export const emptyBody = {
  fault: { kind: 'respond', body: '' },
  failure: notList,
} satisfies FaultCase;

/** A truncated body that ends with the connection: only invalid JSON reveals the truncation. */
export const cutAtEnd = {
  fault: { kind: 'cut', framing: 'connection' },
  failure: { ...connectionLost, message: 'The connection to the service was lost during the response' },
  isRetried: true,
} satisfies FaultCase;

/** Faults that keep a call waiting until its deadline. */
export const slowCases = {
  'no response, not executed': { fault: { kind: 'hang', isExecuted: false }, failure: timedOut },
  'no response, executed': { fault: { kind: 'hang' }, failure: timedOut },
  'headers one byte at a time': { fault: { kind: 'slowHeaders' }, failure: timedOut },
  'a body one byte at a time': { fault: { kind: 'drip' }, failure: timedOut },
  'a response after the deadline': {
    fault: { kind: 'delay', until: () => new Promise((resolve) => setTimeout(resolve, 5000).unref()) },
    failure: timedOut,
  },
} satisfies Readonly<Record<string, FaultCase>>;
