/** What requests wait for, apart from responses of the service, is measured: a free connection, and replies of Redis. */
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startGateway } from '../support/gateway/gateway.js';
import { asVariables, validArguments } from '../support/graphql/rootFields.js';
import { startRedis } from '../support/process/redis.js';
import { reasonToSkip, skipTestIf } from '../support/process/requirements.js';
import { scrape, seriesOf } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';
import { forTest } from '../support/tools/useStarted.js';
import { createGate, until } from '../support/tools/waiting.js';

const READ = '{ notifications { messages } }';

async function start(env: Record<string, string>) {
  const port = await freePort();
  const variables = { METRICS_PORT: String(port), ...env };
  const gateway = await forTest(startGateway({ env: variables, config: { service: { retries: 0 } } }));
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
  };
}

test('a wait for a connection is counted however it ends; a call that finds a connection has none', async () => {
  const { gateway, queueLength, waits } = await start({ SERVICE_CONNECTIONS: '1' });
  const { opened, open } = createGate();
  gateway.injectFaults({ heldUntil: opened });
  const first = gateway.data(READ, { token: 'first' });
  await until(() => gateway.takeCalls().length === 1);
  const second = gateway.data(READ, { token: 'second' });
  await until(async () => (await queueLength()) === 1);
  const client = new AbortController();
  const third = gateway.execute(READ, { token: 'third', signal: client.signal });
  await until(async () => (await queueLength()) === 2);
  expect(await waits()).toEqual({ connection: 0, idempotency_store: 0, rate_limit: 0 });
  client.abort();
  await expect(third).rejects.toThrow('aborted');
  await until(async () => (await queueLength()) === 1);
  expect(await waits()).toEqual({ connection: 1, idempotency_store: 0, rate_limit: 0 });
  open();
  await Promise.all([first, second]);
  expect(await waits()).toEqual({ connection: 2, idempotency_store: 0, rate_limit: 0 });
});

test('a wait for Redis is counted: limits, claim, record and lookup of a key', async (context) => {
  skipTestIf(reasonToSkip('redis-server'), context);
  const redis = await startRedis();
  onTestFinished(() => redis.kill());
  const { gateway, waits } = await start({ REDIS_URL: redis.url, RATE_LIMIT: '100/60s' });
  const track = asVariables('trackShipment', validArguments('trackShipment'));
  const key = randomUUID();
  const mutate = () => gateway.data(track, { headers: { 'idempotency-key': key } });
  await mutate();
  await mutate(); // replayed
  gateway.injectFaults({ status: 422 });
  await gateway.execute(track, { headers: { 'idempotency-key': randomUUID() } });
  await gateway.data(`{ writeRecords(idempotencyKeys: ["${randomUUID()}", "${key}"]) { outcome } }`);
  expect(await waits()).toEqual({ connection: 0, idempotency_store: 6, rate_limit: 4 });
});
