import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pMap from 'p-map';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { scrape } from '../../support/telemetry/metrics.js';
import { freePort } from '../../support/tools/freePort.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { until, untilHolds } from '../../support/tools/waiting.js';

const TYPENAME = JSON.stringify({ query: '{ __typename }' });
const UNAVAILABLE = 'Redis unavailable: rate limits are counted per process';
const AVAILABLE = 'Redis available: rate limits are shared';

const [CLIENT, OTHER, LATER, NOBODY] = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'] as const;

/** A command and its arguments. */
type RedisCommand = [command: string, ...args: string[]];

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
    startGatewayProcess({ env: { ...env, RATE_LIMIT: '500/60s', TRUST_PROXY: '1', REDIS_URL: redis.url } }),
  );
  const urls = await Promise.all(programs.map(async (program) => `${await program.listening()}/graphql`));
  await Promise.all(urls.map(untilCounting));
  const admitted = await countAdmitted(1000, CLIENT, ...urls);
  console.log(`Of 1000 requests over two processes, with a limit of 500, ${admitted} were admitted`);
  expect(programs.flatMap(({ output }) => output().match(UNAVAILABLE))).toEqual([null, null]);
  expect(admitted).toBe(500);

  const keys = await redis.keys();
  expect(keys.sort()).toEqual([CLIENT, NOBODY].map((key) => `shipment-graphql-gateway:rate:${key}`));
});

test('counts in the process while Redis is down, logs that once, and shares the count when it is back', async () => {
  const gateway = await start();
  await untilCounting(gateway.url);
  expect(await countAdmitted(15, CLIENT, gateway.url)).toBe(10);
  const { port } = redis;
  const load = countAdmitted(300, CLIENT, gateway.url);
  await redis.kill();
  expect(await load).toBeLessThanOrEqual(10);
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([UNAVAILABLE]);
  });
  expect(await countAdmitted(100, OTHER, gateway.url)).toBe(10);
  expect(redisMessages(gateway)).toEqual([UNAVAILABLE]);

  await startRedis(port);
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([UNAVAILABLE, AVAILABLE]);
  });
  expect(await countAdmitted(15, CLIENT, gateway.url)).toBe(10);
});

test.each<[what: string, code: string, sicken: RedisCommand[], heal: RedisCommand[]]>([
  ['is out of memory', 'OOM', [['CONFIG', 'SET', 'maxmemory', '1']], [['CONFIG', 'SET', 'maxmemory', '0']]],
  ['is a read-only replica', 'READONLY', [['REPLICAOF', '127.0.0.1', '1']], [['REPLICAOF', 'NO', 'ONE']]],
  [
    'requires a password',
    'NOAUTH',
    [
      ['CONFIG', 'SET', 'requirepass', 'secret'],
      ['CLIENT', 'KILL', 'SKIPME', 'yes'],
    ],
    [['CONFIG', 'SET', 'requirepass', '']],
  ],
])('counts in the process while Redis %s, and says so once', async (_what, code, sicken, heal) => {
  const admin = new Redis(redis.url);
  admin.on('error', () => undefined);
  onTestFinished(() => admin.disconnect());
  const run = async (commands: RedisCommand[]) => {
    for (const [command, ...args] of commands) await admin.call(command, ...args);
  };
  const connections = async () =>
    Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1]);
  const gateway = await start();
  expect(await countAdmitted(15, CLIENT, gateway.url)).toBe(10);
  expect(redisMessages(gateway)).toEqual([]);

  await run(sicken);
  const before = await connections();
  expect(await countAdmitted(60, CLIENT, gateway.url)).toBeLessThanOrEqual(10);
  await until(async () => (await connections()) > before); // for another test count
  expect(await countAdmitted(60, CLIENT, gateway.url)).toBe(0);
  expect(await countAdmitted(15, OTHER, gateway.url)).toBe(10);
  expect(redisMessages(gateway)).toEqual([UNAVAILABLE]);
  const [line] = gateway.logLines.filter(({ msg }) => msg === UNAVAILABLE);
  expect(line?.['reason']).toMatch(code === 'NOAUTH' ? /NOAUTH|Connection closed/ : new RegExp(code));

  await run(heal);
  await until(() => redisMessages(gateway).length > 1);
  expect(await countAdmitted(15, LATER, gateway.url)).toBe(10);
  expect(redisMessages(gateway)).toEqual([UNAVAILABLE, AVAILABLE]);
});

