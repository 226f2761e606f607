/** What the gateway tells of itself while it works, and who listens: the log, and the metrics. */
import type { Logger } from 'pino';
import type { RestCall, RestCallEnd, TransportObserver } from '../service/observer.js';

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
  /** A REST call was not sent, as another one in flight is for the same. */
  onRestCallJoined(call: Omit<RestCall, 'attempt'>): void;
  /** A request was not taken, for the reason given. */
  onTurnedAway(reason: string): void;
}

export function logObserver(log: Logger): GatewayObserver {
  return {
    onRequestEnd(summary) {
      log.info(summary, 'Request');
    },
    onRestCallEnd({ method, route, attempt }, end) {
      log.debug({ method, route, attempt, ...end }, 'REST call');
    },
    onRestCallJoined({ method, route }) {
      log.debug({ method, route }, 'REST call shared');
    },
    onTurnedAway(reason) {
      log.debug({ reason }, 'A request was turned away');
    },
    onCallerLeft(event) {
      log.info(event, 'A caller left before its answer');
    },
    onCallDropped(event) {
      log.debug(event, 'A REST call was not sent');
    },
    onContractBroken(event) {
      log.warn(event, 'An answer of the service breaks its contract');
    },
    onCircuitChange(event) {
      if (event.state === 'open') log.error(event, 'The service fails too often: calls to it fail at once');
      else log.info(event, 'The service answers again');
    },
  };
}

/** Tells each of them all. */
export function allOf(observers: readonly GatewayObserver[]): GatewayObserver {
  const tell =
    <Name extends keyof GatewayObserver>(name: Name) =>
    (...event: Parameters<GatewayObserver[Name]>) => {
      for (const observer of observers)
        (observer[name] as (...event: Parameters<GatewayObserver[Name]>) => void)(...event);
    };
  return {
    onRequestEnd: tell('onRequestEnd'),
    onRestCallEnd: tell('onRestCallEnd'),
    onRestCallJoined: tell('onRestCallJoined'),
    onTurnedAway: tell('onTurnedAway'),
    onCallerLeft: tell('onCallerLeft'),
    onCallDropped: tell('onCallDropped'),
    onContractBroken: tell('onContractBroken'),
    onCircuitChange: tell('onCircuitChange'),
  };
}
