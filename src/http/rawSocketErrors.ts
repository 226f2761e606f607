/** Error responses where Node has only a socket: it could not read the request as HTTP, or the method is CONNECT. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { JSON_MEDIA_TYPE } from '../graphql/mediaTypes.js';
import { badRequest, errorBody, REQUEST_TIMEOUT_MESSAGE } from './errorResponses.js';
import { REQUEST_ID_HEADER } from './headers.js';
import { minimalSecurityHeaders } from './securityHeaders.js';

/** Responds to a request that Node could not parse, or that did not arrive in time. */
export function handleClientError({ code }: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = clientErrors[code ?? ''] ?? ['400 Bad Request', 'Expected a valid HTTP request'];
  writeRawResponse(socket, status, message);
}

/** Rejects the method CONNECT, for which Node provides no response object. */
export function rejectConnect(_request: unknown, socket: Duplex): void {
  writeRawResponse(socket, '405 Method Not Allowed', 'Expected the method GET or POST, got CONNECT');
}

const clientErrors: Readonly<Record<string, [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', REQUEST_TIMEOUT_MESSAGE],
};

/**
 * Time in milliseconds for the client to close its side of the connection, which it may never do. Closing at once would
 * reset the connection if bytes are still arriving, and the client might lose the response (RFC 9112 section 9.6).
 */
const LINGER_MS = 1000;

function writeRawResponse(socket: Duplex, status: string, message: string): void {
  const requestId = randomUUID(); // there is no request that could have one
  const body = errorBody(badRequest(Number.parseInt(status, 10), message), requestId);
  const headers = Object.entries({
    ...minimalSecurityHeaders,
    [REQUEST_ID_HEADER]: requestId,
    'content-type': JSON_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n'));
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(linger);
  });
}
