/** The observer that writes the log. */
import type { Logger } from 'pino';
import { ErrorCode } from '../errors.js';
import type { GatewayObserver, RequestSummary } from './events.js';
import { failureOf } from './failure.js';
import { isInSample } from './logSampling.js';

/** A router may get thousands of errors: of more than these, a line has each code once. */
const MAX_ERROR_CODES = 100;

export interface LogOptions {
  log: Logger;
  /** Share of the successful requests that are logged. */
  sample: number;
}

/** Rejected connections send no request to log: at most one line per interval, in milliseconds, reports them. */
const CONNECTIONS_LOG_INTERVAL_MS = 60_000;

export function logObserver({ log, sample }: LogOptions): GatewayObserver {
  const logSuccess = (summary: RequestSummary) => {
    if (sample === 1) log.info(summary, 'Request');
    else if (isInSample(summary, sample)) log.info({ ...summary, sample }, 'Request');
  };
  let connectionsLoggedAt = -Infinity;
  const logRejectedConnections = () => {
    if (performance.now() - connectionsLoggedAt < CONNECTIONS_LOG_INTERVAL_MS) return;
    connectionsLoggedAt = performance.now();
    log.warn('Connections rejected: MAX_CONNECTIONS is reached');
  };
  return {
    onRequestEnd(completeSummary) {
      const summary = shorten(completeSummary);
      const failure = failureOf(summary);
      if (failure === ErrorCode.InternalServerError) log.error(summary, 'Request');
      else if (failure !== undefined) log.warn(summary, 'Request');
      else if (summary.status === undefined || summary.errorCodes.length > 0) log.info(summary, 'Request');
      else logSuccess(summary);
    },
    onRestCallEnd({ method, route, attempt }, end, ids) {
      if (log.isLevelEnabled('debug')) log.debug({ ...ids, method, route, attempt, ...end }, 'REST call');
    },
    onRestCallDeduplicated({ method, route }, ids) {
      log.debug({ ...ids, method, route }, 'REST call deduplicated');
    },
    onRequestRejected(reason, ids) {
      log.debug({ ...ids, reason }, 'Request rejected');
      if (reason === 'connections') logRejectedConnections();
    },
    onRequestNotRateLimited(ids) {
      log.debug(ids, 'Request not rate limited');
    },
    onRateLimitAvailability: () => undefined, // the connection to Redis logs it, with the reason
    onTraceExportFailed: () => undefined, // a collector that is down would fill the log
    onTraceCollectorChange({ state, reason }) {
      if (state === 'unavailable') log.warn({ reason }, 'Trace collector unavailable: spans are lost');
      else log.info('Trace collector available: spans are exported');
    },
    onCallCancelled(event) {
      log.info(event, 'Client disconnected before the response');
    },
    onCallRejected(event) {
      log.debug(event, 'REST call rejected');
    },
    onContractViolation(event) {
      log.warn(event, 'Upstream response violates the contract');
    },
    onCircuitChange(event) {
      if (event.state === 'open') log.error(event, 'Circuit breaker opened');
      else log.info(event, 'Circuit breaker closed');
    },
    onClientCircuitChange(event) {
      if (event.state === 'open') log.warn(event, 'Circuit breaker opened for one client');
      else log.info(event, 'Circuit breaker closed for one client');
    },
    onKeyedMutation(event) {
      log.debug(event, 'Mutation with an idempotency key');
    },
    onRecordLost(event) {
      log.warn(event, 'Outcome not recorded for an idempotency key');
    },
    onReadBack(event) {
      log.info(event, 'Read back a write of unknown outcome');
    },
  };
}

function shorten(summary: RequestSummary): RequestSummary {
  const { errorCodes } = summary;
  return errorCodes.length <= MAX_ERROR_CODES
    ? summary
    : { ...summary, errorCodes: [...new Set(errorCodes)] };
}
