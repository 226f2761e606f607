/** An outage of the collector of traces: each failed export is counted, and the log has what the SDK says of it, once a minute. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startCollector, type Collector, type CollectorStatus } from '../support/telemetry/collector.js';
import { scrape } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';
import { until } from '../support/tools/waiting.js';

/** Batches of five spans, at most ten of which wait. The SDK reads its variables itself. */
const SMALL_BATCHES = {
  OTEL_BSP_SCHEDULE_DELAY: '1',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
  OTEL_BSP_MAX_QUEUE_SIZE: '10',
};
/** Longer than any test, so that a busy machine causes no failure. */
const NO_TIMEOUT_MS = '60000';

let collector: Collector;
let gateway: TestGateway | undefined;
beforeEach(async () => {
  collector = await startCollector();
  for (const [name, value] of Object.entries(SMALL_BATCHES)) vi.stubEnv(name, value);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await gateway?.stop();
  await collector.stop();
});

async function startTracedGateway(timeoutMs: string) {
  vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', timeoutMs);
  const port = await freePort();
  const started = (gateway = await startGateway({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, METRICS_PORT: String(port) },
  }));
  const values = () => scrape(`http://127.0.0.1:${port}/metrics`);
  const failures = async () => (await values())['shipment_gateway_trace_export_failures_total'];
  const request = () => started.data('{ __typename }');
  return {
    request,
    /** Sends as many requests, one after the other, whose exports fail. */
    failExports: async (count: number) => {
      expect(await failures()).toBe(0);
      for (let expected = 1; expected <= count; expected += 1) {
        await request();
        await until(async () => (await failures()) === expected);
      }
    },
    /** The lines of the SDK. */
    lines: () =>
      started.logLines
        .filter(({ component }) => component === 'opentelemetry')
        .map(({ level, msg }) => ({ level, msg })),
    requestLines: () => started.logLines.filter(({ msg }) => msg === 'Request').length,
  };
}

describe('every failed export is counted, and the first one in a minute is a line with the words of the SDK, none of the collector:', () => {
  test.each<[what: string, status: CollectorStatus, timeoutMs: string, headers: string, message: string]>([
    ['status 500', 500, NO_TIMEOUT_MS, 'api-key=canary', 'Internal Server Error: 500'],
    [
      'headers that HTTP does not allow',
      200,
      NO_TIMEOUT_MS,
      'api-key=canary%0A',
      'Invalid character in header content ["api-key"]: ERR_INVALID_CHAR',
    ],
    ['no response before the timeout', 'silent', '300', '', 'Request timed out'],
  ])('%s', async (_what, status, timeoutMs, headers, message) => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', headers);
    const { failExports, lines } = await startTracedGateway(timeoutMs);
    collector.respondWith(status);
    await failExports(3);
    expect(lines()).toEqual([{ level: 40, msg: message }]);
  });
});

test('while the collector hangs, a bounded number of spans waits; that others are dropped is logged', async () => {
  const { request, lines, requestLines } = await startTracedGateway(NO_TIMEOUT_MS);
  collector.respondWith('silent');
  await request();
  await until(() => collector.requests.length === 1);
  for (let count = 0; count < 50; count += 1) await request();
  await until(() => requestLines() === 51); // written once the span has ended
  collector.respondWith(200);
  await until(async () => {
    await request();
    return lines().length > 0;
  });
  expect(lines()).toEqual([{ level: 40, msg: 'Dropped 40 spans because maxQueueSize reached' }]);
  await until(() => collector.spans.length > 11);
});
