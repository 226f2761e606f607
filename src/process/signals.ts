import type { Logger } from 'pino';

/** Shuts down on SIGINT or SIGTERM, with exit code 0. A second signal exits at once. */
export function stopOnSignals(log: Logger, stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop(signal)
        .then(() => process.exit(0)) // unfinished work would keep the process alive
        .catch((error: unknown) => {
          log.error({ err: error }, 'The gateway did not shut down cleanly');
          process.exit(1);
        });
    });
  }
}
