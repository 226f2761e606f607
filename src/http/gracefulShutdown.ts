/** Ending a server without losing a request. */
import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

export interface ShutdownOptions {
  /** For how many milliseconds requests are accepted after readiness ended. */
  delayMs: number;
  /** After how many milliseconds more what is still under way is cut off. */
  graceMs: number;
}

/** For how many milliseconds no request has come when idle connections are closed; less where the delay is less. */
const QUIET_PERIOD_MS = 500;

/**
 * What ends the server: waits until those that send requests may have noticed that it is no longer ready; refuses new
 * connections; lets requests finish on those that are open, which are told to close. What is idle is closed in a quiet
 * time alone: while requests come, one may be on its way on any connection, and would be lost.
 */
export function createGracefulShutdown(server: Server): (options: ShutdownOptions) => Promise<void> {
  let requestedAt = -Infinity;
  /** Connections that nothing came on, as browsers open them beforehand: Node does not take them for idle. */
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
    // A server of HTTP would close idle connections with itself.
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
      // After this turn has read what has come.
      setImmediate(() => {
        if (performance.now() - requestedAt >= quietMs) closeIdle();
      });
    }, 20);
    await closed;
    clearTimeout(forceClose);
    clearInterval(closeIdleWhenQuiet);
  };
}

/** A turn of the event loop that is shorter than this in milliseconds leaves no connection time to come unseen. */
const QUIET_TICK_MS = 0.5;
const MAX_TICKS = 1000;

/** Waits for a turn in which no connection came: one that is not accepted yet would be reset with the server's end. */
async function acceptQueueEmpty(server: Server): Promise<void> {
  let connections = 0;
  const countConnection = () => {
    connections += 1;
  };
  server.on('connection', countConnection);
  for (let tick = 0; tick < MAX_TICKS; tick += 1) {
    const before = connections;
    const startedAt = performance.now();
    await nextTurn();
    if (connections === before && performance.now() - startedAt < QUIET_TICK_MS) break;
  }
  server.off('connection', countConnection);
}
