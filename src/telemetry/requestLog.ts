/** The observer that writes the log: a line for each request, and those of the other events. */
import type { Logger } from 'pino';
import { ErrorCode } from '../errors.js';
import type { RequestIds } from '../transport/calls.js';
import { events, observerOf, type GatewayObserver } from './events.js';
import { failureOf, type RequestSummary } from './requestSummary.js';

export interface LogOptions {
  log: Logger;
  /** Share of the successful requests that are logged. */
  sample: number;
}

export function logObserver({ log, sample }: LogOptions): GatewayObserver {
  const logEvent = observerOf((name) => {
    const { line } = events[name];
    if (line === undefined) return () => undefined;
    return (event) => {
      const { level, message } = typeof line === 'function' ? line(event) : line;
      const fields: object = event;
      log[level](fields, message);
    };
  });
  const logSuccess = (summary: RequestSummary) => {
    if (sample === 1) log.info(summary, 'Request');
    else if (isInSample(summary, sample)) log.info({ ...summary, sample }, 'Request');
  };
  const logRejectedConnections = createConnectionLog(log);
  return {
    ...logEvent,
    onRequestEnd({ summary: completeSummary }) {
      const summary = shorten(completeSummary);
      const failure = failureOf(summary);
      if (failure === ErrorCode.InternalServerError) log.error(summary, 'Request');
      else if (failure !== undefined) log.warn(summary, 'Request');
      else if (summary.status === undefined || summary.errorCodes.length > 0) log.info(summary, 'Request');
      else logSuccess(summary);
    },
    onRestCallEnd({ attempt: { call, number }, end: { body, ...end }, ids }) {
      if (!log.isLevelEnabled('debug')) return;
      const { method, route } = call;
      log.debug({ ...ids, method, route, attempt: number, ...end, body: body?.() }, 'REST call');
    },
    onCallCancelled: createCancellationLog((event) => {
      logEvent.onCallCancelled(event);
    }),
    onRequestRejected(event) {
      logEvent.onRequestRejected(event);
      if (event.reason === 'connections') logRejectedConnections();
    },
  };
}

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

/** Rejected connections send no request to log: at most one line per interval, in milliseconds, reports them. */
const CONNECTIONS_LOG_INTERVAL_MS = 60_000;

function createConnectionLog(log: Logger): () => void {
  let loggedAt = -Infinity;
  return () => {
    if (performance.now() - loggedAt < CONNECTIONS_LOG_INTERVAL_MS) return;
    loggedAt = performance.now();
    log.warn('Connections rejected: MAX_IN_FLIGHT_REQUESTS × 10 are open');
  };
}

/**
 * Whether a successful request is logged: the same ones in every process that shares the trace, or else the request ID. Takes
 * the last bits of a trace ID, which are random, as OpenTelemetry's consistent probability sampling does: a line is logged if
 * they are at least 1 − share. A JavaScript number holds 13 of the 14 hexadecimal digits.
 */
function isInSample({ requestId, trace_id: traceId }: RequestIds, share: number): boolean {
  const position =
    traceId === undefined ? hash(requestId) / 2 ** 32 : parseInt(traceId.slice(-13), 16) / 2 ** 52;
  return position >= 1 - share;
}

/** FNV-1a with the final mixing of MurmurHash3, without which similar texts have similar hashes. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
