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

const lost = (fault: FaultPlan, message = connectionLost.message) => ({
  fault,
  failure: { ...connectionLost, message },
  isRetried: true,
});
const permanent = (status: number, isExecuted = false) => ({
  fault: { ...statusFault(status), isExecuted } as const,
  failure: statusFailure(status),
});
const transient = (status: number, isExecuted?: boolean) => ({
  ...permanent(status, isExecuted),
  isRetried: true,
});
const gzipped = (body: Buffer | string) =>
  ({ kind: 'respond', headers: { 'content-encoding': 'gzip' }, body }) as const;
const tooLarge = (isDeclared: boolean): FaultCase => ({
  fault: { kind: 'stream', bytes: MAX_RESPONSE_BYTES * 4, isDeclared },
  failure: invalid('The response is too large'),
});

/** Faults that fail a call at once. */
export const promptCases = {
  'reset before execution': lost({ kind: 'reset', isExecuted: false }),
  'reset after execution': lost({ kind: 'reset' }),
  'closed before execution': lost({ kind: 'close', isExecuted: false }),
  'closed after execution': lost({ kind: 'close' }),
  'truncated 500': lost({
    kind: 'respond',
    status: 500,
    headers: { 'content-length': '1000', connection: 'close' },
    body: '{"messages":[',
  }),
  'reset mid-body': lost({ kind: 'resetMidBody' }),
  'truncated before the content-length': lost({ kind: 'cut', framing: 'length' }),
  'truncated within a chunked body': lost({ kind: 'cut', framing: 'chunked' }),
  'garbage instead of HTTP': lost(
    { kind: 'garbage', bytes: Buffer.from('\u0000\u0016\u0003\u0001 not HTTP\r\n\r\n') },
    'The response of the service is not valid HTTP',
  ),
  '502, not executed': transient(502),
  '503, executed': transient(503, true),
  '503 with Retry-After': {
    fault: statusFault(503, { 'retry-after': '0' }),
    failure: statusFailure(503, 0),
    isRetried: true,
  },
  '504, executed': transient(504, true),
  '408': transient(408, true),
  '425': transient(425),
  '429': transient(429),
  '500, not executed': permanent(500),
  '500, executed': permanent(500, true),
  '501': permanent(501),
  '400': permanent(400),
  '401': permanent(401),
  '403': permanent(403),
  '409': permanent(409),
  '418': permanent(418),
  '422': permanent(422),
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
  'too large, with its length declared': tooLarge(true),
  'too large, with its length unknown': tooLarge(false),
  'gzip bomb': { fault: gzipped(gzipSync(bomb)), failure: undecodable },
  'brotli bomb': {
    fault: { kind: 'respond', headers: { 'content-encoding': 'br' }, body: brotliCompressSync(bomb) },
    failure: undecodable,
  },
  'broken gzip': { fault: gzipped(gzipSync('{}').subarray(0, -5)), failure: undecodable },
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
export const cutAtEnd = lost({ kind: 'cut', framing: 'connection' });

/** The same framing with a whole text, which begins with a letter that `null` begins with. */
export const textToEnd = {
  fault: {
    kind: 'garbage',
    bytes: Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\nnot read'),
  },
  failure: { ...notJson, serviceMessages: ['not read'] },
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
