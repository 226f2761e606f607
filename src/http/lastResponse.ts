/** The last response on a connection has `Connection: close`, and nothing that follows it is executed (RFC 9112 §9.6). */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Number of the request on its connection. */
    arrival: number;
  }
}

/**
 * Adds `Connection: close` during a shutdown. Whoever adds the header, if another request has arrived behind the one that it responds to,
 * that one gets its response first (§9.3.2); what arrives afterwards is ignored: a mutation would be applied without a response.
 */
export function endConnections(fastify: FastifyInstance): void {
  const { server } = fastify;
  /** Requests that have arrived on a connection; infinitely many once its last response is made. */
  const arrivals = new WeakMap<Socket, number>();
  server.prependListener('request', ({ socket }) => arrivals.set(socket, (arrivals.get(socket) ?? 0) + 1));
  fastify.decorateRequest('arrival', 0);
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    request.arrival = arrivals.get(socket) ?? 0;
    if (!socket.destroyed && request.arrival < Infinity) done(); // otherwise no response, either
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
