import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startCollector, type Collector, type CollectorStatus } from '../support/telemetry/collector.js';
import { scrape } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';
import { until } from '../support/tools/waiting.js';

const UNAVAILABLE = 'Trace collector unavailable: spans are lost';
const AVAILABLE = 'Trace collector available: spans are exported';
const SDK_MESSAGE = 'Message of the OpenTelemetry SDK';
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
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      METRICS_PORT: String(port),
    },
  }));
  const request = () => started.data('{ __typename }');
  return {
    request,
    /** Sends a request, whose span is exported at once; resolves when the collector has it. */
    exportSpan: async () => {
      const { length } = collector.requests;
      await request();
      await until(() => collector.requests.length > length);
    },
    failures: async () =>
      (await scrape(`http://127.0.0.1:${port}/metrics`))['shipment_gateway_trace_export_failures_total'],
    lines: (...messages: string[]) =>
      started.logLines
        .filter(({ msg }) => messages.includes(String(msg)))
        .map(({ level, msg, reason }) => ({ level, msg, reason })),
    warnings: () => started.logLines.filter(({ level }) => Number(level) >= 40).length,
  };
}

const available = { level: 30, msg: AVAILABLE, reason: undefined };

describe('an outage of the collector is logged once, and once more when it is over, and every failed export is counted:', () => {
  test.each<[string, CollectorStatus, string]>([
    ['status 500', 500, 'The collector responded with status 500'],
    ['status 403', 403, 'The collector responded with status 403'],
  ])('%s', async (_what, status, reason) => {
    const { exportSpan, failures, lines, warnings } = await startTracedGateway(NO_TIMEOUT_MS);
    expect(await failures()).toBe(0);
    collector.respondWith(status);
    for (const expected of [1, 2, 3]) {
      await exportSpan();
      await until(async () => (await failures()) === expected);
    }
    const unavailable = { level: 40, msg: UNAVAILABLE, reason };
    expect(lines(UNAVAILABLE, AVAILABLE)).toEqual([unavailable]);
    collector.respondWith(200);
    await exportSpan();
    await until(() => lines(AVAILABLE).length > 0);
    await exportSpan();
    expect(lines(UNAVAILABLE, AVAILABLE)).toEqual([unavailable, available]);
    expect(await failures()).toBe(3);
    expect(warnings()).toBe(1);
  });

  test('headers that HTTP does not allow', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'api-key=canary%0A');
    const { request, failures, lines } = await startTracedGateway(NO_TIMEOUT_MS);
    for (const expected of [1, 2]) {
      await request();
      await until(async () => (await failures()) === expected);
    }
    expect(lines(UNAVAILABLE, AVAILABLE)).toEqual([
      { level: 40, msg: UNAVAILABLE, reason: 'ERR_INVALID_CHAR' },
    ]);
  });

  test('no response before the timeout', async () => {
    const { exportSpan, failures, lines } = await startTracedGateway('300');
    collector.respondWith('silent');
    for (const expected of [1, 2, 3]) {
      await exportSpan();
      await until(async () => (await failures()) === expected);
    }
    expect(lines(UNAVAILABLE, AVAILABLE)).toEqual([
      { level: 40, msg: UNAVAILABLE, reason: 'Request timed out' },
    ]);
    collector.respondWith(200);
    await until(async () => {
      await exportSpan();
      return lines(AVAILABLE).length > 0;
    });
  });
});

test('while the collector hangs, a bounded number of spans waits; that others are dropped is logged', async () => {
  const { request, exportSpan, lines } = await startTracedGateway(NO_TIMEOUT_MS);
  collector.respondWith('silent');
  await exportSpan();
  for (let count = 0; count < 50; count += 1) await request();
  await until(() => lines('Request').length === 51); // written once the span has ended
  collector.respondWith(200);
  const dropped = await until(async () => {
    await request();
    const warnings = lines(SDK_MESSAGE).filter(({ level }) => level === 40);
    return warnings.length > 0 && warnings;
  });
  expect(dropped).toEqual([
    { level: 40, msg: SDK_MESSAGE, reason: 'Dropped 40 spans because maxQueueSize reached' },
  ]);
  await until(() => collector.spans.length > 11);
});
