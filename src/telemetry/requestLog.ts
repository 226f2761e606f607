/** The log, and the observer that writes it: a line for each request, and for other events. */
import { pino, type LevelWithSilent, type Logger } from 'pino';
import { ErrorCode } from '../errors.js';
import { events, observerOf, type GatewayObserver, type RejectionReason } from './events.js';
import { logOutput } from './logOutput.js';
import { failureOf, type RequestSummary } from './requestSummary.js';
import { readVersion, SERVICE_NAME } from '../version.js';

/**
 * Readable lines on a terminal, JSON otherwise, with levels in words and the service name of traces.
 */
export async function createLogger(level: LevelWithSilent, service?: string): Promise<Logger> {
  if (!process.stdout.isTTY)
    return pino({ level, formatters: { level: (label) => ({ level: label }) } }, logOutput()).child({
      service: service || SERVICE_NAME,
      version: readVersion(),
    });
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ ignore: 'pid,hostname', sync: true }));
}

export function logObserver(log: Logger): GatewayObserver {
  const logEvent = observerOf((name) => {
    const { line } = events[name];
    if (line === undefined) return () => undefined;
    return (event) => {
      const { level, message } = typeof line === 'function' ? line(event) : line;
      const fields: object = event;
      log[level](fields, message);
    };
  });
  const isDue = createInterval();
  return {
    ...logEvent,
    onRequestEnd({ summary: completeSummary }) {
      const summary = shorten(completeSummary);
      const failure = failureOf(summary);
      if (failure === ErrorCode.InternalServerError) log.error(summary, 'Request');
      else if (failure !== undefined) log.warn(summary, 'Request');
      else log.info(summary, 'Request');
    },
    onRestCallEnd({ attempt: { call, number }, end, ids }) {
      if (!log.isLevelEnabled('debug')) return;
      const { method, route, baseUrl } = call;
      const { origin } = baseUrl;
      log.debug({ ...ids, method, origin, route, attempt: number, ...end }, 'REST call');
    },
    onConnectionFailure(event) {
      if (isDue(event.origin)) logEvent.onConnectionFailure(event);
    },
    onContractDeviation(event) {
      if (isDue(`${event.method} ${event.origin}${event.route}`)) logEvent.onContractDeviation(event);
    },
    onCallCancelled: createCancellationLog((event) => logEvent.onCallCancelled(event)),
    onRequestRejected(event) {
      logEvent.onRequestRejected(event);
      // Rejected connections send no request to log.
      const warning = connectionWarnings[event.reason];
      if (warning !== undefined && isDue(event.reason)) log.warn(event, warning);
    },
  };
}

const connectionWarnings: Partial<Record<RejectionReason, string>> = {
  connections: 'Connections rejected: 10,000 are open',
};

/** A router may get thousands of errors: of more than these, a line has each code once. */
const MAX_ERROR_CODES = 100;

function shorten(summary: RequestSummary): RequestSummary {
  const { errorCodes } = summary;
  return errorCodes.length <= MAX_ERROR_CODES
    ? summary
    : { ...summary, errorCodes: [...new Set(errorCodes)] };
}

/** A client may disconnect during a hundred calls, which end in one turn of the event loop: one line has their number as `calls`. */
function createCancellationLog(
  write: GatewayObserver['onCallCancelled'],
): GatewayObserver['onCallCancelled'] {
  const lines = new Map<string, Parameters<typeof write>[0] & { calls: number }>();
  return (event) => {
    const key = `${event.requestId} ${event.method} ${event.outcome}`;
    const existing = lines.get(key);
    if (existing) {
      existing.calls += 1;
      return;
    }
    const line = { ...event, calls: 1 };
    lines.set(key, line);
    setImmediate(() => {
      lines.delete(key);
      write(line);
    });
  };
}

/** What an outage repeats is logged at most once per interval, in milliseconds. */
const REPEATED_LINE_INTERVAL_MS = 60_000;

/** Whether a line about a subject may be written; if so, the next one may after the interval. */
export function createInterval(): (subject: string) => boolean {
  const writtenAt = new Map<string, number>();
  return (subject) => {
    const now = performance.now();
    if (now - (writtenAt.get(subject) ?? -Infinity) < REPEATED_LINE_INTERVAL_MS) return false;
    writtenAt.set(subject, now);
    return true;
  };
}
