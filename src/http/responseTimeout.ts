/** Resets connections whose clients do not read their responses. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ResponseTimeoutOptions {
  /** Time without progress in milliseconds, measured in intervals of this length. */
  timeoutMs: number;
  onTimeout: () => void;
}

/** A response that the kernel takes at once, as it does with nearly all, starts no timer. */
export function limitResponseTime(server: Server, { timeoutMs, onTimeout }: ResponseTimeoutOptions): void {
  const watch = function (this: ServerResponse) {
    const { socket } = this;
    if (socket === null || socket.writableLength === 0) return;
    let unsent = unsentBytes(socket);
    const timer = setInterval(() => {
      const before = unsent;
      unsent = unsentBytes(socket);
      if (unsent < before) return;
      onTimeout();
      socket.resetAndDestroy(); // the kernel drops its buffer as well
    }, timeoutMs);
    this.once('close', () => {
      clearInterval(timer);
    });
  };
  // Before Fastify, which completes some responses at once.
  server.prependListener('request', (_request, response: ServerResponse) => {
    // Emitted once the response is complete and belongs to the socket; pipelined ones wait for their turn before.
    response.on('prefinish', watch);
  });
}

/**
 * Bytes that the kernel has not taken yet. Node's socket timeout looks at the same counter, but whatever the client
 * sends restarts it; `writableLength` changes only once a whole write is complete.
 */
function unsentBytes(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? socket.writableLength;
}
