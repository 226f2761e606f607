/** Ends old connections, so that clients spread over replicas that were added, as load balancers choose per connection. */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { jittered } from '../transport/time.js';

interface ConnectionState {
  /** On the clock of performance.now(). */
  readonly endsAt: number;
  /** The latest request, if it arrived after that time. */
  latest: IncomingMessage | undefined;
}

/**
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
