/** How the gateway starts with each form of Redis, and what it says of a wrong one. idempotencyStore.test.ts has the exit of the program. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../../../src/config/config.js';
import { startInProcessGateway, type InProcessGateway } from '../../support/gateway/inProcessGateway.js';
import { startRedis } from '../../support/process/redis.js';
import {
  command,
  startReplicated,
  startSentinels,
  type SentinelTopology,
} from '../../support/process/redisTopologies.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { freePort } from '../../support/tools/freePort.js';
import { until } from '../../support/tools/waiting.js';

const reason = reasonToSkip('redis-server');
skipIf(reason);
let sentinels: SentinelTopology;
let node: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  if (reason !== undefined) return;
  [sentinels, node] = await Promise.all([
    startSentinels(1),
    // The default of the port of the bus may be that of an outgoing connection.
    startRedis(undefined, ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())]),
  ]);
});
afterAll(() => {
  killProcesses();
  sentinels.stop();
});

/** For the idempotency keys, or for the rate limit alone. */
const users = [{ IDEMPOTENCY_STORE: 'redis' }, { IDEMPOTENCY_STORE: 'off', RATE_LIMIT: '600/60s' }] as const;
const service = { url: 'http://127.0.0.1:9', stop: () => Promise.resolve() };
const start = (redisUrl: string, env: Readonly<Record<string, string>> = users[0]) =>
  startInProcessGateway(service, { env: { NODE_ENV: 'production', REDIS_URL: redisUrl, ...env } });
/** Why it does not start. */
const problemOf = (...args: Parameters<typeof start>) =>
  start(...args).then(
    () => 'It starts.',
    (error: unknown) => error instanceof ConfigError && error.problems.join().replace('REDIS_URL: ', ''),
  );
const warningsOf = ({ logLines }: InProcessGateway) =>
  logLines.filter(({ level }) => Number(level) > 30).map(({ msg, reason, set }) => [msg, reason ?? set]);

const NO_CLUSTER = 'use one Redis, or a primary with replicas, without cluster mode';

describe.each(users)('With %o, the gateway does not start, and says what to use', (env) => {
  test('for a node of a Cluster', async () => {
    expect(await problemOf(node.url, env)).toBe(
      `expected Redis without cluster mode, got a node of a Cluster: ${NO_CLUSTER}`,
    );
  });

  test('for a Sentinel', async () => {
    const [port] = sentinels.sentinels;
    expect(await problemOf(`redis://:5ecret@127.0.0.1:${port}`, env)).toBe(
      'expected Redis, got a Sentinel: use redis+sentinel://host:26379/name',
    );
  });
});

test('The gateway says what to use for the URL of a Cluster', async () => {
  expect(await problemOf(`redis+cluster://:5ecret@127.0.0.1:${node.port}`)).toBe(
    `expected redis:// or redis+sentinel://, got a Cluster: ${NO_CLUSTER}`,
  );
});

describe('With Sentinels', () => {
  test.each([
    [
      '0',
      [
        [
          'Redis has more replicas than REDIS_REPLICAS: a failover could lose idempotency keys',
          'REDIS_REPLICAS=1',
        ],
      ],
    ],
    ['1', []],
    [
      '2',
      [
        [
          'Redis unavailable: idempotency keys are rejected',
          'expected 2 replicas to acknowledge, got 1: a failover could lose keys',
        ],
      ],
    ],
  ])(
    'and REDIS_REPLICAS=%s of one, the gateway starts, says once what could lose keys, and stops',
    async (replicas, expected) => {
      const env = { REDIS_REPLICAS: replicas, RATE_LIMIT: '600/60s' };
      const gateway = await start(sentinels.url, env);
      await gateway.stop();
      expect(warningsOf(gateway)).toEqual(expected);
    },
  );

  test('the log says why none of them leads to a primary', async () => {
    const gateway = await start(sentinels.url.replace(/keys$/, 'others'));
    onTestFinished(() => gateway.stop());
    await until(() => warningsOf(gateway).length > 0);
    expect(warningsOf(gateway)).toEqual([
      [
        'Redis unavailable: idempotency keys are rejected',
        expect.stringContaining('Last error: ERR No such master with that name'),
      ],
    ]);
  });
});

test('the gateway does not start if its user may not run WAIT where replicas must acknowledge', async () => {
  const { primary, replicas } = await startReplicated(1);
  onTestFinished(async () => {
    for (const server of [primary, ...replicas]) await server.kill();
  });
  await command(primary.port, 'ACL', 'SETUSER', 'gateway', 'on', '>5ecret', '+@all', '~*', '-wait');
  const url = primary.url.replace('redis://', 'redis://gateway:5ecret@');
  expect(await problemOf(url, { REDIS_REPLICAS: '1' })).toMatch(
    /^expected a user that may run EVAL, .+, and WAIT, got NOPERM .*wait/,
  );
});
