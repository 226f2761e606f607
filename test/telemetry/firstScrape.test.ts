/** Every closed set of labels is complete, and 0, before the first request: no burst between two scrapes can hide. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ErrorCode, WriteOutcome } from '../../src/errors.js';
import { operations } from '../../src/freight/operations.js';
import { failures, type Failure, type FailureName } from '../../src/failures.js';
import { requestResults } from '../../src/telemetry/requestSummary.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { asVariables, fieldNames, isMutation, validArguments } from '../support/graphql/rootFields.js';
import { scrape, seriesOf } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';

/** The failures of calls before their first attempt or after their last one. A new failure of calls must be here or have a label. */
// oxfmt-ignore
const NOT_OF_ATTEMPTS: FailureName[] = [
  'bulkTimedOut', 'circuitOpen', 'clientUnknown', 'clientUnverified', 'dryRun', 'keyExpired', 'keyInProgress', 'keyNotRecorded', 'keyOutcomeUnknown', 'keyReused',
  'keysNotEnabled', 'queueFull', 'resultTooLarge', 'tokenMalformed', 'tokenMissing', 'tooManyKeys',
  'tooManyReads', 'otherItemInvalid', 'itemUnchecked', 'shuttingDown', 'valueUnreadable', 'errorsOmitted',
];

let gateway: TestGateway;
let first: Record<string, number>;
let url: string;
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/metrics`;
  gateway = await startGateway({ env: { METRICS_PORT: String(port), RATE_LIMIT: '100/60s' } });
  first = await scrape(url);
});
afterAll(() => gateway.stop());

/** The values that a label has in the first scrape. */
function valuesOf(metric: string, label: string): string[] {
  return [...new Set(seriesOf(first, metric).map(({ labels }) => labels[label] ?? ''))].sort();
}

/** The method and the path template of each series. */
function endpointsIn(values: Record<string, number>, metric: string): string[] {
  const endpoints = seriesOf(values, metric)
    .filter(({ value }) => value > 0 || values === first)
    .map(({ labels }) => `${labels['http_request_method']} ${labels['url_template']}`);
  return [...new Set(endpoints)].sort();
}

test('all counters are 0 in the first scrape', () => {
  const counters = Object.entries(first).filter(([name]) => !/^(?:process|nodejs)_/.test(name));
  const changed = counters.filter(
    ([name, value]) => /_(?:total|count|sum|bucket)\b/.test(name) && value !== 0,
  );
  expect(changed).toEqual([]);
});

test('there are no rate-limit gauges without Redis', () => {
  expect(Object.keys(first).filter((name) => name.startsWith('shipment_gateway_rate_limit'))).toEqual([]);
});

test.each([
  ['shipment_gateway_graphql_errors_total', 'code', Object.values(ErrorCode)],
  ['shipment_gateway_graphql_requests_total', 'result', requestResults],
  ['shipment_gateway_graphql_mutation_fields_total', 'outcome', Object.values(WriteOutcome)],
  ['shipment_gateway_graphql_mutation_fields_total', 'field', fieldNames.filter(isMutation)],
  [
    'shipment_gateway_http_server_requests_rejected_total',
    'reason',
    ['connections', 'event_loop_delay', 'in_flight_requests', 'rate_limit'],
  ],
  ['shipment_gateway_rest_calls_cancelled_total', 'result', ['aborted', 'detached']],
  ['shipment_gateway_idempotency_records_lost_total', 'field', fieldNames.filter(isMutation)],
  ['shipment_gateway_idempotent_mutations_total', 'field', fieldNames.filter(isMutation)],
  [
    'shipment_gateway_idempotent_mutations_total',
    'result',
    [
      ...['applied', 'not_applied', 'unknown', 'replayed', 'not_enabled', 'rate_limited', 'unavailable'],
      ...['key_reused', 'key_expired', 'in_progress', 'outcome_unknown'],
    ],
  ],
])('%s starts with every %s', (metric, label, values) => {
  expect(valuesOf(metric, label)).toEqual([...values].sort());
});

test('shipment_gateway_read_backs_total starts with what a read after each write can find', () => {
  const pairs = seriesOf(first, 'shipment_gateway_read_backs_total').map(
    ({ labels: { field, result } }) => `${field} ${result}`,
  );
  expect(pairs.sort()).toEqual([
    ...['candidates', 'confirmed', 'different', 'none', 'unreadable'].map(
      (result) => `createNotification ${result}`,
    ),
    ...['confirmed', 'different', 'unreadable'].map((result) => `deleteNotification ${result}`),
    ...['confirmed', 'different', 'unreadable'].map((result) => `updateNotification ${result}`),
  ]);
});

test('shipment_gateway_rest_calls_failed_total starts with every failure that can end an attempt, for every REST endpoint', () => {
  const ofAttempts = Object.entries<Failure>(failures).filter(
    ([name, { httpStatus }]) => httpStatus === undefined && !(NOT_OF_ATTEMPTS as string[]).includes(name),
  );
  const labels = new Set(ofAttempts.map(([name, { errorType }]) => errorType ?? `none for ${name}`));
  expect(valuesOf('shipment_gateway_rest_calls_failed_total', 'failure')).toEqual(
    [...labels, 'Error'].sort(),
  );
  expect(seriesOf(first, 'shipment_gateway_rest_calls_failed_total').length).toBe(
    Object.keys(operations).length * (labels.size + 1),
  );
});

describe('after every root field was executed', () => {
  let later: Record<string, number>;
  beforeAll(async () => {
    for (const field of fieldNames) {
      await gateway.data(asVariables(field, validArguments(field)));
    }
    later = await scrape(url);
  });

  test('the first scrape had every REST endpoint that was called, and no other', () => {
    const called = endpointsIn(later, 'http_client_request_duration_seconds_count');
    expect(called.length).toBe(Object.keys(operations).length);
    for (const name of ['calls_retried', 'calls_failed', 'calls_shed', 'contract_violations'])
      expect(endpointsIn(first, `shipment_gateway_rest_${name}_total`)).toEqual(called);
    const reads = called.filter((endpoint) => endpoint.startsWith('GET'));
    expect(endpointsIn(first, 'shipment_gateway_rest_calls_deduplicated_total')).toEqual(reads);
  });
});
