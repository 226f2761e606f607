/**
 * Connections below Fastify: their limits and their age, responses that clients do not read, and errors for which Node has only a
 * socket.
 */
import { randomUUID } from 'node:crypto';
import {
  maxHeaderSize,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { jittered } from '../transport/time.js';
import { GRAPHQL_MEDIA_TYPE, HttpStatus, type ErrorResponse } from '../graphql/responses.js';
import { minimalSecurityHeaders } from './browserPolicy.js';
import {
  ALLOWED_METHODS,
  badRequest,
  errorBody,
  methodNotAllowed,
  REQUEST_TIMEOUT_MESSAGE,
} from './errorResponses.js';
import { REQUEST_ID_HEADER } from './request.js';

/** In milliseconds. */
export interface Timeouts {
  /** Timeout for receiving the headers of a request. */
  headersMs: number;
  /** Timeout for receiving an entire request. */
  requestMs: number;
  /** Timeout of a response whose client does not read it. */
  responseMs: number;
  /** Timeout of idle connections. */
  keepAliveMs: number;
}

export interface NodeServerOptions {
  maxConnections: number;
  /** Time without progress after which an unread response is cut off, in milliseconds. */
  responseTimeoutMs: number;
  onRejected: (reason: 'connections' | 'response_timeout') => void;
}

export function configureNodeServer(server: Server, options: NodeServerOptions): void {
  const { maxConnections, responseTimeoutMs, onRejected } = options;
  server.maxConnections = maxConnections;
  // By default Node silently drops headers beyond the 1,000th. The limit on their total size, 16 KiB, remains.
  server.maxHeadersCount = 0;
  server.on('drop', () => {
    onRejected('connections');
  });
  server.on('connect', rejectConnect);
  // An expectation may be ignored (RFC 9110 section 10.1.1); Node's own response would have no body.
  server.on('checkExpectation', (request, response) => {
    server.emit('request', request, response);
  });
  closePipelinedResponses(server);
  resetUnreadConnections(server, responseTimeoutMs, () => {
    onRejected('response_timeout');
  });
}

/**
 * Emits `close` on responses that wait behind others when their connection closes. Node 20 and 22 never do, so these
 * requests would count as in flight for ever.
 */
function closePipelinedResponses(server: Server): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket !== null) return; // not pipelined
    const responses = waiting.get(socket) ?? new Set();
    if (!waiting.has(socket)) {
      waiting.set(socket, responses);
      socket.once('close', () => {
        // After Node has emitted its own events.
        setImmediate(() => {
          for (const each of responses) {
            if (each.closed) continue;
            each.destroy();
            each.emit('close');
          }
        });
      });
    }
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
}

/** The part of Node's sockets that its types leave out. */
interface ServerSocket extends Socket {
  /** The response that is written next, or is being written. */
  _httpMessage?: ServerResponse | null;
  _handle?: { writeQueueSize?: number } | null;
}

/**
 * Resets connections whose clients do not read their responses. Looks at all connections once per `timeoutMs`, so that requests cost
 * nothing; a response without progress between two looks has timed out.
 */
function resetUnreadConnections(server: Server, timeoutMs: number, onTimeout: () => void): void {
  /** The unread response of each connection as of the last look. */
  const unread = new Map<ServerSocket, { response: ServerResponse; unsentBytes: number } | undefined>();
  const timer = setInterval(() => {
    for (const [socket, last] of unread) {
      const { _httpMessage: response } = socket;
      const unsentBytes = unsentBytesOf(socket);
      if (!response?.writableEnded || unsentBytes === 0) unread.set(socket, undefined);
      else if (response !== last?.response || unsentBytes < last.unsentBytes)
        unread.set(socket, { response, unsentBytes });
      else {
        onTimeout();
        socket.resetAndDestroy(); // the kernel drops its buffer as well
      }
    }
  }, timeoutMs).unref();
  server.on('connection', (socket: ServerSocket) => {
    unread.set(socket, undefined);
    socket.once('close', () => unread.delete(socket));
  });
  server.on('close', () => {
    clearInterval(timer);
  });
}

/**
 * Bytes that the kernel has not taken yet. Node's socket timeout looks at the same counter, but whatever the client
 * sends restarts it; `writableLength` changes only once a whole write is complete.
 */
function unsentBytesOf({ _handle: handle, writableLength }: ServerSocket): number {
  return handle?.writeQueueSize ?? writableLength;
}

/**
 * Ends old connections, so that clients spread over replicas that were added, as load balancers choose per connection.
 *
 * Adds `Connection: close` to the last response on each connection: to any during a shutdown, and to that of a request that arrived
 * after the connection had reached its age, unless another request is behind it (RFC 9112 section 9.3.2), whose response would be
 * lost. Idle connections stay open until KEEP_ALIVE_TIMEOUT_MS because a request may be in transit.
 */
export function closeConnections(fastify: FastifyInstance, { maxAgeMs }: { maxAgeMs: number }): void {
  const { server } = fastify;
  const isOld = maxAgeMs === 0 ? () => false : trackAge(server, maxAgeMs);
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (!server.listening || isOld(raw)) reply.header('connection', 'close');
    done();
  });
}

interface ConnectionState {
  /** On the clock of performance.now(). */
  readonly endsAt: number;
  /** The latest request, if it arrived after that time. */
  latest: IncomingMessage | undefined;
}

/** Returns whether a request is the last one that arrived on an old connection. */
function trackAge(server: Server, maxAgeMs: number): (request: IncomingMessage) => boolean {
  const connections = new WeakMap<Socket, ConnectionState>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { endsAt: performance.now() + jittered(maxAgeMs), latest: undefined });
  });
  server.prependListener('request', (request: IncomingMessage) => {
    const connection = connections.get(request.socket);
    if (connection && performance.now() >= connection.endsAt) connection.latest = request;
  });
  return (request) => connections.get(request.socket)?.latest === request;
}

/**
 * Creates a function that waits for the end of the tick, to batch socket writes: responses that become ready in one tick of the event loop are written together at its end
 * (setImmediate). A lone response does not wait. Saves a quarter of a request's CPU under full load from one process, whose
 * socket is then woken once per batch, and a tenth at a fixed rate of half as many requests.
 */
export function createTickEnd(): () => Promise<void> {
  let end: Promise<void> | undefined; // shared by all that wait for it
  return () => {
    end ??= new Promise((resolve) => {
      setImmediate(() => {
        end = undefined;
        resolve();
      });
    });
    return end;
  };
}

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

type RawSocket = Duplex & Pick<ServerSocket, '_httpMessage'>;

/** Rejects the method CONNECT, for which Node provides no response object. */
function rejectConnect(_request: unknown, socket: RawSocket): void {
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
