/** Shuts a server down without losing a request. */
import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as tickEnd, setTimeout as sleep } from 'node:timers/promises';

export interface ShutdownOptions {
  /** Time in milliseconds for which requests are accepted after the replica became unready. */
  delayMs: number;
  /** Time in milliseconds after that until requests in flight are cut off. */
  graceMs: number;
}

/** Idle connections close once no request came for this long, in milliseconds; for less if the delay is shorter. */
const QUIET_PERIOD_MS = 500;

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
      NetServer.prototype.close.call(server, () => {
        resolve();
      });
    });
    const forceClose = setTimeout(() => {
      server.closeAllConnections();
    }, graceMs);
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
