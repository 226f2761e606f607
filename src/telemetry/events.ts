/** What the gateway tells of itself while it works, and who listens: the log, and the metrics. */
import type { Logger } from 'pino';
import type { RestCall, RestCallEnd, TransportObserver } from '../service/transport/events.js';

/** A request that has come to its end. */
export interface RequestSummary {
  requestId: string;
  method: string;
  /** HTTP status of the answer; undefined when the caller left before it. */
  status: number | undefined;
  durationMs: number;
  operationType?: string;
  operationName?: string;
  restCalls: number;
  /** Codes of the errors in the answer. */
  errorCodes: readonly string[];
  /** What is known of the effect of a mutation, at the worst. */
  outcome?: 'APPLIED' | 'NOT_APPLIED' | 'UNKNOWN';
}

export interface GatewayObserver extends TransportObserver {
  onRequestEnd(summary: RequestSummary): void;
  onRestCallEnd(call: RestCall, end: RestCallEnd): void;
  /** REST call rejected, as another one in flight is for the same. */
  onRestCallDeduplicated(call: Omit<RestCall, 'attempt'>): void;
  /** A request was not taken, for the reason given. */
  onRequestRejected(reason: string): void;
}

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
  };
}

/** Tells each of them all. */
export function combineObservers(observers: readonly GatewayObserver[]): GatewayObserver {
  const forward =
    <Name extends keyof GatewayObserver>(name: Name) =>
    (...event: Parameters<GatewayObserver[Name]>) => {
      for (const observer of observers)
        (observer[name] as (...event: Parameters<GatewayObserver[Name]>) => void)(...event);
    };
  return {
    onRequestEnd: forward('onRequestEnd'),
    onRestCallEnd: forward('onRestCallEnd'),
    onRestCallDeduplicated: forward('onRestCallDeduplicated'),
    onRequestRejected: forward('onRequestRejected'),
    onCallCancelled: forward('onCallCancelled'),
    onCallRejected: forward('onCallRejected'),
    onContractViolation: forward('onContractViolation'),
    onCircuitChange: forward('onCircuitChange'),
  };
}
