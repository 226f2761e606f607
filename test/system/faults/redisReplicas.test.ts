/** Idempotency keys in a Redis with replicas: at most one write per key, whoever dies, however and whenever; and what can be lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startInProcessGateway } from '../../support/gateway/inProcessGateway.js';
import { keyedWrites, said, track, type KeyedWrite } from '../../support/graphql/keyedWrites.js';
import {
  acknowledgementsIn,
  isClaim,
  isFinish,
  startRedisProxy,
  type RedisProxy,
  type RedisStep,
} from '../../support/process/redisProxy.js';
import { startRedis } from '../../support/process/redis.js';
import {
  command,
  infoOf,
  startReplica,
  startReplicated,
  untilReplicas,
  type RunningRedis,
} from '../../support/process/redisTopologies.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { scrape, seriesOf } from '../../support/telemetry/metrics.js';
import { freePort } from '../../support/tools/freePort.js';
import { sizes } from '../../support/tools/scale.js';
import { until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';

skipIf(reasonToSkip('redis-server'));

const UNAVAILABLE = 'Redis unavailable: idempotency keys are rejected';
const AVAILABLE = 'Redis available: idempotency keys are accepted';

/** A busy replica is too late. */
const TOO_FEW = expect.stringMatching(
  /^expected 2 replicas to acknowledge, got [01]: a failover could lose keys$/,
) as string;

const service = useStarted(startFaultServer);
const stops: (() => Promise<void> | void)[] = [];
afterAll(() => killProcesses());
beforeEach(() => {
  service.plan = () => undefined;
});
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function start(redisUrl: string, replicas: number, env: Readonly<Record<string, string>> = {}) {
  // The service is that of all tests.
  const gateway = await startInProcessGateway(
    { url: service.url, stop: () => Promise.resolve() },
    {
      env: {
        NODE_ENV: 'production',
        SERVICE_TIMEOUT_MS: '5000',
        REDIS_URL: redisUrl,
        REDIS_REPLICAS: String(replicas),
        ...env,
      },
    },
  );
  stops.push(() => gateway.stop());
  return gateway;
}
type Gateway = Awaited<ReturnType<typeof start>>;

/** `[message, reason]` of what the log says of Redis. */
function outages({ logLines }: Gateway) {
  return logLines
    .filter(({ msg }) => msg === UNAVAILABLE || msg === AVAILABLE)
    .map(({ msg, reason }) => (reason === undefined ? [msg] : [msg, reason]));
}

async function startProxy(redisUrl: string): Promise<RedisProxy & { port: number }> {
  const proxy = await startRedisProxy(redisUrl);
  stops.push(() => proxy.stop());
  return Object.assign(proxy, { port: Number(new URL(proxy.url).port) });
}

/** A primary, whose clients and whose replicas are connected through a proxy each. */
async function startGroup(replicaCount: number, options: readonly string[] = []) {
  const { primary } = await startReplicated(0, options);
  const toClients = await startProxy(primary.url);
  const toReplicas: (RedisProxy & { port: number })[] = [];
  const replicas: RunningRedis[] = [];
  for (let count = 0; count < replicaCount; count += 1) {
    const proxy = await startProxy(primary.url);
    toReplicas.push(proxy);
    replicas.push(await startReplica(proxy.port, options));
  }
  stops.push(async () => {
    for (const server of [primary, ...replicas]) await server.kill();
  });
  await untilReplicas(primary.port, replicaCount);
  return { primary, replicas, toClients, toReplicas };
}
type Group = Awaited<ReturnType<typeof startGroup>>;

/** Promotes the replica that has the most, as Sentinels and hosted ones do. */
async function promoteLatest({ replicas }: Pick<Group, 'replicas'>): Promise<RunningRedis> {
  const offsets = await Promise.all(
    replicas.map(async (server) => ({
      server,
      offset: Number((await infoOf(server.port))['slave_repl_offset']),
    })),
  );
  const [latest] = offsets.sort((one, other) => other.offset - one.offset);
  if (!latest) throw new Error('Expected a replica');
  await command(latest.server.port, 'REPLICAOF', 'NO', 'ONE');
  return latest.server;
}

