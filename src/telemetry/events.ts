/**
 * The gateway's events in one table: what each carries, its line in the log, and what is counted or measured of it. From it derive the
 * telemetry object, which has a method for each, and the lines (telemetry.ts), and the metrics (metrics.ts).
 */
import { STATUS_CODES } from 'node:http';
import { ErrorCode, WriteOutcome } from '../errors.js';
import { failures, type FailureName } from '../failures.js';
import {
  type AttemptEnd,
  type Labels,
  levelOf,
  type MeteredOperation,
  type MeteredService,
  type ReadBackKind,
  readBackResults,
  type RequestEnd,
  type RequestIds,
  requestResults,
  resultOf,
  serverLabels,
} from './requestSummary.js';

export type Telemetry = { [Name in keyof typeof events]: ReporterOf<(typeof events)[Name]> };
type ReporterOf<Entry> = Entry extends EventEntry<infer Payload> ? (event: Payload) => void : never;

export interface EventEntry<Payload> {
  line?: LogLine<Payload>;
  metrics?: Metric<Payload> | readonly Metric<Payload>[];
}

export interface LogLine<Payload> {
  level: Level | ((event: Payload) => Level);
  message: string | ((event: Payload) => string);
  /** Read only if the line is written. @default the members of the event */
  fields?: (event: Payload) => object;
  /** Lines about the same subject are written at most once a minute, for what an outage repeats. @default all are */
  limitedBy?: (event: Payload) => string | undefined;
}
type Level = 'debug' | 'error' | 'info' | 'warn';

/** A histogram if it measures seconds, and otherwise a counter. */
export interface Metric<Payload> {
  name: string;
  help: string;
  /** Labels certain to occur, which start at 0: rate() and increase() miss the first event of a new series. @default one without labels */
  series?: (service: MeteredService) => readonly Labels[];
  /** The labels of an event; several or none if a counter counts it as often. @default its members of the same names */
  labels?: (event: Payload) => Labels | readonly Labels[];
  seconds?: (event: Payload) => number;
  /** Bucket bounds of a histogram, in seconds. @default those that OpenTelemetry recommends for HTTP */
  buckets?: number[];
}

/** Identifies a REST call in a log line. */
type CallEvent = RequestIds & Pick<MeteredOperation, 'method'>;
type RoutedCallEvent = CallEvent & { route: string };
type ContractEvent = RoutedCallEvent & {
  origin: string;
  /** Names places and expectations, but no values apart from the media type. */
  problem: string;
};

/** Why the gateway rejects requests in order to protect itself, by the failure that their clients get. */
export const rejectionReasons: Partial<Record<FailureName, string>> = {
  eventLoopDelayed: 'event_loop_delay',
  tooManyInFlight: 'in_flight_requests',
  tooManyRequests: 'rate_limit',
};

const writeOutcomes = Object.values(WriteOutcome);

/** Results of a mutation with a key: the outcome of the write that was sent, or why none was. */
const keyedMutationResults = [
  ...['replayed', 'rate_limited', 'not_enabled'],
  ...writeOutcomes.map(keyedResultOf),
  ...Object.values(ErrorCode).flatMap((code) => (code.startsWith('IDEMPOTENCY_') ? keyedResultOf(code) : [])),
];

export type ReadBackResult = (typeof readBackResults)[ReadBackKind][number];

/** The label of an outcome, or of the code of a failure because of which no write was sent. */
export function keyedResultOf(word: ErrorCode | WriteOutcome): string {
  return word.replace('IDEMPOTENCY_', '').toLowerCase();
}

/** Names of failed attempts; `Error` is a bug in the gateway. */
const attemptErrorTypes = [
  ...new Set(['Error', ...Object.values(failures).flatMap(({ errorType }) => errorType ?? [])]),
];

/** Labels of a counter of calls, whose series are known at startup. */
const perRestOperation = {
  series: ({ restOperations }: MeteredService) => restOperations.map(restOperationLabels),
  labels: restOperationLabels,
};

