/** Prometheus metrics, named after OpenTelemetry's semantic conventions where they exist. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { ErrorCode } from '../errorCodes.js';
import { keyedMutationResults } from '../service/idempotency/events.js';
import { readBackResults } from '../service/readBack.js';
import { mutationFields } from '../service/write.js';
import type { GatewayObserver } from './events.js';

/** Buckets in seconds that OpenTelemetry recommends for `http.server.request.duration`. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const codes = new Set<string>([...Object.values(ErrorCode), ...Object.values(ApolloServerErrorCode)]);
const methods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/** Label for values outside the known set; keeps cardinality bounded. */
const OTHER = '_OTHER';

export interface Metrics {
  registry: Registry;
  observer: GatewayObserver;
}

export interface MetricsOptions {
  /** Origins of the service: their circuits are reported as closed from the start. */
  origins: readonly string[];
  /** Bytes of the memory budget in use. */
  bytesInFlight: () => number;
}

export function createMetrics({ origins, bytesInFlight }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests, health checks excepted; no status code if the client disconnected',
    labelNames: ['http_request_method', 'http_response_status_code', 'graphql_operation_type'],
    buckets,
    registers,
  });
  const restCalls = new Histogram({
    name: 'http_client_request_duration_seconds',
    help: 'Duration of REST calls, one observation per attempt',
    labelNames: ['http_request_method', 'url_template', 'http_response_status_code', 'error_type'],
    buckets,
    registers,
  });
  const errors = new Counter({
    name: 'graphql_errors_total',
    help: 'GraphQL errors in responses, by error code',
    labelNames: ['code'],
    registers,
  });
  const retries = new Counter({
    name: 'rest_calls_retried_total',
    help: 'Retries of REST calls',
    labelNames: ['http_request_method', 'url_template'],
    registers,
  });
  const deduplicated = new Counter({
    name: 'rest_calls_deduplicated_total',
    help: 'REST calls that joined an identical call in flight instead of being sent',
    labelNames: ['http_request_method', 'url_template'],
    registers,
  });
  const cancelled = new Counter({
    name: 'rest_calls_cancelled_total',
    help: 'REST calls whose client disconnected, by outcome: aborted, or detached to run to completion',
    labelNames: ['outcome'],
    registers,
  });
  const rejectedCalls = new Counter({
    name: 'rest_calls_rejected_total',
    help: 'REST calls rejected because the circuit was open or the queue was full',
    labelNames: ['http_request_method'],
    registers,
  });
  const rejectedRequests = new Counter({
    name: 'http_server_requests_rejected_total',
    help: 'Requests rejected or cut off by load shedding, rate limits and timeouts, by reason',
    labelNames: ['reason'],
    registers,
  });
  const contractViolations = new Counter({
    name: 'rest_contract_violations_total',
    help: 'Responses of the service that violate the contract',
    labelNames: ['http_request_method'],
    registers,
  });
  const keyedMutations = new Counter({
    name: 'idempotent_mutations_total',
    help: 'Mutation fields with an idempotency key, by result',
    labelNames: ['field', 'result'],
    registers,
  });
  const lostRecords = new Counter({
    name: 'idempotency_records_lost_total',
    help: 'Outcomes that could not be recorded for an idempotency key',
    labelNames: ['field'],
    registers,
  });
  for (const field of mutationFields) {
    lostRecords.inc({ field }, 0);
    for (const result of keyedMutationResults) keyedMutations.inc({ field, result }, 0);
  }
  const readBacks = new Counter({
    name: 'read_backs_total',
    help: 'Reads after writes of unknown outcome, by mutation field and by what they found',
    labelNames: ['field', 'result'],
    registers,
  });
  const circuits = new Gauge({
    name: 'rest_circuit_open',
    help: '1 while the circuit breaker of a service origin is open, 0 otherwise',
    labelNames: ['server_address'],
    aggregator: 'max',
    registers,
  });
  const memory = new Gauge({
    name: 'gateway_bytes_in_flight',
    help: 'Bytes of large response bodies and results in memory, which MAX_BYTES_IN_FLIGHT limits',
    collect: () => {
      memory.set(bytesInFlight());
    },
    registers,
  });
  for (const origin of origins) circuits.set({ server_address: origin }, 0);
  for (const [field, results] of Object.entries(readBackResults))
    for (const result of results) readBacks.inc({ field, result }, 0);

  return {
    registry,
    observer: {
      onRequestEnd({ method, status, operationType = '', durationMs, errorCodes }) {
        requests.observe(
          {
            http_request_method: methods.has(method) ? method : OTHER,
            http_response_status_code: status === undefined ? '' : String(status),
            graphql_operation_type: operationType,
          },
          durationMs / 1000,
        );
        if (status === undefined) return; // the client received no errors
        for (const code of errorCodes) errors.inc({ code: codes.has(code) ? code : OTHER });
      },
      onRestCallEnd({ method, route, attempt }, { status, error = '', durationMs }) {
        restCalls.observe(
          {
            http_request_method: method,
            url_template: route,
            http_response_status_code: status === undefined ? '' : String(status),
            error_type: error,
          },
          durationMs / 1000,
        );
        if (attempt > 1) retries.inc({ http_request_method: method, url_template: route });
      },
      onRestCallDeduplicated({ method, route }) {
        deduplicated.inc({ http_request_method: method, url_template: route });
      },
      onRequestRejected(reason) {
        rejectedRequests.inc({ reason });
      },
      onRequestNotRateLimited: () => undefined,
      onRateLimitAvailability: () => undefined,
      onCallCancelled({ outcome }) {
        cancelled.inc({ outcome });
      },
      onCallRejected({ method }) {
        rejectedCalls.inc({ http_request_method: method });
      },
      onContractViolation({ method }) {
        contractViolations.inc({ http_request_method: method });
      },
      onCircuitChange({ origin, state }) {
        circuits.set({ server_address: origin }, state === 'open' ? 1 : 0);
      },
      onKeyedMutation({ field, result }) {
        keyedMutations.inc({ field, result });
      },
      onRecordLost({ field }) {
        lostRecords.inc({ field });
      },
      onClientCircuitChange: () => undefined, // a label per client would be unbounded
      onReadBack({ field, result }) {
        readBacks.inc({ field, result });
      },
    },
  };
}
