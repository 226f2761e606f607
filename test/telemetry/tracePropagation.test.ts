import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import {
  invalidTraceparents,
  PARENT_ID,
  TRACE_ID,
  TRACEPARENT,
  TRACESTATE,
} from '../support/telemetry/traceContext.js';
const gateway = useGateway({ config: { service: { retries: 1 } } });

/** Sends a query and returns the trace headers of its response and REST calls. */
async function tracesOf(headers: Record<string, string>) {
  gateway.takeCalls();
  const response = await gateway.execute('{ notifications { messages } }', { headers });
  const calls = gateway
    .takeCalls()
    .map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }));
  return {
    traceparent: response.headers.get('traceparent'),
    tracestate: response.headers.get('tracestate'),
    calls,
  };
}

describe('without a collector, a valid traceparent is forwarded unchanged and echoed', () => {
  test.each([
    TRACEPARENT,
    `00-${TRACE_ID}-${PARENT_ID}-00`,
    `cc-${TRACE_ID}-${PARENT_ID}-01`,
    `cc-${TRACE_ID}-${PARENT_ID}-01-what.may.come`,
  ])('%s', async (traceparent) => {
    expect(await tracesOf({ traceparent, tracestate: TRACESTATE })).toEqual({
      traceparent,
      tracestate: null,
      calls: [{ traceparent, tracestate: TRACESTATE }],
    });
  });

  test('on every attempt of a REST call', async () => {
    gateway.injectFaults({ status: 503 });
    const forwarded = { traceparent: TRACEPARENT, tracestate: undefined };
    expect((await tracesOf({ traceparent: TRACEPARENT })).calls).toEqual([forwarded, forwarded]);
  });
});

describe('without a collector, no trace headers are sent', () => {
  test.each(invalidTraceparents)('for the invalid traceparent %j', async (traceparent) => {
    expect(await tracesOf({ traceparent, tracestate: TRACESTATE })).toEqual({
      traceparent: null,
      tracestate: null,
      calls: [{ traceparent: undefined, tracestate: undefined }],
    });
  });

  test('for a tracestate without a traceparent', async () => {
    expect(await tracesOf({ tracestate: TRACESTATE })).toEqual({
      traceparent: null,
      tracestate: null,
      calls: [{ traceparent: undefined, tracestate: undefined }],
    });
  });
});
