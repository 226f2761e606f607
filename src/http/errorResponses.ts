/** Responses before there is an operation (GraphQL over HTTP, section 6.4): by Fastify, or on the socket if Node rejects the request. */
import { randomUUID } from 'node:crypto';
import { maxHeaderSize, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { shortenMessage } from '../domain/libraryMessages.js';
import { GatewayError } from '../gatewayError.js';
import { GRAPHQL_MEDIA_TYPE, JSON_MEDIA_TYPE } from '../graphql/handler.js';
import type { RequestTelemetry } from '../telemetry/requestTelemetry.js';
import { setStatus } from './graphqlRoute.js';
import { isGraphQLPath, REQUEST_ID_HEADER } from './request.js';

/** Sends an error, and records its code for the log. */
export function sendError(reply: FastifyReply, error: GatewayError): void {
  const { meaning, retryAfterSeconds } = error;
  const { request } = reply;
  const { telemetry } = request as { telemetry?: RequestTelemetry }; // health checks have none
  if (telemetry) telemetry.summary.errorCodes = [meaning.code];
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', retryAfterSeconds);
  // Outside the GraphQL path, the body is not a GraphQL response.
  void reply.type(isGraphQLPath(request) ? GRAPHQL_MEDIA_TYPE : JSON_MEDIA_TYPE);
  const { status, body } = errorResponse(error, request.id);
  setStatus(reply, status);
  void reply.send(body);
}

/** The response to a request that fails as a whole, before there is an operation, which may be a mutation. */
function errorResponse({ message, meaning, retryAfterSeconds }: GatewayError, requestId: string) {
  const { code, outcome, isTransient: retryable, httpStatus: status = 500 } = meaning;
  const extensions = { code, outcome, retryable, retryAfterSeconds, requestId };
  return { status, body: JSON.stringify({ errors: [{ message, extensions }] }) };
}

/** The failure for an error that Fastify or one of its plugins reports. */
export function fromFastifyError(
  { statusCode = 500, code, message }: FastifyError,
  { headers, routeOptions: { bodyLimit } }: FastifyRequest,
): GatewayError {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new GatewayError('bodyTooLarge', {
        message: `Expected a request body of at most ${bodyLimit} bytes, got a larger one`,
      });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new GatewayError('mediaTypeUnsupported', {
        message: shortenMessage(
          `Expected the content type application/json, got ${headers['content-type'] ?? 'none'}`,
        ),
      });
    default:
      return statusCode < 500
        ? new GatewayError('requestInvalid', { message: shortenMessage(message) })
        : new GatewayError('internalError');
  }
}

export const ALLOWED_METHODS = 'GET, POST';

/**
 * Headers of every response: it is data of one client at one time, so no cache may store it, nothing may be loaded from it and no page may
 * frame it. Which pages may read it is up to CORS; an HTML page brings its own content security policy. Strict-Transport-Security excludes
 * subdomains, which may have services without TLS.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000',
} as const;

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
  const requestId = randomUUID(); // the request could not be read, so it has no ID
  const { status, body } = errorResponse(failureOf(error), requestId);
  const headers = Object.entries({
    date: new Date().toUTCString(), // RFC 9110 §6.6.1
    ...securityHeaders,
    [REQUEST_ID_HEADER]: requestId,
    'content-type': GRAPHQL_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...headers, '', body].join('\r\n'));
  socket.destroySoon();
}

interface ClientError extends NodeJS.ErrnoException {
  /** The bytes that the parser was reading. */
  rawPacket?: unknown;
}

function failureOf({ code, rawPacket }: ClientError): GatewayError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new GatewayError('requestTimedOut');
  if (code !== 'HPE_HEADER_OVERFLOW') return new GatewayError('requestInvalid');
  if (isRequestLine(rawPacket)) return new GatewayError('urlTooLong');
  const message = `Expected request headers of at most ${maxHeaderSize} bytes, got larger ones`;
  return new GatewayError('headersTooLarge', { message });
}

/** Whether the URL alone exceeds Node's limit on URL plus headers. A URL in pieces goes undetected: Node provides only the last piece. */
function isRequestLine(packet: unknown): boolean {
  return Buffer.isBuffer(packet) && /^[A-Z]+ \S+$/.test(packet.toString('latin1', 0, maxHeaderSize));
}