export const events = {
  requestEnded: event<RequestEnd>({
    line: {
      level: levelOf,
      message: 'Request',
      // A router may get thousands of errors: then each code once.
      fields: ({ summary }) =>
        summary.errorCodes.length <= 100
          ? summary
          : { ...summary, errorCodes: [...new Set(summary.errorCodes)] },
    },
    metrics: [
      {
        name: 'http_server_request_duration_seconds',
        help: 'Duration of requests, health checks excepted; no status code if the client disconnected',
        // Statuses are not a closed set; errors are counted by code and result, too.
        series: () =>
          labelSets({
            http_request_method: ['GET', 'POST'],
            url_scheme: ['http', 'https'],
            http_response_status_code: ['200'],
            error_type: [''],
            graphql_operation_type: ['mutation', 'query'],
          }),
        labels: requestLabels,
        seconds: ({ summary }) => summary.durationMs / 1000,
      },
      {
        name: 'shipment_gateway_graphql_requests_total',
        help: 'Requests to the GraphQL endpoint, by the worst error in their response',
        series: () => labelSets({ result: requestResults }),
        labels: (end) => (end.isGraphQL ? { result: resultOf(end) } : []),
      },
      {
        name: 'shipment_gateway_graphql_errors_total',
        help: 'GraphQL errors in responses, by error code',
        series: () => labelSets({ code: Object.values(ErrorCode) }),
        labels: ({ summary: { status, errorCodes } }) =>
          status === undefined ? [] : errorCodes.map((code) => ({ code })), // else the client received none
      },
    ],
  }),
  writeEnded: event<{ field: string; outcome: WriteOutcome }>({
    // No line, because the line of the request has the worst outcome.
    metrics: {
      name: 'shipment_gateway_graphql_mutation_fields_total',
      help: 'Mutation fields, by outcome; without those not executed because of an earlier attempt with the same key',
      series: ({ mutations }) => labelSets({ field: Object.keys(mutations), outcome: writeOutcomes }),
    },
  }),
  restCallEnded: event<{ ids: RequestIds; call: MeteredOperation; attempt: number; end: AttemptEnd }>({
    line: {
      level: 'debug',
      message: 'REST call',
      fields: ({ ids, call: { method, baseUrl, route }, attempt, end }) =>
        Object.assign({ ...ids, method, origin: baseUrl.origin, route, attempt }, end),
    },
    metrics: [
      {
        name: 'http_client_request_duration_seconds',
        help: 'Duration of REST calls, one observation per attempt',
        series: ({ restOperations }) =>
          restOperations.map((call) => attemptLabels({ call, end: { status: 200, durationMs: 0 } })),
        labels: attemptLabels,
        seconds: ({ end }) => end.durationMs / 1000,
      },
      {
        name: 'shipment_gateway_rest_calls_retried_total',
        help: 'Retries of REST calls',
        ...perRestOperation,
        labels: ({ call, attempt }) => (attempt > 1 ? restOperationLabels(call) : []),
      },
      {
        name: 'shipment_gateway_rest_calls_failed_total',
        help: 'Failed attempts of REST calls, by error',
        series: ({ restOperations }) =>
          restOperations.flatMap((call) =>
            attemptErrorTypes.map((failure) => ({ ...restOperationLabels(call), failure })),
          ),
        labels: ({ call, end: { error } }) =>
          error === undefined ? [] : { ...restOperationLabels(call), failure: error },
      },
    ],
  }),
  restCallDeduplicated: event<RoutedCallEvent>({
    line: { level: 'debug', message: 'REST call deduplicated' },
    metrics: {
      name: 'shipment_gateway_rest_calls_deduplicated_total',
      help: 'REST calls that joined an identical call in flight instead of being sent',
      series: ({ restOperations }) =>
        restOperations.filter(({ method }) => method === 'GET').map(restOperationLabels),
      labels: restOperationLabels,
    },
  }),
  restCallShed: event<RoutedCallEvent>({
    line: { level: 'debug', message: 'REST call shed' },
    metrics: {
      name: 'shipment_gateway_rest_calls_shed_total',
      help: 'REST calls not sent: circuit open, queue full or deadline passed',
      ...perRestOperation,
    },
  }),
  restCallCancelled: event<CallEvent & { result: 'aborted' | 'detached' }>({
    line: {
      level: 'info',
      message: 'Client disconnected before the response',
      // A client may disconnect during a hundred calls: those of a request that end alike have one line.
      limitedBy: ({ requestId, method, result }) => `${requestId} ${method} ${result}`,
    },
    metrics: {
      name: 'shipment_gateway_rest_calls_cancelled_total',
      help: 'REST calls whose client disconnected, by result: aborted, or detached to run to completion',
      series: () => labelSets({ result: ['aborted', 'detached'] }),
    },
  }),
  /** No connection opened, or one was lost to an origin that has never responded: SERVICE_URL may be wrong. */
  connectionFailed: event<
    CallEvent & { origin: string; proxy?: string | undefined; reason: string | undefined }
  >({
    // No metric: `shipment_gateway_rest_calls_failed_total` counts these attempts.
    line: {
      level: 'warn',
      message: 'Connection to the service failed',
      limitedBy: ({ origin }) => origin,
    },
  }),
  contractViolated: event<ContractEvent>({
    line: { level: 'warn', message: 'Upstream response violates the contract' },
    metrics: {
      name: 'shipment_gateway_rest_contract_violations_total',
      help: 'Responses of the service that violate the contract',
      ...perRestOperation,
    },
  }),
  contractDeviated: event<ContractEvent>({
    line: {
      level: 'warn',
      message: 'Upstream response deviates from the contract',
      limitedBy: ({ method, origin, route }) => `${method} ${origin}${route}`,
    },
  }),
  circuitOpened: event<{ origin: string; failure: string; reason: string | undefined }>({
    line: { level: 'error', message: 'Circuit breaker opened' },
  }),
  circuitClosed: event<{ origin: string }>({ line: { level: 'info', message: 'Circuit breaker closed' } }),
  writeReadBack: event<RequestIds & { field: string; result: ReadBackResult }>({
    line: { level: 'info', message: 'Read back a write of unknown outcome' },
    metrics: {
      name: 'shipment_gateway_read_backs_total',
      help: 'Reads after writes of unknown outcome, by mutation field and by what they found',
      series: ({ mutations }) =>
        Object.entries(mutations).flatMap(([field, kind]) =>
          labelSets({ field: [field], result: kind ? readBackResults[kind] : [] }),
        ),
    },
  }),
  keyedMutationEnded: event<RequestIds & { field: string; result: string }>({
    line: { level: 'debug', message: 'Mutation with an idempotency key' },
    metrics: {
      name: 'shipment_gateway_idempotent_mutations_total',
      help: 'Mutation fields with an idempotency key, by result',
      series: ({ mutations }) => labelSets({ field: Object.keys(mutations), result: keyedMutationResults }),
    },
  }),
  /** The outcome of a write could not be recorded within its lease: its record becomes UNKNOWN, or is gone. */
  recordLost: event<RequestIds & { field: string; reason: string }>({
    line: { level: 'warn', message: 'Outcome not recorded for an idempotency key' },
    metrics: {
      name: 'shipment_gateway_idempotency_records_lost_total',
      help: 'Outcomes that could not be recorded for an idempotency key',
      series: ({ mutations }) => labelSets({ field: Object.keys(mutations) }),
    },
  }),
  acknowledgementMissing: event<{ reason: string }>({
    // No line: an outage begins with the first one.
    metrics: {
      name: 'shipment_gateway_idempotency_acknowledgements_missing_total',
      help: 'Claims and outcomes that fewer replicas than REDIS_REPLICAS acknowledged in time',
    },
  }),
  /** A connection has no IDs but an address. */
  requestRejected: event<(RequestIds | { address: string }) & { reason: string }>({
    line: {
      // Rejected connections send no request to log.
      level: ({ reason }) => (reason === 'connections' ? 'warn' : 'debug'),
      message: ({ reason }) =>
        reason === 'connections' ? 'Connections rejected: 10,000 are open' : 'Request rejected',
      limitedBy: ({ reason }) => (reason === 'connections' ? reason : undefined),
    },
    metrics: {
      name: 'shipment_gateway_http_server_requests_rejected_total',
      help: 'Requests rejected by load shedding and the rate limit, by reason',
      series: () => labelSets({ reason: ['connections', ...Object.values(rejectionReasons)] }),
    },
  }),
  waited: event<{ resource: 'connection' | 'idempotency_store' | 'rate_limit'; durationMs: number }>({
    metrics: {
      name: 'shipment_gateway_wait_duration_seconds',
      help: 'Time that REST calls wait for a free connection to the service, and Redis commands for their replies',
      series: () => labelSets({ resource: ['connection', 'idempotency_store', 'rate_limit'] }),
      seconds: ({ durationMs }) => durationMs / 1000,
      // Redis replies within a millisecond, a connection may take as long as a call.
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    },
  }),
  traceExportFailed: event<object>({
    // No line: openTelemetry.ts logs it in the SDK's words.
    metrics: {
      name: 'shipment_gateway_trace_export_failures_total',
      help: 'Exports of spans that failed',
    },
  }),
};

