import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { startCollector, type Collector, type CollectorStatus } from '../support/telemetry/collector.js';
import { scrape } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';
import { until } from '../support/tools/waiting.js';

const UNAVAILABLE = 'Trace collector unavailable: spans are lost';
const AVAILABLE = 'Trace collector available: spans are exported';
const SDK_MESSAGE = 'Message of the OpenTelemetry SDK';
/** Batches of five spans, at most ten of which wait. */
const SMALL_BATCHES = {
  OTEL_BSP_SCHEDULE_DELAY: '1',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
  OTEL_BSP_MAX_QUEUE_SIZE: '10',
};

let collector: Collector;
let gateway: TestGateway;
let metricsUrl: string;
beforeEach(async () => {
  collector = await startCollector();
  for (const [name, value] of Object.entries(SMALL_BATCHES)) vi.stubEnv(name, value); // the SDK reads these itself
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  gateway = await startGateway({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
      METRICS_PORT: String(port),
    },
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await gateway.stop();
  await collector.stop();
});

const failures = async () => (await scrape(metricsUrl))['trace_export_failures_total'];
const lines = (...messages: string[]) =>
  gateway.logLines
    .filter(({ msg }) => messages.includes(String(msg)))
    .map(({ level, msg, reason }) => ({ level, msg, reason }));

/** Sends a request, whose span is exported at once; resolves when the collector has it. */
async function exportSpan() {
  const { length } = collector.requests;
  await gateway.data('{ __typename }');
  await until(() => collector.requests.length > length);
}

describe('an outage of the collector is logged once, and once more when it is over, and every failed export is counted:', () => {
  test.each<[string, CollectorStatus, string]>([
    ['status 500', 500, 'The collector responded with status 500'],
    ['status 403', 403, 'The collector responded with status 403'],
    ['no response', 'silent', 'Request timed out'],
  ])('%s', async (_what, status, reason) => {
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
    const available = { level: 30, msg: AVAILABLE, reason: undefined };
    expect(lines(UNAVAILABLE, AVAILABLE)).toEqual([unavailable, available]);
    expect(await failures()).toBe(3);
    expect(gateway.logLines.filter(({ level }) => Number(level) >= 40)).toHaveLength(1);
  });
});

test('while the collector hangs, a bounded number of spans waits; that others are dropped is logged', async () => {
  collector.respondWith('silent');
  await exportSpan();
  for (let count = 0; count < 50; count += 1) await gateway.data('{ __typename }');
  collector.respondWith(200);
  await until(() => lines(AVAILABLE).length > 0);
  await until(async () => {
    await gateway.data('{ __typename }');
    return lines(SDK_MESSAGE).some(({ level }) => level === 40);
  });
  await until(() => collector.spans.length > 11);
  const dropped = lines(SDK_MESSAGE).filter(({ level }) => level === 40);
  expect(dropped).toEqual([
    {
      level: 40,
      msg: SDK_MESSAGE,
      reason: expect.stringMatching(/^Dropped \d+ spans because maxQueueSize reached$/) as string,
    },
  ]);
  expect(Number(/\d+/.exec(String(dropped[0]?.reason))?.[0])).toBeGreaterThan(20);
});
