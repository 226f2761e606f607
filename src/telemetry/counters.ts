/**
 * Counters and histograms. Every closed set of labels starts at 0: a series that appears with its first event hides that event
 * from rate() and increase(), and with it a burst between two scrapes.
 */
import { Counter, Histogram, type Registry } from 'prom-client';
import { ErrorCode } from '../errors.js';
import type { OperationLabels } from '../freight/operations.js';
import { keyedMutationResults } from '../freight/idempotency/events.js';
import { readBackResults } from '../freight/readBack.js';
import { attemptErrors, cancellationOutcomes } from '../transport/events.js';
import { mutationFields } from '../freight/write.js';
import { mutationOutcomes, rejectionReasons } from './events.js';
import { requestResults } from './requestResult.js';

/** Buckets in seconds that OpenTelemetry recommends for `http.server.request.duration`. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Label for values outside a closed set; keeps cardinality bounded. */
export const OTHER = '_OTHER';

export function createCounters(registry: Registry, endpoints: readonly OperationLabels[]) {
  const { counter, histogram } = createFactory(registry);
  const byEndpoint = endpoints.map(endpointLabels);
  const byReadEndpoint = endpoints.filter(({ method }) => method === 'GET').map(endpointLabels);
  const byMethod = valuesOf(
    'http_request_method',
    endpoints.map(({ method }) => method),
  );
  const byField = valuesOf('field', mutationFields);
  return {
    requests: histogram(
      'http_server_request_duration_seconds',
      'Duration of requests, health checks excepted; no status code if the client disconnected',
      ['http_request_method', 'http_response_status_code', 'graphql_operation_type'],
      successfulOperations,
    ),
    restCalls: histogram(
      'http_client_request_duration_seconds',
      'Duration of REST calls, one observation per attempt',
      ['http_request_method', 'url_template', 'http_response_status_code', 'error_type'],
      byEndpoint.map((labels) => ({ ...labels, http_response_status_code: '200', error_type: '' })),
    ),
    results: counter(
      'graphql_requests_total',
      'Requests to the GraphQL endpoint, by the worst error in their response',
      valuesOf('result', requestResults),
    ),
    mutations: counter(
      'graphql_mutations_total',
      'Mutation operations, by the worst outcome of their fields',
      valuesOf('outcome', mutationOutcomes),
    ),
    errors: counter(
      'graphql_errors_total',
      'GraphQL errors in responses, by error code',
      valuesOf('code', [...Object.values(ErrorCode), OTHER]),
    ),
    rejectedRequests: counter(
      'http_server_requests_rejected_total',
      'Requests rejected or cut off by load shedding, rate limits and timeouts, by reason',
      valuesOf('reason', rejectionReasons),
    ),
    notRateLimited: counter(
      'http_server_requests_not_rate_limited_total',
      'Requests that passed without a count because the Redis of the rate limit was unavailable',
      [{}],
    ),
    failedExports: counter('trace_export_failures_total', 'Exports of spans that failed', [{}]),
    failed: counter(
      'rest_calls_failed_total',
      'Attempts of REST calls that failed, by error',
      byEndpoint.flatMap((labels) =>
        valuesOf('error_type', [...attemptErrors, OTHER]).map((error) => ({ ...labels, ...error })),
      ),
    ),
    retried: counter('rest_calls_retried_total', 'Retries of REST calls', byEndpoint),
    deduplicated: counter(
      'rest_calls_deduplicated_total',
      'REST calls that joined an identical call in flight instead of being sent',
      byReadEndpoint,
    ),
    cancelled: counter(
      'rest_calls_cancelled_total',
      'REST calls whose client disconnected, by outcome: aborted, or detached to run to completion',
      valuesOf('outcome', cancellationOutcomes),
    ),
    rejectedCalls: counter(
      'rest_calls_rejected_total',
      'REST calls not sent: circuit open, queue full, deadline passed or no memory left',
      byMethod,
    ),
    contractViolations: counter(
      'rest_contract_violations_total',
      'Responses of the service that violate the contract',
      byMethod,
    ),
    keyedMutations: counter(
      'idempotent_mutations_total',
      'Mutation fields with an idempotency key, by result',
      byField.flatMap((field) =>
        valuesOf('result', keyedMutationResults).map((result) => ({ ...field, ...result })),
      ),
    ),
    lostRecords: counter(
      'idempotency_records_lost_total',
      'Outcomes that could not be recorded for an idempotency key',
      byField,
    ),
    readBacks: counter(
      'read_backs_total',
      'Reads after writes of unknown outcome, by mutation field and by what they found',
      Object.entries(readBackResults).flatMap(([field, results]) =>
        valuesOf('result', results).map((result) => ({ field, ...result })),
      ),
    ),
  };
}

/** Statuses are not a closed set; those of errors are counted by code and result, too. */
const successfulOperations = [
  { method: 'GET', type: 'query' },
  { method: 'POST', type: 'query' },
  { method: 'POST', type: 'mutation' },
].map(({ method, type }) => ({
  http_request_method: method,
  http_response_status_code: '200',
  graphql_operation_type: type,
}));

function createFactory(registry: Registry) {
  const registers = [registry];
  /** `zeros` are all sets of labels; each starts at 0. */
  const counter = <Label extends string>(
    name: string,
    help: string,
    zeros: readonly Record<Label, string>[],
  ) => {
    const labelNames = Object.keys(zeros[0] ?? {}) as Label[];
    const created = new Counter({ name, help, labelNames, registers });
    for (const labels of zeros) created.inc(labels, 0);
    return created;
  };
  /** The given sets of labels start at 0. */
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    zeros: readonly Record<Label, string>[],
  ) => {
    const created = new Histogram({ name, help, labelNames, buckets, registers });
    for (const labels of zeros) created.zero(labels);
    return created;
  };
  return { counter, histogram };
}

function endpointLabels({ method, route }: OperationLabels) {
  return { http_request_method: method, url_template: route };
}

/** A set of labels for each value. */
function valuesOf<Label extends string, Value extends string>(label: Label, values: readonly Value[]) {
  return values.map((value) => ({ [label]: value }) as Record<Label, Value>);
}
