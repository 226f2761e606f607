/** Every fault of an answer, with the error that a caller of createNotification or notification gets for it. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Failure } from '../graphql/faultOperations.js';
import type { Fault } from './faults.js';

export interface FaultCase {
  fault: Fault;
  /** Undefined when the call succeeds all the same. */
  failure?: Failure;
  /** Whether a read is tried again. */
  isRetried?: boolean;
}

/** Bound on an answer that the cases are made for. */
export const MAX_RESPONSE_BYTES = 65_536;

export const lost: Failure = {
  message: 'The connection to the service was lost',
  code: 'SERVICE_ERROR',
  outcome: 'UNKNOWN',
  retryable: true,
};

export const late: Failure = {
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

export function invalid(message: string, status = 200): Failure {
  return { message, code: 'SERVICE_RESPONSE_INVALID', outcome: 'UNKNOWN', retryable: false, status };
}

const messages = [{ message: 'The service says no.' }];

/** An answer with an error status, and with messages. */
export function statusFault(status: number, headers?: Record<string, string>): Fault {
  return { kind: 'answer', status, body: JSON.stringify({ messages }), ...(headers && { headers }) };
}

/** The error for an answer with a status from 400 on. */
export function statusFailure(status: number, retryAfterSeconds?: number): Failure {
  const known = knownRefusals[status];
  const refusal = known ?? ['SERVICE_REJECTED', 'The service rejected the request'];
  const [code, message] =
    status < 500 ? refusal : ['SERVICE_ERROR', 'The service failed to process the request'];
  return {
    message,
    code,
    outcome: status < 500 ? 'NOT_APPLIED' : 'UNKNOWN',
    retryable: status === 429 || status >= 500,
    status,
    serviceMessages: messages,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  };
}

const knownRefusals: Readonly<Record<number, readonly [code: string, message: string]>> = {
  401: ['UNAUTHENTICATED', 'The service rejected the bearer token'],
  403: ['FORBIDDEN', 'The service does not permit this operation'],
  404: ['NOT_FOUND', 'No resource matches these identifiers'],
  409: ['CONFLICT', 'The change conflicts with the current state in the service'],
  429: ['RATE_LIMITED', 'Too many requests to the service; try again later'],
};

const shapeOf = (problem: string) => invalid(`The response does not match the contract: ${problem}`);
const notJson = invalid('The response is not JSON');
const wrongType = invalid('The response is not of type application/json');
const undecodable = invalid('The response cannot be decompressed or is too large');
const bomb = Buffer.alloc(MAX_RESPONSE_BYTES + 1);

/** Faults that end a call at once. */
export const promptCases = {
  'reset before the call is carried out': {
    fault: { kind: 'reset', isExecuted: false },
    failure: lost,
    isRetried: true,
  },
  'reset after the call was carried out': { fault: { kind: 'reset' }, failure: lost, isRetried: true },
  'closed before the call is carried out': {
    fault: { kind: 'hangUp', isExecuted: false },
    failure: lost,
    isRetried: true,
  },
  'closed after the call was carried out': { fault: { kind: 'hangUp' }, failure: lost, isRetried: true },
  'reset within the body': { fault: { kind: 'resetMidBody' }, failure: lost, isRetried: true },
  'cut short of the content-length': {
    fault: { kind: 'cut', framing: 'length' },
    failure: lost,
    isRetried: true,
  },
  'cut short within a chunked body': {
    fault: { kind: 'cut', framing: 'chunked' },
    failure: lost,
    isRetried: true,
  },
  'garbage in place of HTTP': {
    fault: { kind: 'garbage', bytes: Buffer.from('\u0000\u0016\u0003\u0001 this is no HTTP\r\n\r\n') },
    failure: lost,
    isRetried: true,
  },
  '502, not carried out': {
    fault: { ...statusFault(502), isExecuted: false },
    failure: statusFailure(502),
    isRetried: true,
  },
  '503, carried out': {
    fault: { ...statusFault(503), isExecuted: true },
    failure: statusFailure(503),
    isRetried: true,
  },
  '503 with Retry-After': {
    fault: statusFault(503, { 'retry-after': '0' }),
    failure: statusFailure(503, 0),
    isRetried: true,
  },
  '504, carried out': {
    fault: { ...statusFault(504), isExecuted: true },
    failure: statusFailure(504),
    isRetried: true,
  },
  '429': { fault: statusFault(429), failure: statusFailure(429), isRetried: true },
  '500, not carried out': { fault: statusFault(500), failure: statusFailure(500) },
  '500, carried out': { fault: { ...statusFault(500), isExecuted: true }, failure: statusFailure(500) },
  '501': { fault: statusFault(501), failure: statusFailure(501) },
  '400': { fault: statusFault(400), failure: statusFailure(400) },
  '401': { fault: statusFault(401), failure: statusFailure(401) },
  '403': { fault: statusFault(403), failure: statusFailure(403) },
  '409': { fault: statusFault(409), failure: statusFailure(409) },
  '418': { fault: statusFault(418), failure: statusFailure(418) },
  '422': { fault: statusFault(422), failure: statusFailure(422) },
  redirect: {
    fault: { kind: 'answer', status: 307, headers: { location: '/v1/customnotifications' }, body: '' },
    failure: invalid('The service responded with a redirect', 307),
  },
  'HTML with status 200': {
    fault: { kind: 'answer', headers: { 'content-type': 'text/html' }, body: '<p>Sign in</p>' },
    failure: wrongType,
  },
  'JSON of another type': {
    fault: { kind: 'answer', headers: { 'content-type': 'text/plain' } },
    failure: wrongType,
  },
  'no JSON': { fault: { kind: 'answer', body: '{"data":' }, failure: notJson },
  'no UTF-8': { fault: { kind: 'answer', body: Buffer.from('"\xff"', 'latin1') }, failure: notJson },
  'empty body': {
    fault: { kind: 'answer', body: '' },
    failure: shapeOf('the whole body: Invalid input: expected object, received undefined'),
  },
  'wrong shape': {
    fault: { kind: 'answer', body: '{"data":7}' },
    failure: shapeOf('/data: Invalid input: expected array, received number'),
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
    fault: { kind: 'answer', headers: { 'content-encoding': 'gzip' }, body: gzipSync(bomb) },
    failure: undecodable,
  },
  'brotli bomb': {
    fault: { kind: 'answer', headers: { 'content-encoding': 'br' }, body: brotliCompressSync(bomb) },
    failure: undecodable,
  },
  'broken gzip': {
    fault: { kind: 'answer', headers: { 'content-encoding': 'gzip' }, body: 'no gzip' },
    failure: undecodable,
  },
  'unknown content coding': {
    fault: { kind: 'answer', headers: { 'content-encoding': 'compress' } },
    failure: invalid('The response has an unsupported content encoding'),
  },
} satisfies Readonly<Record<string, FaultCase>>;

/** A body that ends with the connection: what tells that it was cut is that it is no JSON. */
export const cutAtEnd = {
  fault: { kind: 'cut', framing: 'connection' },
  failure: { ...lost, message: 'The connection to the service was lost during the response' },
  isRetried: true,
} satisfies FaultCase;

/** Faults that keep a call waiting until its deadline. */
export const slowCases = {
  'no answer, not carried out': { fault: { kind: 'hang', isExecuted: false }, failure: late },
  'no answer, carried out': { fault: { kind: 'hang' }, failure: late },
  'headers one byte at a time': { fault: { kind: 'slowHeaders' }, failure: late },
  'a body one byte at a time': { fault: { kind: 'drip' }, failure: late },
  'an answer after the deadline': {
    fault: { kind: 'late', until: () => new Promise((resolve) => setTimeout(resolve, 5000).unref()) },
    failure: late,
  },
} satisfies Readonly<Record<string, FaultCase>>;
