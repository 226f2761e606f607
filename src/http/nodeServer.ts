/** Node's server below Fastify: limits that Fastify has no options for, and gaps in Node's events. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { rejectConnect } from './rawSocketErrors.js';
import { limitResponseTime } from './responseTimeout.js';

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
  limitResponseTime(server, {
    timeoutMs: responseTimeoutMs,
    onTimeout: () => {
      onRejected('response_timeout');
    },
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
