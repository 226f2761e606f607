/**
 * The gateway's telemetry events. Each has one entry, from which the log (requestLog.ts), the metrics (counters.ts) and the
 * observer that feeds both derive. What an event carries is declared in the room that emits it.
 */
import { writeOutcomes, type WriteOutcome } from '../errors.js';
import { keyedMutationResults, type IdempotencyObserver } from '../freight/idempotency/idempotency.js';
import { readBackResults, type OperationLabels, type ReadBackKind } from '../freight/operations.js';
import type { ReadBackObserver } from '../freight/write.js';
import {
  cancellationOutcomes,
  serverOf,
  type CallInfo,
  type RequestIds,
  type Attempt,
  type AttemptEnd,
  type TransportObserver,
} from '../transport/calls.js';
import type { Peer } from '../transport/shares.js';
import type { StoreObserver } from '../freight/idempotency/store.js';
import type { TraceExportObserver } from './openTelemetry.js';
import type { RequestSummary } from './requestSummary.js';

/** Why a request was rejected, as a label of the metric. */
export const rejectionReasons = [
  'connections',
  'event_loop_delay',
  'in_flight_requests',
  'rate_limit',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** What requests wait for apart from responses of the service, as a label of the metric. */
export const awaitedResources = ['connection', 'idempotency_store', 'rate_limit'] as const;

export interface RequestObserver {
  /** `isGraphQL` is whether the request was sent to the GraphQL endpoint. */
  onRequestEnd(event: { summary: RequestSummary; isGraphQL: boolean; scheme: 'http' | 'https' }): void;
  /** A mutation field was executed; not reported if an earlier attempt with its key stood in the way. */
  onWriteEnd(event: { field: string; outcome: WriteOutcome }): void;
  onRestCallEnd(event: { attempt: Attempt; end: AttemptEnd; ids: RequestIds }): void;
  onRestCallDeduplicated(event: CallInfo & { route: string }): void;
  /** A REST call has waited for a connection, or a request for Redis. */
  onWait(event: { resource: (typeof awaitedResources)[number]; durationMs: number }): void;
}

export interface HttpObserver {
  /** A request was rejected under load: by a limit of the gateway, or by the rate limit. A connection has no IDs but an address. */
  onRequestRejected(event: (RequestIds | Peer) & { reason: RejectionReason }): void;
  /** Whether the rate limit is shared through Redis: once at startup, then on changes. Never without REDIS_URL and a limit. */
  onRateLimitSharing(event: { isShared: boolean }): void;
}

export interface GatewayObserver
  extends
    RequestObserver,
    HttpObserver,
    TransportObserver,
    ReadBackObserver,
    IdempotencyObserver,
    Omit<StoreObserver, 'onWait'>,
    TraceExportObserver {}

type EventName = keyof GatewayObserver;
type EventOf<Name extends EventName> = Parameters<GatewayObserver[Name]>[0];

/** What the log and the metrics make of an event; nothing, if the entry is empty. */
interface EventEntry<Event> {
  /** The line in the log, which has the event's fields. */
  line?: LogLine | ((event: Event) => LogLine);
  counter?: EventCounter<Event>;
  gauge?: EventGauge<Event>;
}

interface LogLine {
  level: 'debug' | 'error' | 'info' | 'warn';
  message: string;
}

export interface EventCounter<Event> {
  name: string;
  help: string;
  /** Every set of labels that can occur. */
  series: (service: MeteredService) => readonly Labels[];
  /** Without a spread: prom-client takes 3 µs instead of 0.5 µs for such an object. */
  labels: (event: Event) => Labels;
}

/** What the last event says, 0 before the first. Without initial series it is reported from its first event on. */
export interface EventGauge<Event> extends EventCounter<Event> {
  value: (event: Event) => number;
}

type Labels = Readonly<Record<string, string>>;

export interface MeteredService {
  /** Origins of the service: their circuits are reported as closed from the start. */
  origins: readonly string[];
  restOperations: readonly (OperationLabels & { baseUrl: URL })[];
  /** Names of the clients that the gateway knows from the start; undefined if it knows none. */
  clients?: readonly string[] | undefined;
  /** The mutation fields, and what is read back after each; undefined where nothing can be read. */
  mutations: Readonly<Record<string, ReadBackKind | undefined>>;
}

export const events: { readonly [Name in EventName]: EventEntry<EventOf<Name>> } = {
  // requestLog.ts and counters.ts have functions for these three: several metrics observe each, and their lines depend on more than the
  // event has.
  onRequestEnd: {},
  onRestCallEnd: {},
  onWait: {},
  // No line, because the line of the request has the worst outcome.
  onWriteEnd: {
    counter: {
      name: 'shipment_gateway_graphql_mutation_fields_total',
      help: 'Mutation fields that were executed, by outcome; without those that an earlier attempt with their key prevented',
      series: ({ mutations }) =>
        Object.keys(mutations).flatMap((field) => writeOutcomes.map((outcome) => ({ field, outcome }))),
      labels: ({ field, outcome }) => ({ field, outcome }),
    },
  },
  onRestCallDeduplicated: {
    line: { level: 'debug', message: 'REST call deduplicated' },
    counter: {
      name: 'shipment_gateway_rest_calls_deduplicated_total',
      help: 'REST calls that joined an identical call in flight instead of being sent',
      series: ({ restOperations }) =>
        restOperations.filter(({ method }) => method === 'GET').map(restOperationLabels),
      labels: restOperationLabels,
    },
  },
  onCallShed: {
    line: { level: 'debug', message: 'REST call rejected' },
    counter: {
      name: 'shipment_gateway_rest_calls_rejected_total',
      help: 'REST calls not sent: circuit open, queue full or deadline passed',
      series: ({ restOperations }) => restOperations.map(methodLabel),
      labels: methodLabel,
    },
  },
  onCallCancelled: {
    line: { level: 'info', message: 'Client disconnected before the response' },
    counter: {
      name: 'shipment_gateway_rest_calls_cancelled_total',
      help: 'REST calls whose client disconnected, by outcome: aborted, or detached to run to completion',
      series: () => labelsOf('outcome', cancellationOutcomes),
      labels: ({ outcome }) => ({ outcome }),
    },
  },
  // No metric: `shipment_gateway_rest_calls_failed_total` counts these attempts. Written at most once a minute for each origin.
  onConnectionFailure: {
    line: { level: 'warn', message: 'Connection to the service failed' },
  },
  onContractViolation: {
    line: { level: 'warn', message: 'Upstream response violates the contract' },
    counter: {
      name: 'shipment_gateway_rest_contract_violations_total',
      help: 'Responses of the service that violate the contract',
      series: ({ restOperations }) => restOperations.map(methodLabel),
      labels: methodLabel,
    },
  },
  // No metric: nothing fails. Written at most once a minute for each operation.
  onContractDeviation: {
    line: { level: 'warn', message: 'Upstream response deviates from the contract' },
  },
  onCircuitChange: {
    line: ({ state }) =>
      state === 'open'
        ? { level: 'error', message: 'Circuit breaker opened' }
        : { level: 'info', message: 'Circuit breaker closed' },
    gauge: {
      name: 'shipment_gateway_rest_circuit_open',
      help: '1 while the circuit breaker of a service origin is open, 0 otherwise',
      series: ({ origins }) => origins.map((origin) => serverLabels(new URL(origin))),
      labels: ({ origin }) => serverLabels(new URL(origin)),
      value: ({ state }) => Number(state === 'open'),
    },
  },
  onReadBack: {
    line: { level: 'info', message: 'Read back a write of unknown outcome' },
    counter: {
      name: 'shipment_gateway_read_backs_total',
      help: 'Reads after writes of unknown outcome, by mutation field and by what they found',
      series: ({ mutations }) =>
        Object.entries(mutations).flatMap(([field, kind]) =>
          kind === undefined ? [] : readBackResults[kind].map((result) => ({ field, result })),
        ),
      labels: ({ field, result }) => ({ field, result }),
    },
  },
  onKeyedMutation: {
    line: { level: 'debug', message: 'Mutation with an idempotency key' },
    counter: {
      name: 'shipment_gateway_idempotent_mutations_total',
      help: 'Mutation fields with an idempotency key, by result',
      series: ({ mutations }) =>
        Object.keys(mutations).flatMap((field) => keyedMutationResults.map((result) => ({ field, result }))),
      labels: ({ field, result }) => ({ field, result }),
    },
  },
  onRecordLost: {
    line: { level: 'warn', message: 'Outcome not recorded for an idempotency key' },
    counter: {
      name: 'shipment_gateway_idempotency_records_lost_total',
      help: 'Outcomes that could not be recorded for an idempotency key',
      series: ({ mutations }) => labelsOf('field', Object.keys(mutations)),
      labels: ({ field }) => ({ field }),
    },
  },
  // No line: the connection to Redis logs it, with the reason. No series: without Redis there is nothing to report.
  onStoreAvailable: {
    gauge: {
      name: 'shipment_gateway_idempotency_store_available',
      help: '1 while Redis accepts idempotency keys, 0 while they are rejected because it does not',
      series: () => [],
      labels: () => ({}),
      value: ({ isAvailable }) => Number(isAvailable),
    },
  },
  // No line: an outage begins with the first one.
  onAcknowledgementMissing: {
    counter: {
      name: 'shipment_gateway_idempotency_acknowledgements_missing_total',
      help: 'Claims and outcomes that fewer replicas than REDIS_REPLICAS acknowledged in time',
      series: () => [{}],
      labels: () => ({}),
    },
  },
  onRequestRejected: {
    line: { level: 'debug', message: 'Request rejected' },
    counter: {
      name: 'shipment_gateway_http_server_requests_rejected_total',
      help: 'Requests rejected by load shedding and the rate limit, by reason',
      series: () => labelsOf('reason', rejectionReasons),
      labels: ({ reason }) => ({ reason }),
    },
  },
  // No line: the connection to Redis logs it, with the reason. No series: without a shared limit there is nothing to report.
  onRateLimitSharing: {
    gauge: {
      name: 'shipment_gateway_rate_limit_shared',
      help: '1 while processes share the rate limit, 0 while each counts alone because Redis is unavailable',
      series: () => [],
      labels: () => ({}),
      value: ({ isShared }) => Number(isShared),
    },
  },
  // No line: a collector that is down would fill the log.
  onTraceExportFailed: {
    counter: {
      name: 'shipment_gateway_trace_export_failures_total',
      help: 'Exports of spans that failed',
      series: () => [{}],
      labels: () => ({}),
    },
  },
  onTraceCollectorUnavailable: {
    line: { level: 'warn', message: 'Trace collector unavailable: spans are lost' },
  },
  onTraceCollectorAvailable: {
    line: { level: 'info', message: 'Trace collector available: spans are exported' },
  },
};

/** A handler for each event, made from its name. */
export function observerOf(
  handlerOf: <Name extends EventName>(name: Name) => Handlers[Name],
): GatewayObserver {
  const names = Object.keys(events) as EventName[];
  return Object.fromEntries(names.map((name) => [name, handlerOf(name)])) as Handlers;
}

type Handlers = { [Name in EventName]: (event: EventOf<Name>) => void };

/** Forwards every event to each of the observers. */
export function combineObservers(observers: readonly Handlers[]): GatewayObserver {
  return observerOf((name) => (event) => {
    for (const observer of observers) observer[name](event);
  });
}

/** A set of labels for each value of a label. */
export function labelsOf<Label extends string>(label: Label, values: readonly string[]) {
  return values.map((value) => ({ [label]: value }) as Record<Label, string>);
}

export function restOperationLabels({ method, route }: OperationLabels) {
  return { http_request_method: method, url_template: route };
}

export function serverLabels(baseUrl: URL) {
  const { address, port } = serverOf(baseUrl);
  return { server_address: address, server_port: String(port) };
}

function methodLabel({ method }: Pick<OperationLabels, 'method'>): Labels {
  return { http_request_method: method };
}
