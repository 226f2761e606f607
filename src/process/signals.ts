import cluster from 'node:cluster';
import type { Logger } from 'pino';

/** Shuts down on SIGINT or SIGTERM, with exit code 0. A second signal exits at once. */
export function stopOnSignals(log: Logger, stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isStopping) {
        // A worker may receive a signal from both its terminal and its primary.
        if (cluster.isPrimary) process.exit(1);
        return;
      }
      isStopping = true;
      stop(signal)
        // Unfinished work, or a worker's channel to its primary, would keep the process alive.
        .then(() => process.exit(0))
        .catch((error: unknown) => {
          log.error({ err: error }, 'The gateway did not shut down cleanly');
          process.exit(1);
        });
    });
  }
}
