/** What requests wait for, apart from responses of the service, is in metrics: a free connection, which is in traces too, and replies of Redis. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { asVariables, SEED_GUID, validArguments } from '../support/graphql/rootFields.js';
import { startFakeRedis } from '../support/process/fakeRedis.js';
import { startRedis } from '../support/process/redis.js';
import { reasonToSkip, skipTestIf } from '../support/process/requirements.js';
import { startCollector, type Collector, type CollectedSpan } from '../support/telemetry/collector.js';
import { scrape, seriesOf } from '../support/telemetry/metrics.js';
import { PARENT_ID, TRACE_ID } from '../support/telemetry/traceContext.js';
import { freePort } from '../support/tools/freePort.js';
import { createGate, until } from '../support/tools/waiting.js';

const READ = '{ notifications { messages } }';
const track = asVariables('trackShipment', validArguments('trackShipment'));

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(() => collector.stop());

/** A gateway with traces and metrics. */
async function start(env: Record<string, string>, queueLimit?: number) {
  const port = await freePort();
  const gateway = await startGateway({
    env: {
      METRICS_PORT: String(port),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,

      ...env,
    },
    config: { service: { retries: 0 } },
    ...(queueLimit !== undefined && { config: { service: { queueLimit } } }),
  });
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await gateway.stop();
    isStopped = true;
  };
  onTestFinished(stop);
  const values = () => scrape(`http://127.0.0.1:${port}/metrics`);
  return {
    gateway,
    /** How many calls wait for a connection. */
    queueLength: async () => seriesOf(await values(), 'shipment_gateway_rest_queue_length')[0]?.value,
    /** What the histogram counts, by what was waited for. */
    waits: async () => {
      const counts = seriesOf(await values(), 'shipment_gateway_wait_duration_seconds_count');
      return Object.fromEntries(counts.map(({ labels, value }) => [labels['resource'] ?? '', value]));
    },
    /** Stops the gateway, which exports all spans, and returns them in the order in which they ended. */
    spans: async () => {
      await stop();
      return collector.spans;
    },
  };
}

function outline({ name, kind, attributes, isError }: CollectedSpan) {
  return { name, kind, attributes, isError };
}

const text = expect.any(String) as string;

