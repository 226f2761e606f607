/** Several processes that share one port: the primary starts the workers, replaces those that die, and ends them. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';

/** A worker that dies sooner after its start is replaced only after this time in milliseconds. */
const MIN_UPTIME_MS = 1000;

export interface WorkersOptions {
  count: number;
  /** Environment variables of the workers, besides those of this process. */
  env: Record<string, string>;
  log: Logger;
}

export interface Workers {
  /** Port that they share. */
  port: number;
  /** Ends them, each as the signal ends a process alone, and waits for them. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the workers and waits until they listen; throws when one of them ends before. */
export async function startWorkers({ count, env, log }: WorkersOptions): Promise<Workers> {
  let isStarting = true;
  let isStopping = false;
  const startedAt = new WeakMap<Worker, number>();
  const fork = () => {
    const worker = cluster.fork(env);
    startedAt.set(worker, performance.now());
    return worker;
  };
  cluster.on('exit', (worker, code, signal) => {
    if (isStarting || isStopping) return;
    log.error(
      { worker: worker.process.pid, code, signal },
      'Worker exited unexpectedly: starting a replacement',
    );
    const uptimeMs = performance.now() - (startedAt.get(worker) ?? 0);
    setTimeout(() => !isStopping && fork(), uptimeMs < MIN_UPTIME_MS ? MIN_UPTIME_MS : 0);
  });

  const workers = Array.from({ length: count }, fork);
  const ports = await Promise.all(
    workers.map(async (worker) => {
      const [outcome] = (await Promise.race([once(worker, 'listening'), once(worker, 'exit')])) as unknown[];
      return (outcome as { port?: number } | null)?.port;
    }),
  );
  isStarting = false;
  const stop = async (signal: NodeJS.Signals) => {
    isStopping = true;
    const liveWorkers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(
      liveWorkers.map((worker) => {
        const exit = once(worker, 'exit');
        worker.process.kill(signal);
        return exit;
      }),
    );
  };
  const [port] = ports;
  if (port !== undefined && !ports.includes(undefined)) return { port, stop };
  await stop('SIGTERM');
  throw new Error('A worker exited before it was listening');
}
