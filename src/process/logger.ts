import cluster from 'node:cluster';
import { pino, type Logger } from 'pino';
import type { Config } from '../config/config.js';

/**
 * In bytes. Workers share a pipe, which keeps only writes of up to 4,096 bytes whole (PIPE_BUF in Linux): lines in larger ones
 * could mix. A process that is alone may write more at once, which costs less.
 */
const writes = cluster.isWorker ? { minLength: 3072, maxWrite: 4096 } : { minLength: 16_000 };

/**
 * Readable lines on a terminal, JSON otherwise. JSON is buffered for up to 100 ms because a write costs more than everything
 * else about a line; lines are dropped while 16 MiB wait to be read.
 */
export async function createLogger(level: Config['LOG_LEVEL']): Promise<Logger> {
  if (!process.stdout.isTTY)
    return pino(
      { level },
      pino.destination({ ...writes, sync: false, maxLength: 16_777_216, periodicFlush: 100 }),
    );
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ ignore: 'pid,hostname', sync: true }));
}
