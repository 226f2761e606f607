/** Connections below Fastify: their number, pipelining, clients that do not read, batches of writes, and graceful shutdown. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as tickEnd, setTimeout as sleep } from 'node:timers/promises';
import { Shares, type Identity, type Peer } from '../transport/shares.js';
import { rejectConnect } from './errorResponses.js';
import { clientAddress } from './request.js';

export interface NodeServerOptions {
  maxConnections: number;
  /** Time without progress after which an unread response is cut off, in milliseconds. */
  responseTimeoutMs: number;
  /** Minimum rate at which a response is read in such a time. */
  minResponseBytesPerSecond: number;
  onRejected: (
    reason: 'connections' | 'pipelined_requests' | 'response_timeout' | 'slow_response',
    peer: Peer,
  ) => void;
}

export function configureNodeServer(server: Server, options: NodeServerOptions): void {
  const { maxConnections, responseTimeoutMs, minResponseBytesPerSecond, onRejected } = options;
  limitConnections(server, maxConnections, (peer) => onRejected('connections', peer));
  // By default Node silently drops headers beyond the 1,000th. The limit on their total size, 16 KiB, remains.
  server.maxHeadersCount = 0;
  server.on('connect', rejectConnect);
  // An expectation may be ignored (RFC 9110 section 10.1.1); Node's own response would have no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  trackPipelinedResponses(server, (socket) => onRejected('pipelined_requests', peerOf(socket)));
  resetUnreadConnections(server, {
    timeoutMs: responseTimeoutMs,
    minBytes: (minResponseBytesPerSecond * responseTimeoutMs) / 1000,
    onTooSlow: (socket, readBytes) =>
      onRejected(readBytes > 0 ? 'slow_response' : 'response_timeout', peerOf(socket)),
  });
}

/**
 * At the limit, closes an idle connection of the address with the most if the new one comes from an address with fewer, otherwise the new
 * one. Behind a proxy, all connections have its address: nothing says for which client a proxy keeps an idle connection.
 */
function limitConnections(server: Server, maxConnections: number, onRejected: (peer: Peer) => void): void {
  const shares = new Shares<ClientConnection>();
  server.on('connection', (socket: ServerSocket) => {
    const identity = { authorization: undefined, peer: peerOf(socket) };
    const connection = { socket, identity };
    if (shares.size >= maxConnections) {
      const idle = oldestIdle(shares.most(identity));
      const rejected = idle ?? connection;
      onRejected(rejected.identity.peer);
      rejected.socket.destroy();
      if (idle === undefined) return;
      shares.delete(idle, idle.identity);
    }
    shares.add(connection, identity);
    socket.once('close', () => shares.delete(connection, identity));
  });
}

interface ClientConnection {
  socket: ServerSocket;
  identity: Identity;
}

function oldestIdle(connections: ReadonlySet<ClientConnection>): ClientConnection | undefined {
  for (const each of connections) if (!each.socket._httpMessage) return each;
  return undefined;
}

function peerOf({ remoteAddress: ip }: Socket): Peer {
  return { address: clientAddress({ ip }) };
}

/** Browsers and proxies do not pipeline; a packet of 64 KiB can hold 2,500 requests, which the event loop would serve in one turn. */
const MAX_WAITING_RESPONSES = 16;

/**
 * Closes a connection on which more responses wait behind others than a client may have; the rest of its requests is not served.
 *
 * Emits `close` on the waiting responses when their connection closes. Node 20 and 22 never do, so these requests would count as in
 * flight for ever.
 */
function trackPipelinedResponses(server: Server, onTooMany: (socket: Socket) => void): void {
  const waiting = new WeakMap<Socket, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (response.socket !== null || socket.destroyed) return; // not pipelined, or not served
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
    if (responses.size <= MAX_WAITING_RESPONSES) return;
    onTooMany(socket);
    socket.destroy();
  });
}

/** Also if the response is closed already: the client may have disconnected while Redis counted the request. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.on('close', listener);
}

/** The part of Node's sockets that its types leave out. */
interface ServerSocket extends Socket {
  /** The response that is written next, or is being written. */
  _httpMessage?: ServerResponse | null;
  _handle?: { writeQueueSize?: number } | null;
}

interface UnreadResponsesOptions {
  timeoutMs: number;
  /** Of a response, in that time. */
  minBytes: number;
  onTooSlow: (socket: Socket, readBytes: number) => void;
}

