/** Idempotency keys in a Redis with replicas: at most one write per key, whenever and however the primary dies. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startInProcessGateway } from '../../support/gateway/inProcessGateway.js';
import { keyedWrites, said, track, type KeyedWrite } from '../../support/graphql/keyedWrites.js';
import { startRedisProxy, type RedisProxy, type RedisStep } from '../../support/process/redisProxy.js';
import { startRedis } from '../../support/process/redis.js';
import {
  command,
  infoOf,
  onlineReplicas,
  startReplica,
  startReplicated,
  startSentinels,
  untilReplicas,
  type MortalProcess,
  type RunningRedis,
} from '../../support/process/redisTopologies.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { sizes } from '../../support/tools/scale.js';
import { until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';

skipIf(reasonToSkip('redis-server'));

const service = useStarted(startFaultServer);
const stops: (() => Promise<void> | void)[] = [];
afterAll(() => killProcesses());
beforeEach(() => {
  service.plan = () => undefined;
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const env = { NODE_ENV: 'production', SERVICE_TIMEOUT_MS: '5000', IDEMPOTENCY_KEYS_PER_HOUR: '1000000' };

async function start(redisUrl: string) {
  // The service is that of all tests.
  const gateway = await startInProcessGateway(
    { url: service.url, stop: () => Promise.resolve() },
    { env: { ...env, REDIS_URL: redisUrl } },
  );
  stops.push(() => gateway.stop());
  return gateway;
}

async function startProxy(redisUrl: string): Promise<RedisProxy & { port: number }> {
  const proxy = await startRedisProxy(redisUrl);
  stops.push(() => proxy.stop());
  return Object.assign(proxy, { port: Number(new URL(proxy.url).port) });
}

/** A busy machine may be too slow to acknowledge a claim. */
async function trackUntilSent(url: string, write: KeyedWrite, isDead = () => false): Promise<string> {
  for (;;) {
    const response = await track(url, write);
    if (response !== said.unavailable || isDead()) return response;
  }
}
const timesOf = ({ subject }: KeyedWrite) => service.timesExecuted('POST', subject);

