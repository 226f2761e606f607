import pMap from 'p-map';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startGateway, TOKEN, type TestGateway } from '../../support/gateway/gateway.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';

const TYPENAME = JSON.stringify({ query: '{ __typename }' });
const LOST = 'Redis unavailable: rate limiting suspended';
const BACK = 'Redis available: rate limiting resumed';

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

async function start(): Promise<TestGateway> {
  const gateway = await startGateway({ env: { RATE_LIMIT: '10/60s', REDIS_URL: redis.url } });
  gateways.push(gateway);
  return gateway;
}

/** Waits until a gateway counts, the requests for this test apart. */
async function counts(url: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const before = await send(url, 'nobody');
      const after = await send(url, 'nobody');
      expect(remaining(after)).toBe(remaining(before) - 1);
    },
    { timeout: 10_000 },
  );
}

function remaining({ headers }: Response): number {
  return Number(headers.get('x-ratelimit-remaining'));
}

async function send(url: string, token: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(url, { method: 'POST', headers, body: TYPENAME });
  await response.arrayBuffer();
  return response;
}

/** How many of so many requests, twenty at a time, were let through; the others were refused with 429. */
async function admitted(requests: number, token: string, ...urls: string[]): Promise<number> {
  const turns = Array.from({ length: requests }, (_, index) => urls[index % urls.length] ?? '');
  const statuses = await pMap(turns, async (url) => (await send(url, token)).status, { concurrency: 20 });
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

function told({ logLines }: TestGateway): unknown[] {
  return logLines.map(({ msg }) => msg).filter((msg) => msg === LOST || msg === BACK);
}

test('two processes admit no more than one limit allows, and Redis does not see the token', async () => {
  const env = { NODE_ENV: 'production', SERVICE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'info' };
  const programs = [1, 2].map(() =>
    startGatewayProcess({ env: { ...env, RATE_LIMIT: '500/60s', REDIS_URL: redis.url } }),
  );
  const urls = await Promise.all(programs.map(async (program) => `${await program.listening()}/graphql`));
  await Promise.all(urls.map(counts));
  const admissions = await admitted(1000, TOKEN, ...urls);
  console.log(`Of 1000 requests over two processes, with a limit of 500, ${admissions} were admitted`);
  expect(programs.flatMap(({ output }) => output().match(LOST))).toEqual([null, null]);
  expect(admissions).toBe(500);

  const keys = await redis.keys();
  expect(keys.length).toBe(2);
  for (const key of keys) expect(key).toMatch(/^shipment-graphql-gateway:rate:[\w-]{43}$/);
});

test('while Redis is gone all requests are admitted, which is logged once, and counted when it is back', async () => {
  const gateway = await start();
  await counts(gateway.url);
  expect(await admitted(15, TOKEN, gateway.url)).toBe(10);
  const { port } = redis;
  const load = admitted(300, TOKEN, gateway.url);
  await redis.kill();
  expect(await load).toBeGreaterThan(200);
  await vi.waitFor(() => {
    expect(told(gateway)).toEqual([LOST]);
  });
  expect(await admitted(100, TOKEN, gateway.url)).toBe(100);
  expect(told(gateway)).toEqual([LOST]);

  await startRedis(port);
  await vi.waitFor(
    () => {
      expect(told(gateway)).toEqual([LOST, BACK]);
    },
    { timeout: 10_000 },
  );
  expect(await admitted(15, TOKEN, gateway.url)).toBe(10);
});

test('a Redis that is silent holds requests up once, for its timeout', async () => {
  const gateway = await start();
  await counts(gateway.url);
  redis.pause();
  const sentAt = performance.now();
  expect(await admitted(500, TOKEN, gateway.url)).toBe(500);
  const elapsedMs = performance.now() - sentAt;
  console.log(`500 requests, twenty at a time, took ${Math.round(elapsedMs)} ms with a silent Redis`);
  expect(elapsedMs).toBeLessThan(10_000);
  expect(told(gateway)).toEqual([LOST]);
  redis.resume();
  await vi.waitFor(
    () => {
      expect(told(gateway)).toEqual([LOST, BACK]);
    },
    { timeout: 10_000 },
  );
  expect(await admitted(15, 'later', gateway.url)).toBe(10);
});

test('a gateway starts without Redis, and counts as soon as it is there', async () => {
  const { port } = redis;
  await redis.kill();
  const gateway = await start();
  expect(await admitted(50, TOKEN, gateway.url)).toBe(50);
  await startRedis(port);
  await vi.waitFor(
    () => {
      expect(told(gateway)).toEqual([LOST, BACK]);
    },
    { timeout: 10_000 },
  );
  expect(await admitted(15, TOKEN, gateway.url)).toBe(10);
});
