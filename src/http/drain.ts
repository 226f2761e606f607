/** Ending a server without losing a request. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

export interface DrainOptions {
  /** For how many milliseconds requests are accepted after readiness ended, and idle connections are kept after that. */
  delayMs: number;
  /** After how many milliseconds more what is still under way is cut off. */
  graceMs: number;
}

/**
 * Waits until those that send requests may have noticed that the server is no longer ready; refuses new connections;
 * lets requests finish on those that are open, which are told to close; then closes what is idle.
 */
export async function drain(server: Server, { delayMs, graceMs }: DrainOptions): Promise<void> {
  await sleep(delayMs);
  // A server of HTTP would close idle connections now, on which a request may be on its way.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      resolve();
    });
  });
  const cutOff = setTimeout(() => {
    server.closeAllConnections();
  }, graceMs);
  const idleFrom = performance.now() + Math.min(delayMs, graceMs);
  const closeIdle = setInterval(() => {
    if (performance.now() >= idleFrom) server.closeIdleConnections();
  }, 20);
  await closed;
  clearTimeout(cutOff);
  clearInterval(closeIdle);
}
