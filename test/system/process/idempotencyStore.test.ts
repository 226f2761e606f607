/** How the program starts with the Redis of the idempotency keys. */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { untilHolds } from '../../support/tools/waiting.js';

const EVICTS = `Invalid configuration (1 problem):
  REDIS_URL: expected maxmemory-policy noeviction, got allkeys-lru: an evicted key would let its write be sent twice
`;
const UNAVAILABLE = 'Redis unavailable: idempotency keys are rejected';
const AVAILABLE = 'Redis available: idempotency keys are accepted';

const reason = reasonToSkip('redis-server');
skipIf(reason);
let server: Awaited<ReturnType<typeof startRedis>>;
let redis: Redis;
beforeEach(async () => {
  if (reason !== undefined) return;
  server = await startRedis();
  redis = new Redis(server.url);
  redis.on('error', () => undefined);
});
afterEach(() => {
  redis.disconnect();
  killProcesses();
});

const start = (env: Record<string, string> = {}) =>
  startGatewayProcess({
    env: { NODE_ENV: 'production', SERVICE_URL: 'http://127.0.0.1:9', REDIS_URL: server.url, ...env },
  });
const messagesIn = (stdout: string) => parseLogLines(stdout).map(({ msg }) => msg);

describe('With a Redis that evicts', () => {
  beforeEach(async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  });

  test('the program says so, and exits with 1', async () => {
    expect(await start().exited).toEqual({ code: 1, signal: null, stdout: '', stderr: EVICTS });
  });

  test('it starts if idempotency keys are off', async () => {
    const program = start({ IDEMPOTENCY_STORE: 'off', RATE_LIMIT: '600/60s' });
    await program.listening();
    expect(messagesIn(program.output())).not.toContain(UNAVAILABLE);
  });
});

describe('With a Redis whose user may not run all that the gateway sends', () => {
  const USER = ['ACL', 'SETUSER', 'gateway', 'reset', 'on', '>secret', '+@all', '~*'] as const;
  const asUser = () => server.url.replace('redis://', 'redis://gateway:secret@');

  test.each([
    ['scripts', ['-@scripting'], /NOPERM .*'?eval'? command/],
    ['a command of the scripts', ['-pttl'], /ACL|NOPERM|user executing the script/],
    ['its keys', ['resetkeys', '~other:*'], /NOPERM .*key/],
  ])('the program says so, and exits with 1: %s', async (_missing, rules, reply) => {
    await redis.call(...USER, ...rules);
    const { code, stderr } = await start({ REDIS_URL: asUser() }).exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^ {2}REDIS_URL: expected a user that may run EVAL, .+, got /m);
    expect(stderr).toMatch(reply);
  });

  test('it starts, and leaves no key, if it may run them', async () => {
    await redis.call(...USER, 'resetkeys', '~shipment-graphql-gateway:*', '-@all', '+info', '+eval');
    await redis.call('ACL', 'SETUSER', 'gateway', '+get', '+set', '+del', '+pttl', '+quit');
    const program = start({ REDIS_URL: asUser() });
    await program.listening();
    expect(messagesIn(program.output())).not.toContain(UNAVAILABLE);
    await untilHolds(async () => expect(await server.keys()).toEqual([]));
  });
});

test('reports no outage when it shuts down', async () => {
  const program = start({ DRAIN_DELAY_MS: '0', RATE_LIMIT: '600/60s' });
  await program.listening();
  program.kill('SIGTERM');
  const { code, stdout } = await program.exited;
  expect(code).toBe(0);
  expect(messagesIn(stdout)).not.toContain(UNAVAILABLE);
});

test('starts without Redis, and accepts keys as soon as it is available', async () => {
  await server.kill();
  const program = start();
  const messages = () =>
    messagesIn(program.output()).filter((each) => each === UNAVAILABLE || each === AVAILABLE);
  await program.listening();
  await untilHolds(() => {
    expect(messages()).toEqual([UNAVAILABLE]);
  });
  await startRedis(server.port);
  await untilHolds(() => {
    expect(messages()).toEqual([UNAVAILABLE, AVAILABLE]);
  });
});