function event<Payload>(entry: EventEntry<Payload>): EventEntry<Payload> {
  return entry;
}

// Labels are named after OpenTelemetry's semantic conventions where they exist. Their number is bounded, whatever clients and servers send.
// Those of every request are made without a spread: prom-client takes 3 µs instead of 0.5 µs for such an object.

/** A set of labels for each combination of their values. */
function labelSets(values: Readonly<Record<string, readonly string[]>>): Labels[] {
  return Object.entries(values).reduce<Labels[]>(
    (sets, [label, each]) => sets.flatMap((set) => each.map((value) => ({ ...set, [label]: value }))),
    [{}],
  );
}

function restOperationLabels({ method, route }: Omit<MeteredOperation, 'baseUrl'>) {
  return { http_request_method: method, url_template: route };
}

/** Node.js parses a closed list of methods, and the gateway has a closed list of statuses. */
function requestLabels({ summary, scheme, errorType = '' }: RequestEnd): Labels {
  const { method, status = '', operationType = '', items } = summary;
  return {
    http_request_method: method,
    url_scheme: scheme,
    http_response_status_code: String(status),
    error_type: errorType,
    // They take as long as many writes, which says nothing about latency.
    graphql_operation_type: items ? 'bulk_mutation' : operationType,
  };
}

function attemptLabels({ call, end }: { call: MeteredOperation; end: AttemptEnd }): Labels {
  const { status = 0, error = '' } = end;
  const { server_address, server_port } = serverLabels(call.baseUrl);
  // A service may send any status from 100 to 999.
  const statusLabel = status in STATUS_CODES ? String(status) : '_OTHER';
  return {
    http_request_method: call.method,
    url_template: call.route,
    server_address,
    server_port,
    http_response_status_code: status === 0 ? '' : statusLabel,
    error_type: status >= 400 ? statusLabel : error,
  };
}
