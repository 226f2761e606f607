/** The gateway's telemetry events and their observers: the log and the metrics. */
import type { IdempotencyObserver } from '../service/idempotency/events.js';
import type { ReadBackObserver } from '../service/readBack.js';
import type { RequestIds } from '../service/transport/clientIdentity.js';
import type { RestCall, RestCallEnd, TransportObserver } from '../service/transport/events.js';

/** A finished request. */
export interface RequestSummary extends RequestIds {
  method: string;
  /** HTTP status of the response; undefined if the client disconnected before it was complete. */
  status: number | undefined;
  durationMs: number;
  operationType?: string;
  operationName?: string;
  /** REST attempts sent, retries included. */
  restCalls: number;
  /** `extensions.code` of each error. */
  errorCodes: readonly string[];
  /** Worst outcome of the operation's mutation fields: UNKNOWN before NOT_APPLIED before APPLIED. */
  outcome?: 'APPLIED' | 'NOT_APPLIED' | 'UNKNOWN';
}

export interface GatewayObserver extends TransportObserver, ReadBackObserver, IdempotencyObserver {
  onRequestEnd(summary: RequestSummary): void;
  /** One attempt of a REST call ended. */
  onRestCallEnd(call: RestCall, end: RestCallEnd, ids: RequestIds): void;
  /** A REST call joined an identical one in flight instead of being sent. */
  onRestCallDeduplicated(call: Omit<RestCall, 'attempt'>, ids: RequestIds): void;
  /** A request was rejected under load: by a limit of the gateway, or by the rate limit. Without `ids` it is a connection. */
  onRequestRejected(reason: string, ids?: RequestIds): void;
}

/** Forwards every event to each of the observers. */
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
    onClientCircuitChange: forward('onClientCircuitChange'),
    onKeyedMutation: forward('onKeyedMutation'),
    onRecordLost: forward('onRecordLost'),
    onReadBack: forward('onReadBack'),
  };
}