/** A busy machine may be too slow to acknowledge a claim. */
async function trackUntilSent(url: string, write: KeyedWrite, isDead = () => false): Promise<string> {
  for (;;) {
    const response = await track(url, write);
    if (response !== said.unavailable || isDead()) return response;
  }
}
const timesOf = ({ subject }: KeyedWrite) => service.timesExecuted('POST', subject);
const write = () => keyedWrites(1)[0] as KeyedWrite;

/** The moments at which the primary dies, in the order of a write, what its client gets, and what a repeat gets after the failover. */
const moments: readonly {
  moment: string;
  /** Whether it is now: before a chunk is forwarded, which is lost then. @default while the service executes the write */
  isNow?: (step: RedisStep, text: string, seen: string, required: number) => boolean;
  /** Whether the replicas receive nothing more before that. */
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
    moment: 'after the claim, before the replicas have it',
    isNow: (step, _text, seen) => step === 'reply' && isClaim(seen),
    isLagging: true,
    first: said.unavailable,
    repeat: said.success,
    times: 1,
  },
  {
    moment: 'after the replicas have the claim',
    isNow: (step, text, seen, required) =>
      step === 'reply' && isClaim(seen) && acknowledgementsIn(text) >= required,
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
    isNow: (step, text, seen, required) =>
      step === 'reply' && isFinish(seen) && acknowledgementsIn(text) >= required,
    first: said.success,
    repeat: said.replayed,
    times: 1,
  },
];

/** A process that is gone closes its connections; one that stops leaves them open, as one that is cut off does. */
test.each<[way: string, required: number, die: (group: Group) => Promise<void> | void]>([
  ['is killed', 2, ({ primary }) => primary.kill()],
  ['stops', 1, ({ primary }) => primary.pause()],
])(
  'a primary that %s at any moment leads to no second write, of two replicas, %i must acknowledge',
  async (_way, required, die) => {
    const plans = new Map<string, () => Promise<void>>();
    service.plan = ({ subject }) => {
      const dieNow = plans.get(subject);
      return dieNow && { kind: 'delay', until: dieNow };
    };
    const dieAt = async ({ moment, isNow, isLagging = false }: (typeof moments)[number]) => {
      const group = await startGroup(2);
      const before = await start(group.toClients.url, required);
      await trackUntilSent(before.url, write());
      const each = write();
      if (isLagging) for (const proxy of group.toReplicas) proxy.onStep = () => false;
      let death: Promise<void> | undefined;
      const dieNow = () => (death ??= Promise.resolve(die(group)));
      let seen = '';
      if (isNow)
        group.toClients.onStep = (step, text) => {
          if (death || isNow(step, text, seen, required)) {
            void dieNow();
            return false;
          }
          if (step === 'command') seen += text;
          return true;
        };
      else plans.set(each.subject, dieNow);
      const first = await trackUntilSent(before.url, each, () => death !== undefined);
      await death;
      const promoted = await promoteLatest(group);
      const after = await start(promoted.url, 0);
      return { moment, first, repeat: await track(after.url, each), times: timesOf(each) };
    };
    expect(await pMap(moments, dieAt, { concurrency: moments.length })).toEqual(
      moments.map(({ moment, first, repeat, times }) => ({ moment, first, repeat, times })),
    );
  },
  sizes.testTimeoutMs,
);

