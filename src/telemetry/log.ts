/** The log: its output, and how often it has a line about the same subject. */
import { write, writeSync } from 'node:fs';
import { LRUCache } from 'lru-cache';
import { pino, type LevelWithSilent, type Logger } from 'pino';
import { readVersion, SERVICE_NAME } from '../version.js';

/** Readable lines on a terminal, JSON otherwise, with levels in words and the service name of traces. */
export async function createLogger(level: LevelWithSilent, service?: string): Promise<Logger> {
  if (!process.stdout.isTTY) {
    stdout ??= createLogOutput({ fd: 1, maxWaitingBytes: MAX_WAITING_BYTES });
    const log = pino({ level, formatters: { level: (label) => ({ level: label }) } }, stdout);
    return log.child({ service: service || SERVICE_NAME, version: readVersion() });
  }
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ ignore: 'pid,hostname', sync: true }));
}

/** Minimum interval in milliseconds between lines about one subject, which an outage repeats. */
const REPEATED_LINE_INTERVAL_MS = 60_000;
const MAX_SUBJECTS = 1000;

/** Limits lines about a subject to one per interval: returns whether a line may be written now. */
export function createInterval(): (subject: string) => boolean {
  const written = new LRUCache<string, true>({ max: MAX_SUBJECTS, ttl: REPEATED_LINE_INTERVAL_MS });
  return (subject) => {
    if (written.has(subject)) return false;
    written.set(subject, true);
    return true;
  };
}

/**
 * Interval in milliseconds at which waiting lines are written. Handing a write to libuv's threads takes some 300 µs, as much as 50 lines:
 * with a write for each 16 KB, the log took a tenth of the CPU of a read. A write that failed is tried again as often.
 */
const FLUSH_INTERVAL_MS = 100;
const MAX_WRITE_BYTES = 1_048_576;
/** Maximum size of the lines that wait; others are dropped. */
const MAX_WAITING_BYTES = 16_777_216;
/** How long an exit waits for the reader. */
const EXIT_TIMEOUT_MS = 1000;

let stdout: ReturnType<typeof createLogOutput> | undefined;

/** Lines dropped since the process started. */
export function countDroppedLines(): number {
  return stdout?.droppedLines() ?? 0;
}

/**
 * An output with the methods that pino calls. No request waits for it. When the process exits, pino's own destination, sonic-boom, repeats
 * a failed write for ever: with a full volume, the process did not end.
 */
export function createLogOutput({ fd, maxWaitingBytes }: { fd: number; maxWaitingBytes: number }) {
  /** Bytes that are being written, or were not; and lines that follow them, most of whose characters are a byte. */
  let chunk = Buffer.alloc(0);
  let waiting = '';
  let isWriting = false;
  let droppedLines = 0;

  const isDue = createInterval();
  const warn = (reason: string) => {
    if (!isDue('')) return;
    process.stderr.write(`Log lines cannot be written to stdout: ${reason}; ${droppedLines} were dropped\n`);
  };
  /** False if nothing is left. */
  const hasNext = () => {
    if (chunk.length > 0) return true;
    chunk = Buffer.from(waiting);
    waiting = '';
    return chunk.length > 0;
  };
  const flush = () => {
    if (isWriting || !hasNext()) return;
    isWriting = true;
    write(fd, chunk, 0, Math.min(chunk.length, MAX_WRITE_BYTES), null, (error, bytes) => {
      isWriting = false;
      if (!error) {
        chunk = chunk.subarray(bytes);
        if (chunk.length > 0) flush();
      } else if (error.code !== 'EAGAIN') warn(error.message); // a pipe whose reader is slow is not a failure
    });
  };
  /** Writes the waiting lines, as far as that is possible. A write in flight ends before the process does. */
  const flushSync = () => {
    if (isWriting) chunk = chunk.subarray(MAX_WRITE_BYTES);
    const endsAt = performance.now() + EXIT_TIMEOUT_MS;
    while (hasNext()) {
      try {
        chunk = chunk.subarray(writeSync(fd, chunk, 0, Math.min(chunk.length, MAX_WRITE_BYTES)));
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        const reason = code === 'EAGAIN' ? 'its reader does not read' : message;
        if (code !== 'EAGAIN' || performance.now() >= endsAt) {
          droppedLines += `${chunk.toString()}${waiting}`.split('\n').length - 1;
          warn(reason);
          return;
        }
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      }
    }
  };

  setInterval(flush, FLUSH_INTERVAL_MS).unref();
  process.once('exit', flushSync);
  return {
    write(line: string): void {
      if (chunk.length + waiting.length + line.length > maxWaitingBytes) {
        droppedLines += 1;
        warn('too many wait for their reader');
        return;
      }
      waiting += line;
    },
    flushSync,
    droppedLines: () => droppedLines,
  };
}
