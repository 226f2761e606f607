import { once } from 'node:events';
import { connect } from 'node:net';
import pMap from 'p-map';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGateway, TOKEN, type TestGateway } from '../../support/gateway/gateway.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { until, untilHolds } from '../../support/tools/waiting.js';

const TYPENAME = JSON.stringify({ query: '{ __typename }' });
const SUSPENDED = 'Redis unavailable: rate limiting suspended';
const RESUMED = 'Redis available: rate limiting resumed';

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
  const limits = { RATE_LIMIT: '10/60s', RATE_LIMIT_PER_ADDRESS: '100000/60s' };
  const gateway = await startGateway({ env: { ...limits, REDIS_URL: redis.url, ...env } });
  gateways.push(gateway);
  return gateway;
}

/** Waits until a gateway counts requests. Uses a separate token. */
async function untilCounting(url: string): Promise<void> {
  await untilHolds(async () => {
    const before = await send(url, 'nobody');
    const after = await send(url, 'nobody');
    expect(remaining(after)).toBe(remaining(before) - 1);
  });
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

/** Sends requests, 20 at a time; returns how many are admitted, and fails unless all others get 429. */
async function countAdmitted(requests: number, token: string, ...urls: string[]): Promise<number> {
  const targets = Array.from({ length: requests }, (_, index) => urls[index % urls.length] ?? '');
  const statuses = await pMap(targets, async (url) => (await send(url, token)).status, { concurrency: 20 });
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
  return statuses.filter((status) => status === 200).length;
}

function redisMessages({ logLines }: TestGateway): unknown[] {
  return logLines.map(({ msg }) => msg).filter((msg) => msg === SUSPENDED || msg === RESUMED);
}

test('enforces one limit across two processes and keeps the token out of Redis', async () => {
  const env = { NODE_ENV: 'production', SERVICE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'info' };
  const programs = [1, 2].map(() =>
    startGatewayProcess({ env: { ...env, RATE_LIMIT: '500/60s', REDIS_URL: redis.url } }),
  );
  const urls = await Promise.all(programs.map(async (program) => `${await program.listening()}/graphql`));
  await Promise.all(urls.map(untilCounting));
  const admitted = await countAdmitted(1000, TOKEN, ...urls);
  console.log(`Of 1000 requests over two processes, with a limit of 500, ${admitted} were admitted`);
  expect(programs.flatMap(({ output }) => output().match(SUSPENDED))).toEqual([null, null]);
  expect(admitted).toBe(500);

  const keys = await redis.keys();
  expect(keys.filter((key) => /^shipment-graphql-gateway:rate:[\w-]{43}$/.test(key)).length).toBe(2);
  expect(keys.filter((key) => key === 'shipment-graphql-gateway:rate:address:127.0.0.1').length).toBe(1);
  expect(keys.length).toBe(3);
});

test('enforces one limit per address across two gateways, whatever tokens it sends', async () => {
  const both = [
    await start({ RATE_LIMIT_PER_ADDRESS: '60/60s' }),
    await start({ RATE_LIMIT_PER_ADDRESS: '60/60s' }),
  ];
  await until(async () => {
    for (const { url } of both) await send(url, 'nobody');
    return (await redis.keys()).some((key) => key.includes(':address:'));
  });
  const tokens = Array.from({ length: 100 }, (_, index) => `token-${index}`);
  const statuses = await pMap(
    tokens,
    async (token, index) => (await send(both[index % 2]?.url ?? '', token)).status,
    {
      concurrency: 10,
    },
  );
  const admitted = statuses.filter((status) => status === 200).length;
  expect(admitted).toBeGreaterThan(40);
  expect(admitted).toBeLessThan(60); // the requests before count as well
  expect(statuses.filter((status) => status === 429).length).toBe(100 - admitted);
});

test('admits all requests while Redis is down, logs that once, and counts again when it is back', async () => {
  const gateway = await start();
  await untilCounting(gateway.url);
  expect(await countAdmitted(15, TOKEN, gateway.url)).toBe(10);
  const { port } = redis;
  const load = countAdmitted(300, TOKEN, gateway.url);
  await redis.kill();
  expect(await load).toBeGreaterThan(200);
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([SUSPENDED]);
  });
  expect(await countAdmitted(100, TOKEN, gateway.url)).toBe(100);
  expect(redisMessages(gateway)).toEqual([SUSPENDED]);

  await startRedis(port);
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([SUSPENDED, RESUMED]);
  });
  expect(await countAdmitted(15, TOKEN, gateway.url)).toBe(10);
});

test('delays requests only once if Redis does not respond', async () => {
  const gateway = await start();
  await untilCounting(gateway.url);
  redis.pause();
  const sentAt = performance.now();
  expect(await countAdmitted(500, TOKEN, gateway.url)).toBe(500);
  const elapsedMs = performance.now() - sentAt;
  console.log(`500 requests, twenty at a time, took ${Math.round(elapsedMs)} ms with an unresponsive Redis`);
  expect(elapsedMs).toBeLessThan(10_000);
  expect(redisMessages(gateway)).toEqual([SUSPENDED]);
  redis.resume();
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([SUSPENDED, RESUMED]);
  });
  expect(await countAdmitted(15, 'later', gateway.url)).toBe(10);
});

test('makes no REST call for a client that disconnects while Redis has yet to respond', async () => {
  const gateway = await start();
  await untilCounting(gateway.url);
  gateway.takeCalls();
  redis.pause();
  const { hostname, port } = new URL(gateway.url);
  const client = connect(Number(port), hostname);
  const query = encodeURIComponent('{ notifications { totalPossibleCount } }');
  const requestLine = `GET /graphql?query=${query} HTTP/1.1`;
  client.write(
    `${requestLine}\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\napollo-require-preflight: 1\r\n\r\n`,
  );
  await once(client, 'connect');
  const disconnected = () =>
    gateway.logLines.some(({ msg, method }) => msg === 'Request' && method === 'GET');
  client.destroy();
  await until(disconnected);
  redis.resume();
  await gateway.data('{ notifications { totalPossibleCount } }');
  expect(gateway.takeCalls().length).toBe(1); // not that of the first request, which would have been sent before
});

test('starts without Redis and counts as soon as it is available', async () => {
  const { port } = redis;
  await redis.kill();
  const gateway = await start();
  expect(await countAdmitted(50, TOKEN, gateway.url)).toBe(50);
  await startRedis(port);
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([SUSPENDED, RESUMED]);
  });
  expect(await countAdmitted(15, TOKEN, gateway.url)).toBe(10);
});
