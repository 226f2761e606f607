/** Every line that belongs to a request names it and its trace, so that lines are found from a trace and the other way around. */
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { startGateway, useGateway } from '../support/gateway/gateway.js';
import { asVariables, validArguments } from '../support/graphql/rootFields.js';
import { startCollector } from '../support/telemetry/collector.js';
import { TRACE_ID, TRACEPARENT } from '../support/telemetry/traceContext.js';
import { forTest, useStarted } from '../support/tools/useStarted.js';
import { until, untilHolds } from '../support/tools/waiting.js';

const ENV = { IDEMPOTENCY_STORE: 'memory', RATE_LIMIT: '30/60s', TRUST_PROXY: '1' };
const READ = '{ notifications { messages } }';
const REMOVE = 'deleteNotification(notificationGuid: "none"';
const { query: CREATE, variables: CREATED = {} } = asVariables(
  'createNotification',
  validArguments('createNotification'),
);

interface Scenario {
  query: string;
  variables?: Record<string, unknown>;
  faults?: Fault[];
  /** Requests that are sent before, and whose lines are not asserted. */
  before?: number;
  isAborted?: true;
  /** The messages of its lines, each once. */
  messages: string[];
}

const scenarios: Record<string, Scenario> = {
  'a read': { query: READ, messages: ['REST call', 'Request'] },
  'a deduplicated read': {
    query: '{ a: notifications { messages } b: notifications { messages } }',
    messages: ['REST call', 'REST call deduplicated', 'Request'],
  },
  'a read that violates the contract': {
    query: READ,
    faults: [{ body: '1' }],
    messages: ['REST call', 'Upstream response violates the contract', 'Request'],
  },
  'a mutation with an idempotency key': {
    query: `mutation { ${REMOVE}, idempotencyKey: "0199aa3e-7a4c-4b1e-9c3a-3f1c2d4e5f60") { messages } }`,
    messages: ['REST call', 'Mutation with an idempotency key', 'Request'],
  },
  'a write of unknown outcome': {
    query: CREATE,
    variables: CREATED,
    faults: [{ status: 500 }],
    messages: ['REST call', 'Read back a write of unknown outcome', 'Request'],
  },
  'an aborted read': {
    query: READ,
    faults: [{ neverRespond: true }],
    isAborted: true,
    messages: ['REST call', 'Client disconnected before the response', 'Request'],
  },
  'a request over the rate limit': { query: READ, before: 30, messages: ['Request rejected', 'Request'] },
};

const SPAN_ID = /^[\da-f]{16}$/;

describe.each(['without', 'with'])('%s a collector', (_with) => {
  const collector = useStarted(startCollector);
  const gateway = useGateway(() => ({
    env: { ...ENV, ...(_with === 'with' && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }) },
    config: { service: { retries: 0, circuitOpenMs: 1 } },
  }));

  let addresses = 0;
  /** Runs a scenario from a new address; returns its log lines once there is one of each message. */
  async function run(name: string, headers: Record<string, string>) {
    const {
      query,
      variables = {},
      faults = [],
      before = 0,
      isAborted,
      messages,
    } = scenarios[name] as Scenario;
    const address = { 'x-forwarded-for': `192.0.2.${(addresses += 1)}` };
    for (let count = 0; count < before; count += 1)
      await gateway.execute('{ __typename }', { headers: address });
    await until(() => gateway.logLines.filter(({ msg }) => msg === 'Request').length === before);
    gateway.logLines.length = 0;
    gateway.takeCalls();
    gateway.injectFaults(...faults);
    const client = new AbortController();
    const response = gateway.execute(query, {
      variables,
      headers: { ...address, ...headers },
      signal: client.signal,
    });
    if (isAborted) {
      await until(() => gateway.takeCalls().length === 1);
      client.abort();
    }
    await response.catch(() => undefined);
    // That of an aborted call may come after that of the request.
    await untilHolds(() => {
      expect([...new Set(gateway.logLines.map(({ msg }) => msg))].sort()).toEqual([...messages].sort());
    });
    return gateway.logLines.splice(0);
  }

  test.each(Object.keys(scenarios))('the lines of %s name the request and its trace', async (name) => {
    const lines = await run(name, { traceparent: TRACEPARENT, 'x-request-id': 'order-7' });
    const withSpan =
      _with === 'with' ? { span_id: expect.stringMatching(SPAN_ID) as string, trace_flags: '01' } : {};
    for (const { requestId, trace_id, span_id, trace_flags, msg } of lines) {
      const expected = { msg, requestId: 'order-7', trace_id: TRACE_ID, ...withSpan };
      expect({ msg, requestId, trace_id, ...(span_id !== undefined && { span_id, trace_flags }) }).toEqual(
        expected,
      );
    }
    expect(new Set(lines.map(({ span_id }) => span_id)).size).toBe(1); // the request's span, in all of them
  });

  test('the lines of a request without a traceparent name a trace only if there is one', async () => {
    const lines = await run('a read', { 'x-request-id': 'order-8' });
    const traces = lines.map(({ trace_id }) => trace_id);
    if (_with === 'with')
      expect(traces).toEqual(lines.map(() => expect.stringMatching(/^[\da-f]{32}$/) as string));
    else expect(traces).toEqual(lines.map(() => undefined));
  });
});

test('a line names the span of the request that the collector gets', async () => {
  const collector = await forTest(startCollector());
  const gateway = await startGateway({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  await gateway.execute(READ);
  await gateway.stop();
  const span = collector.spans.find(({ kind }) => kind === 2);
  const line = gateway.logLines.find(({ msg }) => msg === 'Request');
  expect(line).toMatchObject({ trace_id: span?.traceId, span_id: span?.spanId, trace_flags: '01' });
});