describe('Of two replicas,', () => {
  test(
    'one that is killed has keys rejected where both must acknowledge, and not where one must',
    async () => {
      const group = await startGroup(2);
      const [both, one] = [await start(group.primary.url, 2), await start(group.primary.url, 1)];
      const [before, during] = [write(), write()];
      expect(await trackUntilSent(both.url, before)).toBe(said.success);
      const known = outages(both).length; // of a busy machine
      await group.replicas[0]?.kill();
      expect([await track(both.url, during), timesOf(during)]).toEqual([said.unavailable, 0]);
      expect(await trackUntilSent(one.url, write())).toBe(said.success);
      await startReplica(group.toReplicas[0]?.port ?? 0, [], group.replicas[0]?.port);
      await until(async () => (await track(both.url, during)) === said.success, 100);
      expect([timesOf(before), timesOf(during)]).toEqual([1, 1]);
      expect(outages(both).slice(known, known + 2)).toEqual([[UNAVAILABLE, TOO_FEW], [AVAILABLE]]);
    },
    sizes.testTimeoutMs,
  );

  test(
    'both stopped have keys rejected and no outcome held back: one that is not acknowledged is counted as lost',
    async () => {
      const group = await startGroup(2);
      const port = await freePort();
      const gateway = await start(group.primary.url, 1, { METRICS_PORT: String(port) });
      const [sent, during] = [write(), write()];
      await trackUntilSent(gateway.url, write());
      const stopBoth = () => {
        for (const replica of group.replicas) replica.pause();
        return Promise.resolve();
      };
      service.plan = ({ subject }) =>
        subject === sent.subject ? { kind: 'delay', until: stopBoth } : undefined;
      expect(await trackUntilSent(gateway.url, sent)).toBe(said.success);
      expect([await track(gateway.url, during), timesOf(during)]).toEqual([said.unavailable, 0]);
      const values = await scrape(`http://127.0.0.1:${port}/metrics`);
      const valueOf = (name: string, field?: string) =>
        seriesOf(values, `shipment_gateway_idempotency_${name}`).find(
          ({ labels }) => labels['field'] === field,
        )?.value;
      expect({
        lost: valueOf('records_lost_total', 'trackShipment'),
        missing: Number(valueOf('acknowledgements_missing_total')) >= 1,
        available: valueOf('store_available'),
      }).toEqual({ lost: 1, missing: true, available: 0 });
      for (const replica of group.replicas) replica.resume();
      await until(async () => (await track(gateway.url, during)) === said.success, 100);
      expect(await track(gateway.url, sent)).toBe(said.replayed); // the primary has the outcome
      expect([timesOf(sent), timesOf(during)]).toEqual([1, 1]);
    },
    sizes.testTimeoutMs,
  );
});

describe('No key is accepted by', () => {
  test('a primary with fewer replicas than must acknowledge, which the log says once, until they are connected', async () => {
    const group = await startGroup(1);
    const gateway = await start(group.primary.url, 2);
    const each = write();
    expect([await track(gateway.url, each), timesOf(each)]).toEqual([said.unavailable, 0]);
    await sleep(1500); // it is tested again
    expect(outages(gateway)).toEqual([[UNAVAILABLE, TOO_FEW]]);
    const another = await startReplica(group.primary.port);
    stops.push(() => another.kill());
    await until(async () => (await track(gateway.url, each)) === said.success, 100);
    expect([timesOf(each), outages(gateway).slice(0, 2)]).toEqual([1, [[UNAVAILABLE, TOO_FEW], [AVAILABLE]]]);
  });

  test('a primary that was deposed, and does not know it', async () => {
    const group = await startGroup(2);
    const gateway = await start(group.primary.url, 2);
    const [before, after] = [write(), write()];
    expect(await trackUntilSent(gateway.url, before)).toBe(said.success);
    await command(group.replicas[0]?.port ?? 0, 'REPLICAOF', 'NO', 'ONE');
    await untilReplicas(group.primary.port, 1); // the other one has stayed
    for (let attempt = 0; attempt < 5; attempt += 1) {
      expect([await track(gateway.url, after), timesOf(after)]).toEqual([said.unavailable, 0]);
      await sleep(200);
    }
  });

  test('a primary that comes back empty, whose replicas are then empty, too', async () => {
    const group = await startGroup(2);
    const gateway = await start(group.primary.url, 2);
    const [before, after] = [write(), write()];
    expect(await trackUntilSent(gateway.url, before)).toBe(said.success);
    await group.primary.kill();
    await restartEmpty(group);
    await until(() => String(outages(gateway).at(-1)).includes('has lost them'));
    for (const each of [before, after])
      expect([await track(gateway.url, each), timesOf(each)]).toEqual([
        said.unavailable,
        each === before ? 1 : 0,
      ]);
    expect(outages(gateway).at(-1)).toEqual([
      UNAVAILABLE,
      'expected the keys that were in Redis before, got a Redis that has lost them: restart the gateway to accept keys again',
    ]);
  });
});

