/** Connections below Fastify: limits of Node's server, last responses, batches of writes, and graceful shutdown. */
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type DropArgument, type Socket } from 'node:net';
import { setImmediate as tickEnd, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { clientAddress } from './request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Number of the request on its connection. */
    arrival: number;
  }
}

export function configureNodeServer(
  server: Server,
  maxConnections: number,
  onConnectionRejected: (peer: { address: string }) => void,
): void {
  server.maxConnections = maxConnections;
  server.on('drop', (dropped?: DropArgument) =>
    onConnectionRejected({ address: clientAddress({ ip: dropped?.remoteAddress }) }),
  );
  // By default Node silently drops headers beyond the 1,000th, possibly the one for a dry run. Their total size is still limited to 16 KiB.
  server.maxHeadersCount = 0;
  // An expectation may be ignored (RFC 9110 §10.1.1); Node's own response would have no body.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * The last response on a connection has `Connection: close`, and nothing that follows it is executed (RFC 9112 §9.6). During a shutdown,
 * each response is the last one. If another request has arrived behind it, that one gets its response first (§9.3.2); what arrives
 * afterwards is ignored: a mutation would be applied without a response.
 */
export function endConnections(fastify: FastifyInstance): void {
  const { server } = fastify;
  /** Number of requests that have arrived on a connection; Infinity once its last response is sent, so that later requests are ignored. */
  const arrivals = new WeakMap<Socket, number>();
  server.prependListener('request', ({ socket }) => arrivals.set(socket, (arrivals.get(socket) ?? 0) + 1));
  fastify.decorateRequest('arrival', 0);
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    request.arrival = arrivals.get(socket) ?? 0;
    if (!socket.destroyed && request.arrival < Infinity) done(); // otherwise the request is ignored, without a response
  });
  fastify.addHook('onSend', ({ raw, arrival }, reply, _payload, done) => {
    const hasClose = reply.hasHeader('connection');
    if (arrival < (arrivals.get(raw.socket) ?? 0)) {
      if (hasClose) reply.header('connection', 'keep-alive');
    } else if (hasClose || !server.listening) {
      reply.header('connection', 'close');
      arrivals.set(raw.socket, Infinity);
    }
    done();
  });
}

/** Calls the listener at once if the response is already closed: the client may have disconnected while Redis counted the request. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.on('close', listener);
}

/**
 * Batches socket writes: responses that become ready in one tick of the event loop wait for its end (setImmediate) and are written
 * together. A lone response does not wait. Saves a quarter of a request's CPU under full load from one process, whose socket is
 * then woken once per batch, and a tenth at a fixed rate of half as many requests.
 */
export function createFlushGate(): () => Promise<void> {
  let nextFlush: Promise<void> | undefined; // shared by all responses of the tick
  return () => {
    nextFlush ??= tickEnd().then(() => {
      nextFlush = undefined;
    });
    return nextFlush;
  };
}

export interface ShutdownOptions {
  /** Time in milliseconds for which requests are still accepted after the replica has become unready. */
  delayMs: number;
  /** Time in milliseconds after that until requests in flight are cut off. */
  graceMs: number;
}

/**
 * Idle connections close after this many milliseconds without a request, or after `delayMs` if that is shorter. Longer than the 1 s after
 * which a proxy closes its own (deploy/nginx.conf): the side that sends requests closes first, so no request is in transit.
 */
export const QUIET_PERIOD_MS = 1500;

/** Connections that the system holds until the listener accepts them: Node's default. No more are waited for, so a flood cannot delay shutdown. */
const BACKLOG = 511;

/**
 * Graceful shutdown: serves until load balancers notice, stops listening, and lets in-flight requests finish. Idle
 * connections close only in a quiet period because a request may be in transit on any of them.
 */
export function createGracefulShutdown(server: Server): (options: ShutdownOptions) => Promise<void> {
  let requestedAt = -Infinity;
  let accepted = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', () => (requestedAt = performance.now()));
  const closeIdle = () => {
    server.closeIdleConnections();
    // It skips connections without a first request (browsers preconnect).
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };

  return async ({ delayMs, graceMs }) => {
    await sleep(delayMs);
    // Closing the listener resets connections that have arrived and are not accepted. Each tick accepts one.
    for (let before = -1, ticks = 0; accepted > before && ticks < BACKLOG; ticks += 1) {
      before = accepted;
      await tickEnd();
    }
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
