/** One rate limit of several processes, counted in Redis while that is available. */
import { Redis } from 'ioredis';
import pMap from 'p-map';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { untilHolds } from '../../support/tools/waiting.js';

const TYPENAME = JSON.stringify({ query: '{ __typename }' });
const UNAVAILABLE = 'Redis unavailable: no rate limit applies';
const AVAILABLE = 'Redis available: the rate limit applies';

const [CLIENT, OTHER, LATER, NOBODY] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'] as const;

skipIf(reasonToSkip('redis-server'));
let redis: Awaited<ReturnType<typeof startRedis>>;
const gateways: TestGateway[] = [];
beforeEach(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.stop()));
  killProcesses();
});

async function start(env: Record<string, string> = {}): Promise<TestGateway> {
  const limits = { RATE_LIMIT: '10/60s', TRUST_PROXY: '1' };
  const gateway = await startGateway({ env: { ...limits, REDIS_URL: redis.url, ...env } });
  gateways.push(gateway);
  return gateway;
}

/** Waits until a gateway counts requests. Uses a separate address. */
async function untilCounting(url: string): Promise<void> {
  await untilHolds(async () => {
    const before = await send(url, NOBODY);
    const after = await send(url, NOBODY);
    expect(remaining(after)).toBe(remaining(before) - 1);
  });
}

function remaining({ headers }: Response): number {
  const header = headers.get('x-ratelimit-remaining');
  if (header === null) throw new Error('Expected a request that was counted');
  return Number(header);
}

async function send(url: string, address: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
  const response = await fetch(url, { method: 'POST', headers, body: TYPENAME });
  await response.arrayBuffer();
  return response;
}

/** Sends requests, 20 at a time; returns how many are admitted, and fails unless all others get 429. */
async function countAdmitted(requests: number, address: string, ...urls: string[]): Promise<number> {
  const targets = Array.from({ length: requests }, (_, index) => urls[index % urls.length] ?? '');
  const statuses = await pMap(targets, async (url) => (await send(url, address)).status, { concurrency: 20 });
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

function redisMessages({ logLines }: TestGateway): unknown[] {
  return logLines.map(({ msg }) => msg).filter((msg) => msg === UNAVAILABLE || msg === AVAILABLE);
}

test('enforces one limit per address across two processes', async () => {
  const env = { NODE_ENV: 'production', SERVICE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'info' };
  const programs = [1, 2].map(() =>
    startGatewayProcess({ env: { ...env, RATE_LIMIT: '200/60s', TRUST_PROXY: '1', REDIS_URL: redis.url } }),
  );
  const urls = await Promise.all(programs.map(async (program) => `${await program.listening()}/graphql`));
  await Promise.all(urls.map(untilCounting));
  const admitted = await countAdmitted(400, CLIENT, ...urls);
  console.log(`Of 400 requests over two processes, with a limit of 200, ${admitted} were admitted`);
  expect(programs.flatMap(({ output }) => output().match(UNAVAILABLE))).toEqual([null, null]);
  expect(admitted).toBe(200);

  const keys = await redis.keys();
  expect(keys.sort()).toEqual([CLIENT, NOBODY].map((key) => `shipment-graphql-gateway:rate:${key}`));
});

test('admits every request while Redis is down, says that once in the log, and counts again when it is back', async () => {
  const gateway = await start();
  await untilCounting(gateway.url);
  expect(await countAdmitted(15, CLIENT, gateway.url)).toBe(10);
  const { port } = redis;
  const load = countAdmitted(300, OTHER, gateway.url);
  await redis.kill();
  await load;
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([UNAVAILABLE]);
  });
  expect(await countAdmitted(100, OTHER, gateway.url)).toBe(100);
  expect(redisMessages(gateway)).toEqual([UNAVAILABLE]);

  await startRedis(port);
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([UNAVAILABLE, AVAILABLE]);
  });
  expect(await countAdmitted(15, CLIENT, gateway.url)).toBe(10);
});

test('admits every request while Redis replies with errors, and counts again after them', async () => {
  const admin = new Redis(redis.url);
  onTestFinished(() => admin.disconnect());
  const gateway = await start({ IDEMPOTENCY_STORE: 'off' });
  await untilCounting(gateway.url);
  await admin.config('SET', 'maxmemory', '1');
  expect(await countAdmitted(15, CLIENT, gateway.url)).toBe(15);
  expect(redisMessages(gateway)).toEqual([UNAVAILABLE]);
  await admin.config('SET', 'maxmemory', '0');
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([UNAVAILABLE, AVAILABLE]);
  });
  expect(await countAdmitted(15, LATER, gateway.url)).toBe(10);
});

test('delays requests only once if Redis does not respond', async () => {
  const gateway = await start();
  await untilCounting(gateway.url);
  redis.pause();
  const sentAt = performance.now();
  expect(await countAdmitted(200, CLIENT, gateway.url)).toBe(200);
  const elapsedMs = performance.now() - sentAt;
  console.log(`200 requests, twenty at a time, took ${Math.round(elapsedMs)} ms with an unresponsive Redis`);
  expect(elapsedMs).toBeLessThan(10_000);
  expect(redisMessages(gateway)).toEqual([UNAVAILABLE]);
  redis.resume();
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([UNAVAILABLE, AVAILABLE]);
  });
  expect(await countAdmitted(15, LATER, gateway.url)).toBe(10);
});