describe('One server with a replica:', () => {
  /** A primary, whose clients and whose replica are connected through a proxy each. */
  const startPair = async () => {
    const { primary } = await startReplicated(0);
    const toClients = await startProxy(primary.url);
    const toReplica = await startProxy(primary.url);
    const replica = await startReplica(toReplica.port);
    stops.push(
      () => primary.kill(),
      () => replica.kill(),
    );
    await untilReplicas(primary.port, 1);
    return { primary, replica, toClients, toReplica };
  };

  test('claims that a lagging replica does not have are rejected, and each key is written once after the failover', async () => {
    const { primary, replica, toReplica } = await startPair();
    const before = await start(primary.url);
    const all = keyedWrites(20);
    toReplica.onStep = () => false;
    const first = await Promise.all(all.map((each) => track(before.url, each)));
    const timesBefore = all.map(timesOf);
    await primary.kill();
    await command(replica.port, 'REPLICAOF', 'NO', 'ONE');
    const after = await start(replica.url);
    const repeats = await Promise.all(all.map((each) => track(after.url, each)));
    expect({ first, timesBefore, repeats, times: all.map(timesOf) }).toEqual({
      first: all.map(() => said.unavailable),
      timesBefore: all.map(() => 0),
      repeats: all.map(() => said.success),
      times: all.map(() => 1),
    });
  });

  test('without any replica left, keys are rejected until one is back: another may have been promoted', async () => {
    const { primary, replica, toReplica } = await startPair();
    const gateway = await start(primary.url);
    const all = keyedWrites(4);
    const responses = [await trackUntilSent(gateway.url, all[0] as KeyedWrite)];
    await replica.kill();
    await untilReplicas(primary.port, 0);
    responses.push(await track(gateway.url, all[1] as KeyedWrite));
    await sleep(1500); // the primary has been asked again
    responses.push(await track(gateway.url, all[2] as KeyedWrite));
    const another = await startReplica(toReplica.port);
    stops.push(() => another.kill());
    await until(async () => (await track(gateway.url, all[3] as KeyedWrite)) === said.success, 100);
    expect(responses).toEqual([said.success, said.unavailable, said.unavailable]);
    expect(all.map(timesOf)).toEqual([1, 0, 0, 1]);
  });

  test('one that connects to a primary which has none has to acknowledge soon', async () => {
    const { primary } = await startReplicated(0);
    const toReplica = await startProxy(primary.url);
    const gateway = await start(primary.url);
    const [alone, replicated, lagging] = keyedWrites(3) as [KeyedWrite, KeyedWrite, KeyedWrite];
    expect(await track(gateway.url, alone)).toBe(said.success);
    const replica = await startReplica(toReplica.port);
    stops.push(
      () => primary.kill(),
      () => replica.kill(),
    );
    await untilReplicas(primary.port, 1);
    await sleep(200);
    expect(await trackUntilSent(gateway.url, replicated)).toBe(said.success); // has the replicas counted again
    await sleep(200);
    toReplica.onStep = () => false;
    expect(await track(gateway.url, lagging)).toBe(said.unavailable);
    expect([timesOf(replicated), timesOf(lagging)]).toEqual([1, 0]);
  });

  test('a script that Redis has forgotten is not taken for one that was acknowledged', async () => {
    const { primary, toReplica } = await startPair();
    const gateway = await start(primary.url);
    expect(await trackUntilSent(gateway.url, keyedWrites(1)[0] as KeyedWrite)).toBe(said.success);
    await command(primary.port, 'SCRIPT', 'FLUSH');
    toReplica.onStep = () => false;
    const [write] = keyedWrites(1) as [KeyedWrite];
    expect([await track(gateway.url, write), timesOf(write)]).toEqual([said.unavailable, 0]);
  });

  test('an outcome that ends while Redis is away is recorded once it is back', async () => {
    const options = ['--appendonly', 'yes', '--appendfsync', 'always'];
    const before = await startRedis(undefined, options);
    const gateway = await start(before.url);
    const [write] = keyedWrites(1) as [KeyedWrite];
    service.plan = ({ subject }) =>
      subject === write.subject ? { kind: 'delay', until: () => before.kill() } : undefined;
    expect(await track(gateway.url, write)).toBe(said.success);
    const after = await startRedis(before.port, options);
    stops.push(() => after.kill());
    await until(async () => (await track(gateway.url, write)) === said.replayed, 100);
    expect(timesOf(write)).toBe(1);
  });

  const isFinish = (text: string) => text.includes('APPLIED');
  const isClaim = (text: string) => text.includes('trackShipment');

  /** The moments at which the primary dies, in the order of a write, what its client gets, and what a repeat gets after the failover. */
  const moments: readonly {
    moment: string;
    /** Whether it is now: before a chunk is forwarded, which is lost then. @default while the service executes the write */
    isNow?: (step: RedisStep, text: string, seen: string) => boolean;
    /** Whether the replica receives nothing more before that. */
    isLagging?: boolean;
    first: string;
    repeat: string;
    times: number;
  }[] = [
    {
      moment: 'before the claim arrives',
      isNow: (step, text) => step === 'command' && isClaim(text),
      first: said.unavailable,
      repeat: said.success,
      times: 1,
    },
    {
      moment: 'after the claim, before the replica has it',
      isNow: (step, _text, seen) => step === 'reply' && isClaim(seen),
      isLagging: true,
      first: said.unavailable,
      repeat: said.success,
      times: 1,
    },
    {
      moment: 'after the replica has the claim',
      isNow: (step, text, seen) => step === 'reply' && isClaim(seen) && text.endsWith(':1\r\n'),
      first: said.unavailable,
      repeat: said.inProgress,
      times: 0,
    },
    {
      moment: 'while the service executes the write',
      first: said.success,
      repeat: said.inProgress,
      times: 1,
    },
    {
      moment: 'before the record of the outcome arrives',
      isNow: (step, text) => step === 'command' && isFinish(text),
      first: said.success,
      repeat: said.inProgress,
      times: 1,
    },
    {
      moment: 'after the record of the outcome',
      isNow: (step, _text, seen) => step === 'reply' && isFinish(seen),
      first: said.success,
      repeat: said.replayed,
      times: 1,
    },
  ];
  const ways: readonly [
    way: string,
    die: (pair: Awaited<ReturnType<typeof startPair>>) => Promise<void> | void,
  ][] = [
    ['is killed', ({ primary }) => primary.kill()],
    ['stops', ({ primary }) => primary.pause()],
    [
      'is cut off',
      ({ toClients, toReplica }) => {
        toClients.onStep = () => false;
        toReplica.onStep = () => false;
      },
    ],
  ];

  test.each(ways)('a primary that %s at any moment leads to no second write', async (_way, die) => {
    const dieAt = async ({ moment, isNow, isLagging = false }: (typeof moments)[number]) => {
      const pair = await startPair();
      const before = await start(pair.toClients.url);
      await trackUntilSent(before.url, keyedWrites(1)[0] as KeyedWrite); // so that later commands do not carry the scripts
      const [write] = keyedWrites(1) as [KeyedWrite];
      if (isLagging) pair.toReplica.onStep = () => false;
      let death: Promise<void> | undefined;
      const dieNow = () => (death ??= Promise.resolve(die(pair)));
      let seen = '';
      if (isNow)
        pair.toClients.onStep = (step, text) => {
          if (death || isNow(step, text, seen)) {
            void dieNow();
            return false;
          }
          if (step === 'command') seen += text;
          return true;
        };
      else plans.set(write.subject, dieNow);
      const first = await trackUntilSent(before.url, write, () => death !== undefined);
      await death;
      await command(pair.replica.port, 'REPLICAOF', 'NO', 'ONE');
      const after = await start(pair.replica.url);
      const repeat = await track(after.url, write);
      return { moment, first, repeat, times: timesOf(write) };
    };
    const plans = new Map<string, () => Promise<void>>();
    service.plan = ({ subject }) => {
      const dieNow = plans.get(subject);
      return dieNow && { kind: 'delay', until: dieNow };
    };
    expect(await pMap(moments, dieAt, { concurrency: 3 })).toEqual(
      moments.map(({ moment, first, repeat, times }) => ({ moment, first, repeat, times })),
    );
  });
});