describe('A wait for a connection', () => {
  const waitSpan = ({ serviceUrl }: TestGateway, error?: string) => {
    const { hostname, port } = new URL(serviceUrl);
    return {
      name: `HTTP wait_for_connection ${hostname}:${port}`,
      kind: 1,
      attributes: {
        'server.address': hostname,
        'server.port': Number(port),
        'gateway.request_id': text,
        ...(error !== undefined && { 'error.type': error }),
      },
      isError: error !== undefined,
    };
  };

  const isWait = ({ kind }: CollectedSpan) => kind === 1;

  test('is a span before that of the call, and is counted; a call that finds a connection has neither', async () => {
    const { gateway, queueLength, waits, spans } = await start({ SERVICE_CONNECTIONS: '1' });
    const { opened, open } = createGate();
    gateway.injectFaults({ heldUntil: opened });
    const first = gateway.data(READ, { token: 'first' });
    await until(() => gateway.takeCalls().length === 1);
    const second = gateway.data(READ, { token: 'second' });
    await until(async () => (await queueLength()) === 1);
    expect(await waits()).toEqual({ connection: 0, idempotency_store: 0, rate_limit: 0 });
    open();
    await Promise.all([first, second]);
    expect(await waits()).toEqual({ connection: 1, idempotency_store: 0, rate_limit: 0 });

    const all = await spans();
    const waited = all.filter(isWait);
    expect(waited.map(outline)).toEqual([waitSpan(gateway)]);
    const [wait] = waited;
    const call = all.find(({ kind, parentSpanId }) => kind === 3 && parentSpanId === wait?.parentSpanId);
    const request = all.find(({ spanId }) => spanId === wait?.parentSpanId);
    expect([call?.traceId, request?.traceId]).toEqual([wait?.traceId, wait?.traceId]);
    expect(call && wait && wait.startTime < wait.endTime && wait.endTime <= call.startTime).toBe(true);
    expect(all.length).toBe(1 + 2 * 2);
  });

  test('that its own client ends is no error', async () => {
    const { gateway, queueLength, waits, spans } = await start(
      { SERVICE_CONNECTIONS: '1', TRUST_PROXY: '1' },
      2,
    );
    const { opened, open } = createGate();
    gateway.injectFaults({ heldUntil: opened });
    const read = (page: number, client: string, signal?: AbortSignal) =>
      gateway.execute(`{ notifications(additionalParameters: { page: ${page} }) { messages } }`, {
        token: client,
        headers: { 'x-forwarded-for': client },
        ...(signal && { signal }),
      });
    const sent = read(1, '192.0.2.1');
    await until(() => gateway.takeCalls().length === 1);
    const client = new AbortController();
    const cancelled = read(1, '192.0.2.2', client.signal);
    await until(async () => (await queueLength()) === 1);
    client.abort();
    await expect(cancelled).rejects.toThrow('aborted');
    await until(async () => (await queueLength()) === 0);

    open();
    expect((await sent).errors).toBeUndefined();
    expect(await waits()).toMatchObject({ connection: 1 });
    expect((await spans()).filter(isWait).map(outline)).toEqual([waitSpan(gateway)]);
  });

  test('that the deadline ends is an error', async () => {
    const { gateway, queueLength, waits, spans } = await start({
      SERVICE_CONNECTIONS: '1',
      SERVICE_TIMEOUT_MS: '4000',
    });
    const { opened, open } = createGate();
    gateway.injectFaults({ heldUntil: opened }, { neverRespond: true });
    const { query, variables = {} } = asVariables('updateNotification', {
      notificationGuid: SEED_GUID,
      input: { notificationName: 'Renamed' },
    });
    const update = gateway.execute(query, { variables });
    await until(() => gateway.takeCalls().length === 1);
    const other = gateway.execute(READ, { token: 'other' });
    await until(async () => (await queueLength()) === 1);
    open(); // the read before the update ends; the other one has the connection until after the deadline of the update
    expect((await update).errors?.map(({ extensions }) => extensions['code'])).toEqual([
      'SERVICE_UNAVAILABLE',
    ]);
    expect((await other).errors?.map(({ extensions }) => extensions['code'])).toEqual(['SERVICE_TIMEOUT']);
    expect(await waits()).toMatchObject({ connection: 2 });
    expect((await spans()).filter(isWait).map(outline)).toEqual([
      waitSpan(gateway),
      waitSpan(gateway, 'DeadlinePassedError'),
    ]);
  });
});

test('a wait for Redis is counted, and is no span: limits, claim, record and lookup of a key', async (context) => {
  skipTestIf(reasonToSkip('redis-server'), context);
  const redis = await startRedis();
  onTestFinished(() => redis.kill());
  const { gateway, waits, spans } = await start({ REDIS_URL: redis.url, RATE_LIMIT: '100/60s' });
  const key = randomUUID();
  const mutate = () => gateway.data(track.query, { ...track, headers: { 'idempotency-key': key } });
  await mutate();
  await mutate(); // replayed
  gateway.injectFaults({ status: 422 });
  await gateway.execute(track.query, { ...track, headers: { 'idempotency-key': randomUUID() } });
  await gateway.data(`{ writeRecords(idempotencyKeys: ["${randomUUID()}", "${key}"]) { outcome } }`);
  expect(await waits()).toEqual({ connection: 0, idempotency_store: 6, rate_limit: 4 });
  const requestsAndCalls = [2, 3];
  expect((await spans()).filter(({ kind }) => !requestsAndCalls.includes(kind))).toEqual([]);
  expect((await spans()).filter(({ name }) => name.startsWith('EVALSHA'))).toEqual([]);
});

test('waits of a request that is not sampled are counted, and are no spans', async () => {
  const redis = await startFakeRedis();
  onTestFinished(() => redis.close());
  const { gateway, waits, spans } = await start({ REDIS_URL: redis.url.href });
  await gateway.data(track.query, {
    ...track,
    headers: { 'idempotency-key': randomUUID(), traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` },
  });
  expect(await waits()).toMatchObject({ idempotency_store: 2 });
  expect(await spans()).toEqual([]);
});