/**
 * Resets connections whose clients do not read their responses, or too slowly: they hold memory. Looks at all connections once per
 * `timeoutMs`, so that requests cost nothing, and compares what is left of a response with the last look.
 */
function resetUnreadConnections(server: Server, { timeoutMs, minBytes, onTooSlow }: UnreadResponsesOptions) {
  /** The unread response of each connection as of the last look. */
  const unread = new Map<ServerSocket, { response: ServerResponse; unsentBytes: number } | undefined>();
  const timer = setInterval(() => {
    for (const [socket, last] of unread) {
      const { _httpMessage: response } = socket;
      const unsentBytes = unsentBytesOf(socket);
      if (!response?.writableEnded || unsentBytes === 0) unread.set(socket, undefined);
      else if (response !== last?.response || last.unsentBytes - unsentBytes >= minBytes)
        unread.set(socket, { response, unsentBytes });
      else {
        onTooSlow(socket, last.unsentBytes - unsentBytes);
        socket.resetAndDestroy(); // the kernel drops its buffer as well
      }
    }
  }, timeoutMs).unref();
  server.on('connection', (socket: ServerSocket) => {
    unread.set(socket, undefined);
    socket.once('close', () => unread.delete(socket));
  });
  server.on('close', () => clearInterval(timer));
}

/**
 * Bytes that the kernel has not taken yet. Node's socket timeout looks at the same counter, but whatever the client
 * sends restarts it; `writableLength` changes only once a whole write is complete.
 */
function unsentBytesOf({ _handle: handle, writableLength }: ServerSocket): number {
  return handle?.writeQueueSize ?? writableLength;
}

/**
 * Batches socket writes: responses that become ready in one tick of the event loop wait for its end (setImmediate) and are written
 * together. A lone response does not wait. Saves a quarter of a request's CPU under full load from one process, whose socket is
 * then woken once per batch, and a tenth at a fixed rate of half as many requests.
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

export interface ShutdownOptions {
  /** Time in milliseconds for which requests are accepted after the replica became unready. */
  delayMs: number;
  /** Time in milliseconds after that until requests in flight are cut off. */
  graceMs: number;
}

/**
 * Idle connections close once no request came for this long, in milliseconds, or for the delay if that is shorter. Longer than the 1 s
 * after which a proxy closes its own (deploy/nginx.conf): whatever closes a connection first cannot meet a request on it.
 */
export const QUIET_PERIOD_MS = 1500;

/**
 * Graceful shutdown: serves until load balancers notice, stops listening, and lets in-flight requests finish. Idle
 * connections close only in a quiet period because a request may be in transit on any of them.
 */
export function createGracefulShutdown(server: Server): (options: ShutdownOptions) => Promise<void> {
  let requestedAt = -Infinity;
  /** Connections without a first request (browsers preconnect); `closeIdleConnections` skips them. */
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }: IncomingMessage) => {
    requestedAt = performance.now();
    unused.delete(socket);
  });
  const closeIdle = () => {
    server.closeIdleConnections();
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  };

  return async ({ delayMs, graceMs }) => {
    await sleep(delayMs);
    await acceptQueueEmpty(server);
    // http.Server.close would close idle connections at once.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    const forceClose = setTimeout(() => server.closeAllConnections(), graceMs);
    const quietMs = Math.min(QUIET_PERIOD_MS, delayMs);
    const closeIdleWhenQuiet = setInterval(() => {
      // After this tick has read what has arrived.
      setImmediate(() => {
        if (performance.now() - requestedAt >= quietMs) closeIdle();
      });
    }, 20);
    await closed;
    clearTimeout(forceClose);
    clearInterval(closeIdleWhenQuiet);
  };
}

/** A tick shorter than this, in milliseconds, leaves no time for a connection to arrive unnoticed. */
const QUIET_TICK_MS = 0.5;
const MAX_TICKS = 1000;

/** Waits for a tick without new connections: closing the listener resets those still in the accept queue. */
async function acceptQueueEmpty(server: Server): Promise<void> {
  let connections = 0;
  const countConnection = () => {
    connections += 1;
  };
  server.on('connection', countConnection);
  for (let tick = 0; tick < MAX_TICKS; tick += 1) {
    const before = connections;
    const startedAt = performance.now();
    await tickEnd();
    if (connections === before && performance.now() - startedAt < QUIET_TICK_MS) break;
  }
  server.off('connection', countConnection);
}
