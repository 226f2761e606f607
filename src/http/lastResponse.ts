/** The last response on a connection has `Connection: close`, and nothing that follows it is processed (RFC 9112 §9.6). */
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { jittered } from '../transport/time.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Number of the request on its connection. */
    arrival: number;
  }
}

interface ConnectionState {
  /** Number of requests that have arrived. */
  arrivals: number;
  /** When it reaches its age, on the clock of performance.now(). */
  readonly oldAt: number;
  /** Whether a request has arrived since then. */
  isOld: boolean;
  /** Whether the last response is made. */
  hasEnded: boolean;
}

/**
 * Adds `Connection: close` during a shutdown, and on connections that have reached their age, so that clients spread over replicas
 * that were added: load balancers choose per connection. Idle connections stay open until KEEP_ALIVE_TIMEOUT_MS, because a request may be
 * in transit.
 *
 * Whoever adds the header, Fastify included, if another request has arrived behind the one that it responds to, that one gets its
 * response first (§9.3.2); what arrives afterwards is ignored: a mutation would be applied without a response.
 */
export function endConnections(fastify: FastifyInstance, { maxAgeMs }: { maxAgeMs: number }): void {
  const { server } = fastify;
  const connections = new WeakMap<Socket, ConnectionState>();
  const stateOf = (socket: Socket) => connections.get(socket) as ConnectionState;
  server.on('connection', (socket: Socket) => {
    const oldAt = performance.now() + jittered(maxAgeMs);
    connections.set(socket, { arrivals: 0, oldAt, isOld: false, hasEnded: false });
  });
  server.prependListener('request', ({ socket }) => {
    const state = stateOf(socket);
    state.arrivals += 1;
    state.isOld ||= performance.now() >= state.oldAt;
  });
  fastify.decorateRequest('arrival', 0);
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    const state = stateOf(socket);
    if (socket.destroyed || state.hasEnded) return; // no response, either
    request.arrival = state.arrivals;
    done();
  });
  fastify.addHook('onSend', ({ raw, arrival }, reply, _payload, done) => {
    const state = stateOf(raw.socket);
    const hasClose = reply.hasHeader('connection');
    if (arrival < state.arrivals) {
      if (hasClose) reply.header('connection', 'keep-alive');
    } else if (hasClose || state.isOld || !server.listening) {
      reply.header('connection', 'close');
      state.hasEnded = true;
    }
    done();
  });
}

/**
 * Ignores what arrives on a connection from now on, so that the rest of a request completes none. Bytes are still read: closing a connection
 * with unread ones would reset it, and the client might lose the response.
 */
export function ignoreFurtherBytes(socket: Duplex): void {
  socket.on('data', () => undefined); // Node's parser reads the socket by itself until it has another listener
  for (const listener of socket.listeners('data').slice(0, -1)) socket.off('data', listener as () => void);
  socket.resume();
}
