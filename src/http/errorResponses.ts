/** Answers to requests that do not get as far as Apollo Server: GraphQL JSON, too (GraphQL over HTTP, section 6.4). */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import type { FastifyError, FastifyReply } from 'fastify';
import { INTERNAL_ERROR_MESSAGE, ErrorCode } from '../graphql/errors/errorTable.js';

export interface ErrorResponse {
  /** HTTP status. */
  status: number;
  code: string;
  message: string;
  /** Said where the request may be a mutation that could run at another time or place. */
  outcome?: 'NOT_APPLIED';
  /** Seconds after which another try makes sense; goes into the header Retry-After as well. */
  retryAfterSeconds?: number;
}

export function sendError(reply: FastifyReply, response: ErrorResponse): void {
  const { status, retryAfterSeconds } = response;
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  void reply.code(status).type('application/json; charset=utf-8').send(bodyOf(response, reply.request.id));
}

/** What is wrong with a request according to an error of Fastify or its plugins; undefined for a defect. */
export function fromFastifyError({
  code,
  statusCode = 500,
  message,
}: FastifyError): ErrorResponse | undefined {
  if (code === 'ERR_INVALID_URL') return badRequest(400, 'Expected a valid URL and Host');
  return statusCode < 500 ? badRequest(statusCode, message) : undefined;
}

/** The gateway takes no request now that it would take at another time. */
export class RequestRejectedError extends Error {
  override readonly name = 'RequestRejectedError';

  constructor(
    readonly reason: 'event_loop_delay' | 'rate_limit' | 'in_flight_requests',
    readonly response: ErrorResponse & { outcome: 'NOT_APPLIED'; retryAfterSeconds: number },
  ) {
    super(response.message);
  }
}

export const internalError: ErrorResponse = {
  status: 500,
  code: ErrorCode.InternalServerError,
  message: INTERNAL_ERROR_MESSAGE,
};

export function badRequest(status: number, message: string): ErrorResponse {
  return { status, code: ApolloServerErrorCode.BAD_REQUEST, message };
}

/** Headers for the safety of answers that no hook gets to see. */
export const minimalSecurityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

/** Answers what Node could not read as HTTP, or not in time, on its bare connection. */
export function handleClientError({ code }: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = clientErrors[code ?? ''] ?? ['400 Bad Request', 'Expected a valid HTTP request'];
  writeRawResponse(socket, status, message);
}

/** Answers the method CONNECT, for which Node has a bare connection alone. */
export function rejectConnect(_request: unknown, socket: Duplex): void {
  writeRawResponse(socket, '405 Method Not Allowed', 'Expected the method GET or POST, got CONNECT');
}

const clientErrors: Readonly<Record<string, [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
};

function bodyOf({ code, message, outcome, retryAfterSeconds }: ErrorResponse, requestId?: string): string {
  const retryable = retryAfterSeconds !== undefined;
  const extensions = { code, outcome, retryable, retryAfterSeconds, requestId };
  return JSON.stringify({ errors: [{ message, extensions }] });
}

function writeRawResponse(socket: Duplex, status: string, message: string): void {
  const body = bodyOf(badRequest(Number.parseInt(status, 10), message));
  const headers = Object.entries({
    ...minimalSecurityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n'));
}

/** The codes of the errors in an answer in GraphQL JSON that has no data. */
export function errorCodesIn(payload: unknown): string[] {
  if (typeof payload !== 'string' || !payload.startsWith('{"errors":')) return [];
  const { errors } = JSON.parse(payload) as { errors: { extensions: { code: string } }[] };
  return errors.map(({ extensions }) => extensions.code);
}
