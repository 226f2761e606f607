/** Metrics in the format of Prometheus, under the names of OpenTelemetry's conventions where there are any. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ApolloServerErrorCode } from '@apollo/server/errors';
import { ErrorCode } from '../errorCodes.js';
import type { GatewayObserver } from './events.js';

/** Advised for durations of HTTP in seconds (OpenTelemetry semantic conventions, http.server.request.duration). */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const codes = new Set<string>([...Object.values(ErrorCode), ...Object.values(ApolloServerErrorCode)]);
const methods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/** What another one of an open set is counted as, so that callers cannot make up time series. */
const OTHER = '_OTHER';

export interface Metrics {
  registry: Registry;
  observer: GatewayObserver;
}

/** `origins`: those of the service, whose circuits are closed in the beginning. */
export function createMetrics(origins: readonly string[]): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests to the GraphQL endpoint; those that callers left have no status code',
    labelNames: ['http_request_method', 'http_response_status_code', 'graphql_operation_type'],
    buckets,
    registers,
  });
  const restCalls = new Histogram({
    name: 'http_client_request_duration_seconds',
    help: 'Duration of single tries of REST calls',
    labelNames: ['http_request_method', 'url_template', 'http_response_status_code', 'error_type'],
    buckets,
    registers,
  });
  const errors = new Counter({
    name: 'graphql_errors_total',
    help: 'Errors in answers, by their code',
    labelNames: ['code'],
    registers,
  });
  const retries = new Counter({
    name: 'rest_calls_retried_total',
    help: 'Tries of REST calls after the first',
    labelNames: ['http_request_method', 'url_template'],
    registers,
  });
  const deduplicated = new Counter({
    name: 'rest_calls_deduplicated_total',
    help: 'REST calls that were not sent, as another one in flight was for the same',
    labelNames: ['http_request_method', 'url_template'],
    registers,
  });
  const cancelled = new Counter({
    name: 'rest_calls_cancelled_total',
    help: 'REST calls whose caller left: given up, or detached',
    labelNames: ['outcome'],
    registers,
  });
  const rejectedCalls = new Counter({
    name: 'rest_calls_rejected_total',
    help: 'REST calls that were not sent, as there was too much to do, or the circuit was open',
    labelNames: ['http_request_method'],
    registers,
  });
  const rejectedRequests = new Counter({
    name: 'http_server_requests_rejected_total',
    help: 'Requests that were not taken, by the reason',
    labelNames: ['reason'],
    registers,
  });
  const contractViolations = new Counter({
    name: 'rest_contract_violations_total',
    help: 'Answers of the service that break its contract',
    labelNames: ['http_request_method'],
    registers,
  });
  const circuits = new Gauge({
    name: 'rest_circuit_open',
    help: '1 while calls to an origin of the service fail at once, 0 otherwise',
    labelNames: ['server_address'],
    aggregator: 'max',
    registers,
  });
  for (const origin of origins) circuits.set({ server_address: origin }, 0);

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
        if (status === undefined) return; // there was no answer to hold errors
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
    },
  };
}
