/** How the gateway starts with the Redis of the idempotency keys. */
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../../src/config/config.js';
import { startInProcessGateway, type InProcessGateway } from '../../support/gateway/inProcessGateway.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
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

const service = { url: 'http://127.0.0.1:9', stop: () => Promise.resolve() };
const envWith = (env: Record<string, string>) => ({
  NODE_ENV: 'production',
  SERVICE_URL: service.url,
  REDIS_URL: server.url,
  ...env,
});
/** A gateway that stops with the test. */
const start = async (env: Record<string, string> = {}) => {
  const gateway = await startInProcessGateway(service, { env: envWith(env) });
  onTestFinished(() => gateway.stop());
  return gateway;
};
const messagesOf = ({ logLines }: InProcessGateway) =>
  logLines.map(({ msg }) => msg).filter((each) => each === UNAVAILABLE || each === AVAILABLE);

describe('With a Redis that evicts', () => {
  beforeEach(async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  });

  test('the program says so, and exits with 1', async () => {
    const program = startGatewayProcess({ env: envWith({}) });
    expect(await program.exited).toEqual({ code: 1, signal: null, stdout: '', stderr: EVICTS });
  });

  test('it starts if idempotency keys are off', async () => {
    expect(messagesOf(await start({ IDEMPOTENCY_STORE: 'off', RATE_LIMIT: '600/60s' }))).toEqual([]);
  });
});

describe('With a Redis whose user may not run all that the gateway sends', () => {
  const USER = ['ACL', 'SETUSER', 'gateway', 'reset', 'on', '>secret', '+@all', '~*'] as const;
  const asUser = () => server.url.replace('redis://', 'redis://gateway:secret@');

  test.each([
    ['scripts', ['-@scripting'], /NOPERM .*'?eval'? command/],
    ['a command of the scripts', ['-pttl'], /ACL|NOPERM|user executing the script/],
    ['its keys', ['resetkeys', '~other:*'], /NOPERM .*key/],
  ])('it does not start, and says so: %s', async (_missing, rules, reply) => {
    await redis.call(...USER, ...rules);
    const problems = await start({ REDIS_URL: asUser() }).then(
      () => 'none',
      (error: unknown) => error instanceof ConfigError && error.problems.join(),
    );
    expect(problems).toMatch(/^REDIS_URL: expected a user that may run EVAL, .+, got /);
    expect(problems).toMatch(reply);
  });

  test('it starts, and leaves no key, if it may run them', async () => {
    await redis.call(...USER, 'resetkeys', '~{shipment-graphql-gateway}:*', '-@all', '+info', '+eval');
    await redis.call('ACL', 'SETUSER', 'gateway', '+get', '+set', '+del', '+pttl', '+quit');
    expect(messagesOf(await start({ REDIS_URL: asUser() }))).toEqual([]);
    await untilHolds(async () => expect(await server.keys()).toEqual([]));
  });
});

test('reports no outage when it shuts down', async () => {
  const gateway = await start({ RATE_LIMIT: '600/60s' });
  await gateway.stop();
  expect(messagesOf(gateway)).toEqual([]);
});

test('starts without Redis, and accepts keys as soon as it is available', async () => {
  await server.kill();
  const gateway = await start();
  await untilHolds(() => expect(messagesOf(gateway)).toEqual([UNAVAILABLE]));
  await startRedis(server.port);
  await untilHolds(() => expect(messagesOf(gateway)).toEqual([UNAVAILABLE, AVAILABLE]));
});
