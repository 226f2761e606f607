/**
 * Responses to requests that are rejected before there is a GraphQL operation (GraphQL over HTTP, section 6.4): through Fastify, and
 * where Node has only a socket because it could not read the request as HTTP.
 */
import { randomUUID } from 'node:crypto';
import { maxHeaderSize, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ErrorCode } from '../errors.js';
import { shortenMessage } from '../domain/libraryMessages.js';
import { INTERNAL_ERROR_MESSAGE } from '../graphql/errors/publicErrors.js';
import {
  GRAPHQL_MEDIA_TYPE,
  HttpStatus,
  JSON_MEDIA_TYPE,
  negotiate,
  RequestError,
  type ErrorResponse,
} from '../graphql/responses.js';
import type { RejectionReason } from '../telemetry/events.js';
import type { RequestTelemetry } from '../telemetry/requestTelemetry.js';
import { minimalSecurityHeaders } from './browserPolicy.js';
import { isGraphQLPath, REQUEST_ID_HEADER } from './request.js';

/** Sends an error, and records its code for the log. */
export function sendError(reply: FastifyReply, response: ErrorResponse): void {
  const { status, code, retryAfterSeconds } = response;
  const { request } = reply;
  const { telemetry } = request as { telemetry?: RequestTelemetry }; // health checks have none
  if (telemetry) telemetry.operation.errorCodes = [code];
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  // Elsewhere it is no GraphQL response.
  void reply.header(REQUEST_ID_HEADER, request.id);
  void reply.type(isGraphQLPath(request) ? GRAPHQL_MEDIA_TYPE : JSON_MEDIA_TYPE);
  setStatus(reply, status);
  void reply.send(errorBody(response, request.id));
}

/**
 * Sets the status of a response whose type is set. Routers get 200 with the type they ask for: Apollo Gateway discards the body of any
 * other response, and with it code, outcome and `retryable`.
 */
export function setStatus(reply: FastifyReply, status: number): void {
  const { isSupergraph, headers } = reply.request;
  if (!isSupergraph || status === HttpStatus.Ok) void reply.code(status);
  else void reply.code(HttpStatus.Ok).type(negotiate(headers.accept).mediaType ?? GRAPHQL_MEDIA_TYPE);
}

/** The response to an error that Fastify or a plugin reports; undefined for a bug in the gateway. */
export function fromFastifyError(
  { statusCode = 500, code, message }: FastifyError,
  { headers, routeOptions: { bodyLimit } }: FastifyRequest,
): ErrorResponse | undefined {
  const messages: Readonly<Record<string, string>> = {
    FST_ERR_CTP_BODY_TOO_LARGE: `Expected a request body of at most ${bodyLimit} bytes, got a larger one`,
    FST_ERR_CTP_INVALID_MEDIA_TYPE: `Expected the content type application/json, got ${headers['content-type'] ?? 'none'}`,
    FST_ERR_CTP_EMPTY_JSON_BODY: 'Expected a JSON body, got an empty one',
    FST_ERR_CTP_INVALID_JSON_BODY: 'Expected a JSON body, got one that is not JSON',
  };
  return statusCode < 500 ? badRequest(statusCode, shortenMessage(messages[code] ?? message)) : undefined;
}

/** Rejects a request that the gateway would accept at another time. */
export class RequestRejectedError extends RequestError {
  override readonly name = 'RequestRejectedError';

  constructor(
    readonly reason: RejectionReason,
    response: Omit<ErrorResponse, 'outcome'>,
  ) {
    super({ ...response, outcome: 'NOT_APPLIED' });
  }
}

export function overloadError(reason: RejectionReason): RequestRejectedError {
  return new RequestRejectedError(reason, {
    status: HttpStatus.ServiceUnavailable,
    code: ErrorCode.ServiceUnavailable,
    message: 'The gateway is overloaded',
    retryAfterSeconds: 1,
  });
}

export const internalError: ErrorResponse = {
  status: HttpStatus.InternalServerError,
  code: ErrorCode.InternalServerError,
  message: INTERNAL_ERROR_MESSAGE,
};

export function badRequest(status: number, message: string): ErrorResponse {
  return { status, code: ApolloServerErrorCode.BAD_REQUEST, message };
}

/** Value of the Allow header of the GraphQL endpoint. */
export const ALLOWED_METHODS = 'GET, POST';

export function methodNotAllowed(method: string): ErrorResponse {
  return badRequest(HttpStatus.MethodNotAllowed, `Expected the method GET or POST, got ${method}`);
}

function errorBody({ code, message, outcome, retryAfterSeconds }: ErrorResponse, requestId: string): string {
  const retryable = retryAfterSeconds !== undefined;
  const extensions = { code, outcome, retryable, retryAfterSeconds, requestId };
  return JSON.stringify({ errors: [{ message, extensions }] });
}

/**
 * Responds to a request that Node could not parse, or that did not arrive in time, after the response to an earlier one: clients match
 * responses by their order (RFC 9112 §9.3.2), and that one may belong to a mutation.
 */
export function handleClientError(
  error: ClientError,
  socket: Socket & { _httpMessage?: ServerResponse | null },
): void {
  const { _httpMessage: pending } = socket;
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (pending?.headersSent || pending?.req.complete) {
    pending.once('close', () => handleClientError(error, socket));
    return;
  }
  const response = responseTo(error);
  const { status } = response;
  const requestId = randomUUID(); // there is no request that could have one
  const body = errorBody(response, requestId);
  const headers = Object.entries({
    date: new Date().toUTCString(), // RFC 9110 §6.6.1
    ...minimalSecurityHeaders,
    [REQUEST_ID_HEADER]: requestId,
    'content-type': GRAPHQL_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...headers, '', body].join('\r\n'));
  socket.destroySoon();
}

interface ClientError extends Error {
  code?: string;
  /** The bytes that the parser was reading. */
  rawPacket?: unknown;
}

function responseTo({ code, rawPacket }: ClientError): ErrorResponse {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return isRequestLine(rawPacket)
        ? badRequest(HttpStatus.UriTooLong, 'The URL is too long')
        : badRequest(
            HttpStatus.HeadersTooLarge,
            `Expected request headers of at most ${maxHeaderSize} bytes, got larger ones`,
          );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return badRequest(HttpStatus.RequestTimeout, 'The request did not arrive in time');
    default:
      return badRequest(HttpStatus.BadRequest, 'Expected a valid HTTP request');
  }
}

/**
 * Whether the URL alone exceeded the limit on headers, which Node applies to both. One that arrives in pieces is not
 * recognized, because Node provides only the last piece.
 */
function isRequestLine(packet: unknown): boolean {
  return Buffer.isBuffer(packet) && /^[A-Z]+ \S+$/.test(packet.toString('latin1', 0, maxHeaderSize));
}
