/** Resets connections whose clients do not read their responses. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ResponseTimeoutOptions {
  /** Time without progress in milliseconds, measured in intervals of this length. */
  timeoutMs: number;
  onTimeout: () => void;
}

/** The part of Node's sockets that its types leave out. */
export interface ServerSocket extends Socket {
  /** The response that is written next, or is being written. */
  _httpMessage?: ServerResponse | null;
  _handle?: { writeQueueSize?: number } | null;
}

/** Looks at all connections once per interval, so that requests cost nothing. */
export function limitResponseTime(server: Server, { timeoutMs, onTimeout }: ResponseTimeoutOptions): void {
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
