/** Error responses where Node has only a socket: it could not read the request as HTTP, or the method is CONNECT. */
import { randomUUID } from 'node:crypto';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { GRAPHQL_MEDIA_TYPE, HttpStatus, type ErrorResponse } from '../graphql/responses.js';
import {
  ALLOWED_METHODS,
  badRequest,
  errorBody,
  methodNotAllowed,
  REQUEST_TIMEOUT_MESSAGE,
} from './errorResponses.js';
import { REQUEST_ID_HEADER } from './request.js';
import type { ServerSocket } from './responseTimeout.js';
import { minimalSecurityHeaders } from './browserPolicy.js';

type RawSocket = Duplex & Pick<ServerSocket, '_httpMessage'>;

/** Responds to a request that Node could not parse, or that did not arrive in time. */
export function handleClientError(error: ClientError, socket: Socket): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else writeRawResponse(socket, responseTo(error));
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
        : badRequest(HttpStatus.HeadersTooLarge, 'The request headers are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return badRequest(HttpStatus.RequestTimeout, REQUEST_TIMEOUT_MESSAGE);
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

/** Rejects the method CONNECT, for which Node provides no response object. */
export function rejectConnect(_request: unknown, socket: RawSocket): void {
  writeRawResponse(socket, methodNotAllowed('CONNECT'), { allow: ALLOWED_METHODS });
}

/**
 * Time in milliseconds for the client to close its side of the connection, which it may never do. Closing at once would
 * reset the connection if bytes are still arriving, and the client might lose the response (RFC 9112 section 9.6).
 */
const LINGER_MS = 1000;

/**
 * Closes the connection without a response while an earlier request on it is pending. Clients match responses by their order
 * (RFC 9112 §9.3.2), so they would take this error for the response to that request, which may be a running mutation.
 */
function writeRawResponse(socket: RawSocket, response: ErrorResponse, extraHeaders = {}): void {
  const { _httpMessage: pending } = socket;
  if (!socket.writable || pending?.headersSent || pending?.req.complete) {
    socket.destroy();
    return;
  }
  const { status } = response;
  const requestId = randomUUID(); // there is no request that could have one
  const body = errorBody(response, requestId);
  const headers = Object.entries({
    ...minimalSecurityHeaders,
    ...extraHeaders,
    [REQUEST_ID_HEADER]: requestId,
    'content-type': GRAPHQL_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...headers, '', body].join('\r\n'));
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(linger);
  });
}