test('an outcome that ends while Redis is away is recorded once it is back', async () => {
  const options = ['--appendonly', 'yes', '--appendfsync', 'always'];
  const before = await startRedis(undefined, options);
  const gateway = await start(before.url, 0);
  const each = write();
  service.plan = ({ subject }) =>
    subject === each.subject ? { kind: 'delay', until: () => before.kill() } : undefined;
  expect(await track(gateway.url, each)).toBe(said.success);
  const after = await startRedis(before.port, options);
  stops.push(() => after.kill());
  await until(async () => (await track(gateway.url, each)) === said.replayed, 100);
  expect(timesOf(each)).toBe(1);
});

/** The list in docs/operations.md: each leads to a second write. */
test.each<{
  what: string;
  replicas: number;
  required: number;
  /** Sends the write, and loses its key; returns the Redis that has lost it. */
  lose: (group: Group, send: () => Promise<void>) => Promise<{ url: string; port: number }>;
}>([
  {
    what: 'without replicas that must acknowledge, what a failover overtakes',
    replicas: 1,
    required: 0,
    async lose(group, send) {
      for (const proxy of group.toReplicas) proxy.onStep = () => false;
      await send();
      await group.primary.kill();
      return promoteLatest(group);
    },
  },
  {
    what: 'where one of two must acknowledge, what the promoted one does not have',
    replicas: 2,
    required: 1,
    async lose(group, send) {
      const [toFirst] = group.toReplicas;
      if (toFirst) toFirst.onStep = () => 'lost';
      await send();
      await group.primary.kill();
      await group.replicas[1]?.kill(); // the one that has it
      return promoteLatest({ replicas: group.replicas.slice(0, 1) });
    },
  },
  {
    what: 'where one of two must acknowledge, what a deposed primary took whose other replica had stayed',
    replicas: 2,
    required: 1,
    async lose(group, send) {
      const promoted = await promoteLatest({ replicas: group.replicas.slice(0, 1) });
      await send();
      return promoted;
    },
  },
  {
    what: 'what Redis forgets as it restarts without an append-only file, for gateways that start afterwards',
    replicas: 1,
    required: 1,
    async lose(group, send) {
      await send();
      await group.primary.kill();
      return restartEmpty(group);
    },
  },
  {
    what: 'what an operator deletes',
    replicas: 1,
    required: 1,
    async lose(group, send) {
      await send();
      await command(group.primary.port, 'FLUSHDB');
      return group.primary;
    },
  },
])('a key can be lost: $what', async ({ replicas, required, lose }) => {
  const group = await startGroup(replicas);
  const before = await start(group.primary.url, required);
  await trackUntilSent(before.url, write());
  const each = write();
  const lost = await lose(group, async () => {
    expect(await trackUntilSent(before.url, each)).toBe(said.success);
  });
  const after = await start(lost.url, 0);
  await until(async () => (await track(after.url, each)) === said.success, 100);
  expect(timesOf(each)).toBe(2);
});

/** Starts a primary that was killed, without its data. */
async function restartEmpty({ primary, replicas }: Group): Promise<RunningRedis> {
  const again = await startRedis(primary.port, ['--repl-diskless-sync-delay', '0']);
  stops.push(() => again.kill());
  await untilReplicas(again.port, replicas.length);
  return again;
}
