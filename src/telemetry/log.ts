/** The log, and what it gets of the events. */
import { LRUCache } from 'lru-cache';
import { pino, type LevelWithSilent, type Logger } from 'pino';
import type { LogLine } from './events.js';
import { logOutput } from './logOutput.js';
import { readVersion, SERVICE_NAME } from '../version.js';

/** Readable lines on a terminal, JSON otherwise, with levels in words and the service name of traces. */
export async function createLogger(level: LevelWithSilent, service?: string): Promise<Logger> {
  if (!process.stdout.isTTY)
    return pino({ level, formatters: { level: (label) => ({ level: label }) } }, logOutput()).child({
      service: service || SERVICE_NAME,
      version: readVersion(),
    });
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ ignore: 'pid,hostname', sync: true }));
}

/** Writes the line of an event. */
export function lineOf<Payload extends object>(line: LogLine<Payload>, log: Logger) {
  const { level, message, fields, limitedBy, sharedBy } = line;
  const isDue = createInterval();
  const write = (event: Payload) => {
    const eventLevel = typeof level === 'function' ? level(event) : level;
    if (!log.isLevelEnabled(eventLevel)) return;
    const subject = limitedBy?.(event);
    if (subject !== undefined && !isDue(subject)) return;
    log[eventLevel](fields?.(event) ?? event, typeof message === 'function' ? message(event) : message);
  };
  return sharedBy ? sharedLines(sharedBy, write) : write;
}

/** Events about the same subject in one turn of the event loop share a line, which has their number as `calls`. */
function sharedLines<Payload extends object>(
  subjectOf: (event: Payload) => string,
  write: (event: Payload) => void,
) {
  const lines = new Map<string, Payload & { calls: number }>();
  return (event: Payload) => {
    const subject = subjectOf(event);
    const line = lines.get(subject);
    if (line) {
      line.calls += 1;
      return;
    }
    const first = { ...event, calls: 1 };
    lines.set(subject, first);
    setImmediate(() => {
      lines.delete(subject);
      write(first);
    });
  };
}

/** What an outage repeats is logged at most once per interval, in milliseconds. */
const REPEATED_LINE_INTERVAL_MS = 60_000;
const MAX_SUBJECTS = 1000;

/** Whether a line about a subject may be written; if so, the next one may after the interval. */
export function createInterval(): (subject: string) => boolean {
  const written = new LRUCache<string, true>({ max: MAX_SUBJECTS, ttl: REPEATED_LINE_INTERVAL_MS });
  return (subject) => {
    if (written.has(subject)) return false;
    written.set(subject, true);
    return true;
  };
}
