/** Lookups of made-up keys by clients without a token: they neither end the process nor keep the keyed mutations of others waiting. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { dockerfileInstruction } from '../../support/deploy/deployment.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { residentBytes } from '../../support/process/memory.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';

const KEYS = 1000;
const LOOKUPS = 250;
const ADDRESSES = 8;
/** When all keys were looked up at once, it was 150, or the process ended. */
const MAX_GROWN_MIB = 100;
const APPLIED = '{"data":{"deleteNotification":{"outcome":"APPLIED"}}}\n';
const heapOption = /--max-old-space-size=\d+/.exec(dockerfileInstruction('CMD'))?.[0] ?? '';

skipIf(reasonToSkip('redis-server'));
afterEach(killProcesses);

const lookup = () =>
  JSON.stringify({
    query: 'query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { outcome } }',
    variables: { keys: Array.from({ length: KEYS }, () => randomUUID()) },
  });
const keyedWrite = () =>
  JSON.stringify({
    query:
      'mutation ($guid: ID!, $key: ID) { deleteNotification(notificationGuid: $guid, idempotencyKey: $key) { outcome } }',
    variables: { guid: randomUUID(), key: randomUUID() },
  });

test('thousands of lookups leave memory and time for the keyed mutations of others', async () => {
  const [redis, service] = [await startRedis(), await startFaultServer()];
  const gateway = startGatewayProcess({
    env: { ...productionEnv, IDEMPOTENCY_STORE: 'redis', SERVICE_URL: service.url, REDIS_URL: redis.url },
    nodeOptions: [heapOption],
  });
  const origin = await gateway.listening();
  const poolFrom = (localAddress: string) => new Pool(origin, { connections: 64, localAddress });
  const send = async (pool: Pool, body: string, headers: Record<string, string> = {}) => {
    const response = await pool.request({
      path: '/graphql',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    return response.body.text();
  };
  const others = poolFrom('127.0.0.1');
  /** Milliseconds of each of several mutations, one after the other, until `isOver`. */
  const measureWrites = async (isOver: (count: number) => boolean) => {
    const times: number[] = [];
    const outcomes = new Set<string>();
    while (!isOver(times.length)) {
      const startedAt = performance.now();
      outcomes.add(await send(others, keyedWrite(), { authorization: 'Bearer other' }));
      times.push(performance.now() - startedAt);
      await sleep(20);
    }
    times.sort((a, b) => a - b);
    return { median: times[Math.floor(times.length / 2)] ?? 0, times, outcomes: [...outcomes] };
  };

  // What the lookups cost one after the other, which they must not exceed by much together.
  const single = poolFrom('127.0.0.2');
  await measureWrites((count) => count === 20);
  const alone = await measureWrites((count) => count === 20);
  for (let warm = 0; warm < 20; warm += 1) await send(single, lookup());
  const startedAt = performance.now();
  for (let one = 0; one < 5; one += 1) await send(single, lookup());
  const lookupMs = (performance.now() - startedAt) / 5;

  const residentBefore = residentBytes(gateway);
  const pools = Array.from({ length: ADDRESSES }, (_, index) => poolFrom(`127.0.0.${index + 2}`));
  const bodies = Array.from({ length: LOOKUPS }, lookup);
  let isOver = false;
  const lookups = Promise.all(
    bodies.map((body, index) => send(pools[index % ADDRESSES] as Pool, body)),
  ).finally(() => (isOver = true));
  const writes = await measureWrites(() => isOver);
  const results = await lookups;
  const served = results.filter((text) => text.startsWith('{"data":{"writeRecords":[null,')).length;
  const grownMiB = (residentBytes(gateway) - residentBefore) / 1_048_576;
  console.log({ alone: alone.median, lookupMs, grownMiB, served, median: writes.median });
  expect(served).toBeGreaterThan(ADDRESSES); // others exceed the memory budget, or the timeout of Redis while the event loop is busy
  expect(writes.outcomes).toContain(APPLIED);
  expect(writes.median).toBeLessThan(alone.median + 4 * lookupMs);
  expect(grownMiB).toBeLessThan(MAX_GROWN_MIB);
  for (const pool of [...pools, others, single]) await pool.destroy();
  await service.stop();
  await gateway.stop();
}, 120_000);
