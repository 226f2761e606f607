/** How the program starts with each form of Redis, and what it says of a wrong one. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
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
const start = (redisUrl: string, env: Readonly<Record<string, string>> = users[0]) =>
  startGatewayProcess({
    env: { NODE_ENV: 'production', SERVICE_URL: 'http://127.0.0.1:9', REDIS_URL: redisUrl, ...env },
  });
/** What the program prints when it does not start. */
const problemOf = async (...args: Parameters<typeof start>) => {
  const { code, stderr } = await start(...args).exited;
  return { code, problem: stderr.replace('Invalid configuration (1 problem):\n  REDIS_URL: ', '').trimEnd() };
};
const warningsIn = (stdout: string) =>
  parseLogLines(stdout)
    .filter(({ level }) => level !== 'info')
    .map(({ msg, reason, set }) => [msg, reason ?? set]);

const NO_CLUSTER = 'use one Redis, or a primary with replicas, without cluster mode';

describe.each(users)('With %o, the program exits with 1 and says what to use', (env) => {
  test('for a node of a Cluster', async () => {
    expect(await problemOf(node.url, env)).toEqual({
      code: 1,
      problem: `expected Redis without cluster mode, got a node of a Cluster: ${NO_CLUSTER}`,
    });
  });

  test('for a Sentinel', async () => {
    const [port] = sentinels.sentinels;
    expect(await problemOf(`redis://:5ecret@127.0.0.1:${port}`, env)).toEqual({
      code: 1,
      problem: 'expected Redis, got a Sentinel: use redis+sentinel://host:26379/name',
    });
  });
});

test('The program exits with 1 and says what to use for the URL of a Cluster', async () => {
  expect(await problemOf(`redis+cluster://:5ecret@127.0.0.1:${node.port}`)).toEqual({
    code: 1,
    problem: `expected redis:// or redis+sentinel://, got a Cluster: ${NO_CLUSTER}`,
  });
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
    'and REDIS_REPLICAS=%s of one, the program starts, says once what could lose keys, and stops',
    async (replicas, expected) => {
      const program = start(sentinels.url, {
        REDIS_REPLICAS: replicas,
        RATE_LIMIT: '600/60s',
        DRAIN_DELAY_MS: '0',
      });
      await program.listening();
      program.kill('SIGTERM');
      const { code, stdout, stderr } = await program.exited;
      expect([code, stderr, warningsIn(stdout)]).toEqual([0, '', expected]);
    },
  );

  test('the log says why none of them leads to a primary', async () => {
    const program = start(sentinels.url.replace(/keys$/, 'others'));
    onTestFinished(() => program.stop());
    await program.listening();
    await until(() => program.output().includes('sentinels are unreachable'));
    expect(warningsIn(program.output())).toEqual([
      [
        'Redis unavailable: idempotency keys are rejected',
        expect.stringContaining('Last error: ERR No such master with that name'),
      ],
    ]);
  });
});

test('the program exits with 1 if its user may not run WAIT where replicas must acknowledge', async () => {
  const { primary, replicas } = await startReplicated(1);
  onTestFinished(async () => {
    for (const server of [primary, ...replicas]) await server.kill();
  });
  await command(primary.port, 'ACL', 'SETUSER', 'gateway', 'on', '>5ecret', '+@all', '~*', '-wait');
  const { code, problem } = await problemOf(primary.url.replace('redis://', 'redis://gateway:5ecret@'), {
    REDIS_REPLICAS: '1',
  });
  expect([code, problem]).toEqual([
    1,
    expect.stringMatching(/^expected a user that may run EVAL, .+, and WAIT, got NOPERM .*wait/),
  ]);
});