describe('With Sentinels,', () => {
  const startThree = async () => {
    const topology = await startSentinels();
    stops.push(() => topology.stop());
    const primary = await topology.primary();
    const [one, other] = topology.servers.filter((each) => each !== primary) as [RunningRedis, RunningRedis];
    return { topology, primary, one, other };
  };

  test('keys are rejected until every replica that could be promoted has connected to its primary', async () => {
    const { topology, primary, one } = await startThree();
    await command(one.port, 'REPLICAOF', '127.0.0.1', '1'); // the Sentinels correct it after eight seconds
    await untilReplicas(primary.port, 1);
    const gateway = await start(topology.url);
    const [early, late] = keyedWrites(2) as [KeyedWrite, KeyedWrite];
    expect([await track(gateway.url, early), timesOf(early)]).toEqual([said.unavailable, 0]);
    await command(one.port, 'REPLICAOF', '127.0.0.1', String(primary.port));
    await until(async () => (await track(gateway.url, late)) === said.success, 100);
    expect(timesOf(late)).toBe(1);
  });

  test('a primary that was replaced takes no key, though it runs and one of its replicas has stayed', async () => {
    const { topology, primary, one, other } = await startThree();
    // Of equal replicas, Sentinels choose the one whose run ID is the least.
    const runIds = await Promise.all(
      [one, other].map(async ({ port }) => (await infoOf(port))['run_id'] ?? ''),
    );
    const [promoted, staying] = (runIds[0] ?? '') < (runIds[1] ?? '') ? [one, other] : [other, one];
    // Nobody can tell these two that there is another primary.
    for (const { port } of [primary, staying])
      await command(port, 'ACL', 'SETUSER', 'default', '-slaveof', '-replicaof');
    promoted.pause();
    await until(() => topology.isDown(promoted));
    const gateway = await start(topology.url);
    const [before, after] = keyedWrites(2) as [KeyedWrite, KeyedWrite];
    expect(await trackUntilSent(gateway.url, before)).toBe(said.success);
    promoted.resume();
    await untilReplicas(primary.port, 2);
    await until(async () => !(await topology.isDown(promoted)));
    await sleep(2500); // no key arrives
    await topology.promote();
    expect(await topology.failedOver(primary)).toBe(promoted);
    expect([(await infoOf(primary.port))['role'], await onlineReplicas(primary.port)]).toEqual(['master', 1]);

    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect([await track(gateway.url, after), timesOf(after)]).toEqual([said.unavailable, 0]);
      await sleep(100);
    }
    for (const { port } of [primary, staying]) {
      await command(port, 'ACL', 'SETUSER', 'default', '+slaveof', '+replicaof');
      await command(port, 'REPLICAOF', '127.0.0.1', String(promoted.port));
    }
    expect(await trackUntilSent(gateway.url, after)).toBe(said.success);
    expect([timesOf(before), timesOf(after)]).toEqual([1, 1]);
  });

  test(
    'keys are written when a failover was overtaken by one back to the old primary, and its Sentinel does not notice',
    async () => {
      const { topology, primary, one, other } = await startThree();
      const [overtaken, overtaking] = topology.sentinels as [MortalProcess, MortalProcess];
      const gateway = await start(topology.url);
      for (const { port } of topology.sentinels)
        await command(port, 'SENTINEL', 'SET', 'keys', 'failover-timeout', '120000');
      // The first failover does not end, because this replica cannot be told of it; nor is it chosen.
      await command(other.port, 'CONFIG', 'SET', 'replica-priority', '1000');
      await command(other.port, 'ACL', 'SETUSER', 'default', '-slaveof', '-replicaof');
      await topology.promote(overtaken);
      expect(await topology.failedOver(primary)).toBe(one);
      await until(async () => (await infoOf(primary.port))['role'] === 'slave');
      await topology.promote(overtaking);
      expect(await topology.failedOver(one)).toBe(primary);
      expect(await topology.namedBy(overtaken)).toBe(one);

      const [write] = keyedWrites(1) as [KeyedWrite];
      await command(other.port, 'ACL', 'SETUSER', 'default', '+slaveof', '+replicaof');
      await command(other.port, 'REPLICAOF', '127.0.0.1', String(primary.port));
      expect(await trackUntilSent(gateway.url, write)).toBe(said.success);
      expect([await topology.namedBy(overtaken), timesOf(write)]).toEqual([one, 1]);
    },
    sizes.testTimeoutMs,
  );
});
