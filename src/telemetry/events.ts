/** The gateway's telemetry events and their observers: the log and the metrics. */
import type { IdempotencyObserver } from '../freight/idempotency/events.js';
import type { ReadBackObserver } from '../freight/readBack.js';
import type { RequestIds } from '../transport/clientIdentity.js';
import type { RestCall, RestCallEnd, TransportObserver, UnsentCall } from '../transport/events.js';

/** Why a request was rejected or cut off, as a label of the metric. */
export const rejectionReasons = [
  'connections',
  'event_loop_delay',
  'in_flight_requests',
  'incoming_bodies',
  'incoming_bodies_per_address',
  'rate_limit',
  'rate_limit_per_address',
  'response_timeout',
  'slow_body',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** Outcomes of a mutation, the worst one last. */
export const mutationOutcomes = ['APPLIED', 'NOT_APPLIED', 'UNKNOWN'] as const;

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
  /** Worst outcome of the operation's mutation fields. */
  outcome?: (typeof mutationOutcomes)[number];
}

export interface TraceExportObserver {
  /** Spans could not be exported. */
  onTraceExportFailed(): void;
  /** Exports begin to fail, or succeed again. */
  onTraceCollectorChange(event: { state: 'available' | 'unavailable'; reason?: string }): void;
}

export interface GatewayObserver
  extends TransportObserver, ReadBackObserver, IdempotencyObserver, TraceExportObserver {
  /** `isGraphQL` is whether it was sent to the GraphQL endpoint. */
  onRequestEnd(summary: RequestSummary, isGraphQL: boolean): void;
  /** One attempt of a REST call ended. */
  onRestCallEnd(call: RestCall, end: RestCallEnd, ids: RequestIds): void;
  /** A REST call joined an identical one in flight instead of being sent. */
  onRestCallDeduplicated(call: UnsentCall, ids: RequestIds): void;
  /** A request was rejected under load: by a limit of the gateway, or by the rate limit. Without `ids` it is a connection. */
  onRequestRejected(reason: RejectionReason, ids?: RequestIds): void;
  /** A request passed without a count because the Redis of the rate limit was unavailable; once per request. */
  onRequestNotRateLimited(ids: RequestIds): void;
  /** Whether the Redis of the rate limit is available: once at startup, then on changes. Never without REDIS_URL and a limit. */
  onRateLimitAvailability(isAvailable: boolean): void;
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
    onRequestNotRateLimited: forward('onRequestNotRateLimited'),
    onRateLimitAvailability: forward('onRateLimitAvailability'),
    onTraceExportFailed: forward('onTraceExportFailed'),
    onTraceCollectorChange: forward('onTraceCollectorChange'),
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
