/** How the program starts with each form of Redis, and what it says of a wrong one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import {
  command,
  startCluster,
  startSentinels,
  type ClusterTopology,
  type SentinelTopology,
} from '../../support/process/redisTopologies.js';
import { startRedis } from '../../support/process/redis.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';

const reason = reasonToSkip('redis-server');
skipIf(reason);
let single: Awaited<ReturnType<typeof startRedis>>;
let sentinels: SentinelTopology;
let cluster: ClusterTopology;
beforeAll(async () => {
  if (reason !== undefined) return;
  [single, sentinels, cluster] = await Promise.all([startRedis(), startSentinels(1), startCluster()]);
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

describe.each(users)('With %o, the program exits with 1 and names the URL to use', (env) => {
  test('for a node of a Cluster', async () => {
    const port = (await cluster.shards())[0]?.port;
    expect(await problemOf(`redis://:5ecret@127.0.0.1:${port}`, env)).toEqual({
      code: 1,
      problem: `expected a single Redis, got a node of a Cluster: use redis+cluster://[hidden]@127.0.0.1:${port}`,
    });
  });

  test('for a Sentinel', async () => {
    const port = sentinels.sentinels[0]?.port;
    expect(await problemOf(`redis://127.0.0.1:${port}`, env)).toEqual({
      code: 1,
      problem: `expected a single Redis, got a Sentinel: use redis+sentinel://127.0.0.1:${port}/keys`,
    });
  });

  test('for a single Redis as a Cluster, or as a Sentinel', async () => {
    const host = `127.0.0.1:${single.port}`;
    expect(await problemOf(`redis+cluster://${host}`, env)).toEqual({
      code: 1,
      problem: `expected nodes of a Cluster, got a single Redis: use redis://${host}`,
    });
    expect(await problemOf(`redis+sentinel://${host}/keys`, env)).toEqual({
      code: 1,
      problem: `expected Sentinels, got a Redis server: use redis://${host}`,
    });
  });

  test('for a name that the Sentinels do not know', async () => {
    expect(await problemOf(sentinels.url.replace(/keys$/, 'others'), env)).toEqual({
      code: 1,
      problem: 'expected a name that the Sentinels monitor, got others',
    });
  });
});

describe.each<[form: string, url: () => string, ports: () => Promise<{ primary: number; replica: number }>]>([
  [
    'Sentinels',
    () => sentinels.url,
    async () => {
      const primary = await sentinels.primary();
      const replica = sentinels.servers.find((each) => each !== primary);
      return { primary: primary.port, replica: replica?.port ?? 0 };
    },
  ],
  [
    'a Cluster',
    () => cluster.url,
    async () => {
      const last = (await cluster.shards()).at(-1);
      return { primary: last?.port ?? 0, replica: last?.replicas[0] ?? 0 };
    },
  ],
])('With %s', (_form, url, ports) => {
  test('the program starts, says once what could lose keys, and stops', async () => {
    const program = start(url(), { RATE_LIMIT: '600/60s', DRAIN_DELAY_MS: '0' });
    await program.listening();
    program.kill('SIGTERM');
    const { code, stdout, stderr } = await program.exited;
    const warnings = parseLogLines(stdout).filter(({ level }) => level !== 'info');
    expect([code, stderr, warnings.map(({ msg }) => msg)]).toEqual([
      0,
      '',
      ['Redis has no append-only file: idempotency keys may be lost when it restarts'],
    ]);
  });

  test.each(['primary', 'replica'] as const)('the program exits with 1 if a %s evicts', async (role) => {
    const port = (await ports())[role];
    await command(port, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    const problem = await problemOf(url());
    await command(port, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    expect(problem).toEqual({
      code: 1,
      problem:
        'expected maxmemory-policy noeviction, got allkeys-lru: an evicted key would allow its write a second time',
    });
  });
});
