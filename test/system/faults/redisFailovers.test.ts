/** Idempotency keys in Redis with replicas: at most one write per key, whichever Redis dies, and whenever and however it does. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startInProcessGateway } from '../../support/gateway/inProcessGateway.js';
import { bulkOperation, itemAbout } from '../../support/graphql/bulkFields.js';
import { splitEvidence, withEvidence } from '../../support/graphql/evidence.js';
import { about } from '../../support/graphql/faultOperations.js';
import { post } from '../../support/http/post.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startRedisProxy, type RedisProxy, type RedisStep } from '../../support/process/redisProxy.js';
import {
  command,
  startCluster,
  startReplica,
  startReplicated,
  startSentinels,
  untilReplicas,
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
const UNAVAILABLE = 'NOT_APPLIED IDEMPOTENCY_UNAVAILABLE';
const IN_PROGRESS = 'UNKNOWN IDEMPOTENCY_IN_PROGRESS';
const SUCCESS = 'APPLIED success';
const REPLAYED = 'APPLIED replayed';

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

interface KeyedWrite {
  subject: string;
  key: string;
}
const writes = (count: number): KeyedWrite[] =>
  Array.from({ length: count }, () => ({ subject: `subject-${randomUUID()}`, key: randomUUID() }));

/** What a response says of a tracking call: its outcome, and in a word why. */
async function track(url: string, { subject, key }: KeyedWrite): Promise<string> {
  const { query, variables } = about('trackShipment', subject);
  const headers = { 'idempotency-key': key };
  const { data, errors } = await post(url, { query: withEvidence(query), variables }, { headers });
  const [error] = errors ?? [];
  if (error) return `${String(error.extensions['outcome'])} ${String(error.extensions['code'])}`;
  return splitEvidence(data as Record<string, unknown>).evidence ? REPLAYED : SUCCESS;
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
    const all = writes(20);
    toReplica.onStep = () => false;
    const first = await Promise.all(all.map((each) => track(before.url, each)));
    const timesBefore = all.map(timesOf);
    await primary.kill();
    await command(replica.port, 'REPLICAOF', 'NO', 'ONE');
    const after = await start(replica.url);
    const repeats = await Promise.all(all.map((each) => track(after.url, each)));
    expect({ first, timesBefore, repeats, times: all.map(timesOf) }).toEqual({
      first: all.map(() => UNAVAILABLE),
      timesBefore: all.map(() => 0),
      repeats: all.map(() => SUCCESS),
      times: all.map(() => 1),
    });
  });

  test('without any replica left, keys are rejected until one is back: another may have been promoted', async () => {
    const { primary, replica, toReplica } = await startPair();
    const gateway = await start(primary.url);
    const all = writes(4);
    const said = [await track(gateway.url, all[0] as KeyedWrite)];
    await replica.kill();
    await untilReplicas(primary.port, 0);
    said.push(await track(gateway.url, all[1] as KeyedWrite));
    await sleep(1500); // the primary has been asked again
    said.push(await track(gateway.url, all[2] as KeyedWrite));
    const another = await startReplica(toReplica.port);
    stops.push(() => another.kill());
    await until(async () => (await track(gateway.url, all[3] as KeyedWrite)) === SUCCESS, 100);
    expect(said).toEqual([SUCCESS, UNAVAILABLE, UNAVAILABLE]);
    expect(all.map(timesOf)).toEqual([1, 0, 0, 1]);
  });

  test('a script that Redis has forgotten is not taken for one that was acknowledged', async () => {
    const { primary, toReplica } = await startPair();
    const gateway = await start(primary.url);
    expect(await track(gateway.url, writes(1)[0] as KeyedWrite)).toBe(SUCCESS);
    await command(primary.port, 'SCRIPT', 'FLUSH');
    toReplica.onStep = () => false;
    const [write] = writes(1) as [KeyedWrite];
    expect([await track(gateway.url, write), timesOf(write)]).toEqual([UNAVAILABLE, 0]);
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
      first: UNAVAILABLE,
      repeat: SUCCESS,
      times: 1,
    },
    {
      moment: 'after the claim, before the replica has it',
      isNow: (step, _text, seen) => step === 'reply' && isClaim(seen),
      isLagging: true,
      first: UNAVAILABLE,
      repeat: SUCCESS,
      times: 1,
    },
    {
      moment: 'after the replica has the claim',
      isNow: (step, text, seen) => step === 'reply' && isClaim(seen) && text.endsWith(':1\r\n'),
      first: UNAVAILABLE,
      repeat: IN_PROGRESS,
      times: 0,
    },
    { moment: 'while the service executes the write', first: SUCCESS, repeat: IN_PROGRESS, times: 1 },
    {
      moment: 'before the record of the outcome arrives',
      isNow: (step, text) => step === 'command' && isFinish(text),
      first: SUCCESS,
      repeat: IN_PROGRESS,
      times: 1,
    },
    {
      moment: 'after the record of the outcome',
      isNow: (step, _text, seen) => step === 'reply' && isFinish(seen),
      first: SUCCESS,
      repeat: REPLAYED,
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
      await track(before.url, writes(1)[0] as KeyedWrite); // so that later commands do not carry the scripts
      const [write] = writes(1) as [KeyedWrite];
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
      const first = await track(before.url, write);
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

/** What happens to Redis while clients write. It ends once the next thing may happen. */
type Disturbance = readonly [what: string, disturb: () => Promise<unknown>];

interface Result {
  outcome: string;
  evidence: string | null;
  errors: { code: string }[];
}
const LIST = 5;
const RECORDS = 'query ($keys: [ID!]!) { writeRecords(idempotencyKeys: $keys) { outcome } }';

/**
 * Sends writes through two gateways, single and in lists, each until it is no longer NOT_APPLIED, while one disturbance follows another.
 * Fails if a response is not true, a key was written twice, or has no record in the end.
 */
async function writeThroughout(redisUrl: string, count: number, disturbances: readonly Disturbance[]) {
  const gateways = [0, 1].map(() =>
    startGatewayProcess({ env: { ...env, SERVICE_URL: service.url, REDIS_URL: redisUrl } }),
  );
  stops.push(...gateways.map((gateway) => () => gateway.stop()));
  const urls = await Promise.all(gateways.map(async (gateway) => `${await gateway.listening()}/graphql`));
  const all: KeyedWrite[] = [];
  const untrue: object[] = [];
  const said: Record<string, number> = {};
  /** Whether it has to be sent again. */
  const learn = (write: KeyedWrite, response: string): boolean => {
    said[response] = (said[response] ?? 0) + 1;
    const times = timesOf(write);
    const [outcome] = response.split(' ');
    const isTrue = outcome === 'UNKNOWN' ? times <= 1 : times === (outcome === 'APPLIED' ? 1 : 0);
    if (!isTrue) untrue.push({ ...write, response, times });
    return outcome === 'NOT_APPLIED';
  };
  const trackList = async (url: string, list: readonly KeyedWrite[]): Promise<string[]> => {
    const items = list.map(({ subject, key: idempotencyKey }) =>
      itemAbout('trackShipment', subject, { idempotencyKey }),
    );
    const selection = 'results { outcome evidence errors { code } }';
    const { data } = await post(url, bulkOperation('trackShipments', items, { selection }));
    const { results } = (data as { trackShipments: { results: Result[] } }).trackShipments;
    return results.map(({ outcome, evidence, errors: [error] }) => {
      if (error) return `${outcome} ${error.code}`;
      return evidence === 'REPLAY' ? REPLAYED : SUCCESS;
    });
  };
  let isOver = false;
  const client = async (number: number) => {
    for (let turn = number; !isOver || all.length < count; turn += 1) {
      let open = writes(turn % 2 === 0 ? LIST : 1);
      all.push(...open);
      for (; open.length > 0; turn += 1) {
        const url = urls[turn % 2] ?? '';
        const [first] = open as [KeyedWrite];
        const responses = open.length > 1 ? await trackList(url, open) : [await track(url, first)];
        open = open.filter((write, index) => learn(write, responses[index] ?? ''));
        if (open.length > 0) await sleep(100);
      }
    }
  };
  const clients = Promise.all(Array.from({ length: 6 }, (_, number) => client(number)));
  for (const [what, disturb] of disturbances) {
    const startedAt = performance.now();
    await disturb();
    const applied = all.length;
    await until(() => all.length > applied + 12); // writes go on
    console.log(`${what}: ${Math.round(performance.now() - startedAt)} ms`);
  }
  isOver = true;
  await clients;
  const records: unknown[] = [];
  for (let from = 0; from < all.length; from += 1000) {
    const variables = { keys: all.slice(from, from + 1000).map(({ key }) => key) };
    const { data } = await post(urls[0] ?? '', { query: RECORDS, variables });
    records.push(...(data as { writeRecords: unknown[] }).writeRecords);
  }
  console.log(`${all.length} keys:`, said);
  // A key without a record has never been written.
  const forgotten = all.filter((_, index) => records[index] === null);
  const repeats = await Promise.all(forgotten.map((write) => track(urls[1] ?? '', write)));
  expect(untrue).toEqual([]);
  expect(repeats).toEqual(forgotten.map(() => SUCCESS));
  expect(all.filter((write) => timesOf(write) > 1)).toEqual([]);
  return gateways.map(({ output }) => output());
}

const FAILOVER = 'Redis failover: a replica is the primary now';

test(
  'With Sentinels, each key is written at most once, and no response is untrue, whatever dies',
  async () => {
    const topology = await startSentinels();
    stops.push(() => topology.stop());
    /** Starts or resumes a server as a replica of the primary, before the Sentinels would after eight seconds. */
    const rejoin = async (server: RunningRedis) => {
      const { port } = await topology.primary();
      await until(() =>
        command(server.port, 'REPLICAOF', '127.0.0.1', String(port)).then(
          () => true,
          () => false,
        ),
      );
      await untilReplicas(port, 2);
    };
    const replica = async () => {
      const primary = await topology.primary();
      return topology.servers.find((each) => each !== primary) as RunningRedis;
    };
    const disturbances: Disturbance[] = [
      [
        'the primary is killed',
        async () => {
          const old = await topology.primary();
          await old.kill();
          await topology.failedOver(old);
          await rejoin(await topology.restart(old));
        },
      ],
      [
        'the primary stops, and goes on after the failover',
        async () => {
          const old = await topology.primary();
          old.pause();
          await topology.failedOver(old);
          old.resume();
          await sleep(500);
          await rejoin(old);
        },
      ],
      [
        'an operator has a replica promoted',
        async () => {
          const old = await topology.primary();
          await topology.promote();
          await topology.failedOver(old);
          await untilReplicas((await topology.primary()).port, 2);
        },
      ],
      [
        'a replica is killed',
        async () => {
          const victim = await replica();
          await victim.kill();
          await sleep(1000);
          await rejoin(await topology.restart(victim));
        },
      ],
      [
        'a replica stops',
        async () => {
          const victim = await replica();
          victim.pause();
          await sleep(1500);
          victim.resume();
        },
      ],
    ];
    const rounds = sizes.isLong ? 8 : 1;
    const outputs = await writeThroughout(
      topology.url,
      sizes.failoverWrites,
      Array.from({ length: rounds }, () => disturbances).flat(),
    );
    for (const output of outputs) expect(output.split(FAILOVER).length - 1).toBe(3 * rounds);

    const gateway = await start(topology.url);
    for (const sentinel of topology.sentinels.slice(1)) await sentinel.kill();
    const [withMajority, without] = writes(2) as [KeyedWrite, KeyedWrite];
    expect(await track(gateway.url, withMajority)).toBe(SUCCESS);
    await (await topology.primary().catch(() => topology.servers[0]))?.kill();
  },
  sizes.testTimeoutMs,
);

test(
  'In a Cluster, each key is written at most once, and no response is untrue, whatever dies',
  async () => {
    const topology = await startCluster();
    stops.push(() => topology.stop());
    let next = 0;
    const shard = async () => {
      const shards = await topology.shards();
      const chosen = shards[next++ % shards.length];
      if (!chosen) throw new Error('Expected three primaries, got none');
      return {
        ...chosen,
        server: topology.server(chosen.port),
        replica: topology.server(chosen.replicas[0] ?? 0),
      };
    };
    const whole = async () => {
      await until(async () => (await topology.shards()).every(({ replicas }) => replicas.length === 1));
      for (const { port } of await topology.shards()) await untilReplicas(port, 1);
    };
    const promoted = (port: number) =>
      until(async () => (await topology.shards()).some((each) => each.port === port));
    const disturbances: Disturbance[] = [
      [
        'a primary is killed',
        async () => {
          const { server, replica } = await shard();
          await server.kill();
          await promoted(replica.port);
          await topology.restart(server);
          await whole();
        },
      ],
      [
        'a primary stops, and goes on after the failover',
        async () => {
          const { server, replica } = await shard();
          server.pause();
          await promoted(replica.port);
          server.resume();
          await whole();
        },
      ],
      [
        'an operator has a replica promoted',
        async () => {
          const { replica } = await shard();
          await command(replica.port, 'CLUSTER', 'FAILOVER');
          await promoted(replica.port);
          await whole();
        },
      ],
      [
        'a replica is killed',
        async () => {
          const { replica } = await shard();
          await replica.kill();
          await sleep(1000);
          await topology.restart(replica);
          await whole();
        },
      ],
      [
        'slots are moved',
        async () => {
          const [from, to] = await topology.shards();
          if (from && to) await topology.moveSlots(from, to, 100);
        },
      ],
    ];
    const rounds = sizes.isLong ? 8 : 1;
    await writeThroughout(
      topology.url,
      sizes.failoverWrites,
      Array.from({ length: rounds }, () => disturbances).flat(),
    );
  },
  sizes.testTimeoutMs,
);