test('says once that Redis is out of memory for the rate limit, and once for idempotency keys', async () => {
  const admin = new Redis(redis.url);
  onTestFinished(() => admin.disconnect());
  const gateway = await start({ RATE_LIMIT: '1000/60s', IDEMPOTENCY_STORE: 'redis' });
  const mutation = `mutation { deleteNotification(notificationGuid: "any", idempotencyKey: "$KEY") { notificationGuid } }`;
  await admin.config('SET', 'maxmemory', '1');
  for (let count = 0; count < 5; count += 1) {
    const { errors } = await gateway.execute(mutation.replace('$KEY', randomUUID()));
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['IDEMPOTENCY_UNAVAILABLE']);
  }
  await admin.config('SET', 'maxmemory', '0');
  await until(() => redisMessages(gateway).includes(AVAILABLE));
  await gateway.execute(mutation.replace('$KEY', randomUUID()));
  const messages = gateway.logLines
    .map(({ msg }) => String(msg))
    .filter((msg) => /^Redis (?:un)?available/.test(msg));
  expect(messages.sort()).toEqual(
    [
      UNAVAILABLE,
      AVAILABLE,
      'Redis unavailable: idempotency keys are rejected',
      'Redis available: idempotency keys are accepted',
    ].sort(),
  );
});

test('delays requests only once if Redis does not respond', async () => {
  const gateway = await start();
  await untilCounting(gateway.url);
  redis.pause();
  const sentAt = performance.now();
  expect(await countAdmitted(500, CLIENT, gateway.url)).toBeLessThanOrEqual(10);
  const elapsedMs = performance.now() - sentAt;
  console.log(`500 requests, twenty at a time, took ${Math.round(elapsedMs)} ms with an unresponsive Redis`);
  expect(elapsedMs).toBeLessThan(10_000);
  expect(await countAdmitted(15, OTHER, gateway.url)).toBe(10);
  expect(redisMessages(gateway)).toEqual([UNAVAILABLE]);
  redis.resume();
  await untilHolds(() => {
    expect(redisMessages(gateway)).toEqual([UNAVAILABLE, AVAILABLE]);
  });
  expect(await countAdmitted(15, LATER, gateway.url)).toBe(10);
});

test.each<[state: string, stop: () => Promise<void>, restart: () => unknown]>([
  [
    'does not respond',
    () => {
      redis.pause();
      return Promise.resolve();
    },
    () => redis.resume(),
  ],
  ['is down', () => redis.kill(), () => startRedis(redis.port)],
])(
  'starts while Redis %s, and shares the count as soon as it is available',
  async (_state, stop, restart) => {
    await stop();
    const gateway = await start({ IDEMPOTENCY_STORE: 'off' });
    expect(await countAdmitted(50, CLIENT, gateway.url)).toBe(10);
    await restart();
    await untilHolds(() => {
      expect(redisMessages(gateway)).toEqual([UNAVAILABLE, AVAILABLE]);
    });
    expect(await countAdmitted(15, CLIENT, gateway.url)).toBe(10);
  },
);

test('a metric shows whether processes share the limit', async () => {
  const metricsPort = await freePort();
  const gateway = await start({ METRICS_PORT: String(metricsPort) });
  const shared = async () =>
    (await scrape(`http://127.0.0.1:${metricsPort}/metrics`))['shipment_gateway_rate_limit_shared'];
  await countAdmitted(5, CLIENT, gateway.url);
  expect(await shared()).toBe(1);
  const { port } = redis;
  await redis.kill();
  await until(async () => (await shared()) === 0);
  await startRedis(port);
  await until(async () => (await shared()) === 1);
});
