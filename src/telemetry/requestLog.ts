/** The observer that writes the log. */
import type { Logger } from 'pino';
import type { GatewayObserver } from './events.js';

export function logObserver(log: Logger): GatewayObserver {
  return {
    onRequestEnd(summary) {
      log.info(summary, 'Request');
    },
    onRestCallEnd({ method, route, attempt }, end) {
      log.debug({ method, route, attempt, ...end }, 'REST call');
    },
    onRestCallDeduplicated({ method, route }) {
      log.debug({ method, route }, 'REST call deduplicated');
    },
    onRequestRejected(reason) {
      log.debug({ reason }, 'Request rejected');
    },
    onRequestNotRateLimited() {
      log.debug('Request not rate limited');
    },
    onRateLimitAvailability: () => undefined, // the connection to Redis logs it, with the reason
    onTraceExportFailed: () => undefined, // a collector that is down would fill the log
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
