import { pino, type Logger } from 'pino';
import type { Config } from '../config/config.js';

/**
 * Readable lines on a terminal, JSON otherwise. JSON is buffered for up to 16 kB or 100 ms because a write costs more than
 * everything else about a line; lines are dropped while 16 MiB wait to be read.
 */
export async function createLogger(level: Config['process']['logLevel']): Promise<Logger> {
  if (!process.stdout.isTTY)
    return pino(
      { level },
      pino.destination({ minLength: 16_000, sync: false, maxLength: 16_777_216, periodicFlush: 100 }),
    );
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ ignore: 'pid,hostname', sync: true }));
}
