import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  invalidTraceparents,
  PARENT_ID,
  TRACE_ID,
  TRACEPARENT,
  TRACESTATE,
} from '../support/telemetry/traceContext.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { SERVICE_RETRIES: '1' } });
});
afterAll(() => gateway.stop());

/** The trace of an answer and of the REST calls behind it. */
async function tracesOf(headers: Record<string, string>) {
  gateway.takeCalls();
  const answer = await gateway.execute('{ notifications { messages } }', { headers });
  const calls = gateway
    .takeCalls()
    .map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }));
  return {
    answer: answer.headers.get('traceparent'),
    state: answer.headers.get('tracestate'),
    calls,
  };
}

describe('without a collector a trace is passed on as it is, and echoed', () => {
  test.each([
    TRACEPARENT,
    `00-${TRACE_ID}-${PARENT_ID}-00`,
    `cc-${TRACE_ID}-${PARENT_ID}-01`,
    `cc-${TRACE_ID}-${PARENT_ID}-01-what.may.come`,
  ])('%s', async (traceparent) => {
    expect(await tracesOf({ traceparent, tracestate: TRACESTATE })).toEqual({
      answer: traceparent,
      state: null,
      calls: [{ traceparent, tracestate: TRACESTATE }],
    });
  });

  test('with each try of a call', async () => {
    gateway.injectFaults({ status: 503 });
    const passed = { traceparent: TRACEPARENT, tracestate: undefined };
    expect((await tracesOf({ traceparent: TRACEPARENT })).calls).toEqual([passed, passed]);
  });
});

describe('none is made up, and none passed on', () => {
  test.each(invalidTraceparents)('for %j', async (traceparent) => {
    expect(await tracesOf({ traceparent, tracestate: TRACESTATE })).toEqual({
      answer: null,
      state: null,
      calls: [{ traceparent: undefined, tracestate: undefined }],
    });
  });

  test('where there is none', async () => {
    expect(await tracesOf({ tracestate: TRACESTATE })).toEqual({
      answer: null,
      state: null,
      calls: [{ traceparent: undefined, tracestate: undefined }],
    });
  });
});
