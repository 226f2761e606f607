/** Lookups of made-up keys by clients without a token: they do not end the process. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { dockerfileInstruction } from '../../support/deploy/deployment.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';

const KEYS = 1000;
const LOOKUPS = 120;
const ADDRESSES = 8;
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

test('thousands of lookups leave memory and time for a keyed mutation of another client', async () => {
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
  /** What one mutation after the other returns, until `isOver`. */
  const write = async (isOver: () => boolean) => {
    const outcomes = new Set<string>();
    while (!isOver()) {
      outcomes.add(await send(others, keyedWrite(), { authorization: 'Bearer other' }));
      await sleep(20);
    }
    return [...outcomes];
  };

  const pools = Array.from({ length: ADDRESSES }, (_, index) => poolFrom(`127.0.0.${index + 2}`));
  const bodies = Array.from({ length: LOOKUPS }, lookup);
  let isOver = false;
  const lookups = Promise.all(
    bodies.map((body, index) => send(pools[index % ADDRESSES] as Pool, body)),
  ).finally(() => (isOver = true));
  const outcomes = await write(() => isOver);
  const results = await lookups;
  const served = results.filter((text) => text.startsWith('{"data":{"writeRecords":[null,')).length;
  expect(served).toBeGreaterThan(ADDRESSES); // others exceed the memory budget, or the timeout of Redis while the event loop is busy
  expect(outcomes).toContain(APPLIED);
  for (const pool of [...pools, others]) await pool.destroy();
  await service.stop();
  await gateway.stop();
}, 120_000);
