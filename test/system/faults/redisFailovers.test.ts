/** Idempotency keys in Redis with Sentinels: at most one write per key, whatever dies while clients write. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import {
  haveRecords,
  keyedWrites,
  said,
  track,
  trackList,
  type KeyedWrite,
} from '../../support/graphql/keyedWrites.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { onlineReplicas, startSentinels, type RunningRedis } from '../../support/process/redisTopologies.js';
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
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** All replicas, of which any may be promoted. */
const env = { NODE_ENV: 'production', SERVICE_TIMEOUT_MS: '5000', REDIS_REPLICAS: '2' };
const timesOf = ({ subject }: KeyedWrite) => service.timesExecuted('POST', subject);

/** What happens to Redis while clients write. It ends once the next thing may happen. */
type Disturbance = readonly [
  what: string,
  disturb: (replaceGateway: () => Promise<void>) => Promise<unknown>,
];

/** What a server acknowledged outlives its restart. */
const PERSISTENT = ['--appendonly', 'yes'];
/** Writes of an operation on a list. */
const LIST = 5;

/**
 * Sends writes through two gateways, single and in lists, each until it is no longer NOT_APPLIED, while one disturbance follows another.
 * Fails if a response is not true, a key was written twice, or has no record in the end.
 */
async function writeThroughout(redisUrl: string, count: number, disturbances: readonly Disturbance[]) {
  const startGateway = async () => {
    const gateway = startGatewayProcess({ env: { ...env, SERVICE_URL: service.url, REDIS_URL: redisUrl } });
    stops.push(() => gateway.stop());
    return { gateway, url: `${await gateway.listening()}/graphql` };
  };
  const gateways = [await startGateway(), await startGateway()];
  const urlOf = (number: number) => gateways[number % 2]?.url ?? '';
  const replaceGateway = async () => {
    await gateways.shift()?.gateway.stop();
    gateways.push(await startGateway());
  };
  const all: KeyedWrite[] = [];
  const untrue: object[] = [];
  const counts: Record<string, number> = {};
  /** Without a response to an attempt, NOT_APPLIED says nothing of that one. */
  const unheard = new Set<KeyedWrite>();
  /** Whether it has to be sent again. */
  const learn = (write: KeyedWrite, response: string): boolean => {
    counts[response] = (counts[response] ?? 0) + 1;
    if (response === said.nothing) unheard.add(write);
    const times = timesOf(write);
    const [outcome = ''] = response.split(' ');
    const expected = { APPLIED: 1, NOT_APPLIED: unheard.has(write) ? times : 0 }[outcome] ?? times;
    if (times !== expected || times > 1) untrue.push({ ...write, response, times });
    return outcome === 'NOT_APPLIED' || response === said.nothing || response === said.inProgress;
  };
  let isOver = false;
  const client = async (number: number) => {
    for (let turn = number; !isOver || all.length < count; turn += 1) {
      let open = keyedWrites(turn % 2 === 0 ? LIST : 1);
      all.push(...open);
      for (; open.length > 0; turn += 1) {
        const [first] = open as [KeyedWrite];
        const responses =
          open.length > 1 ? await trackList(urlOf(turn), open) : [await track(urlOf(turn), first)];
        open = open.filter((write, index) => learn(write, responses[index] ?? ''));
        if (open.length > 0) await sleep(100);
      }
    }
  };
  const clients = Promise.all(Array.from({ length: 6 }, (_, number) => client(number)));
  for (const [what, disturb] of disturbances) {
    const startedAt = performance.now();
    await disturb(replaceGateway);
    const before = all.length;
    await until(() => all.length > before + 12); // writes go on
    console.log(`${what}: ${Math.round(performance.now() - startedAt)} ms`);
  }
  isOver = true;
  await clients;
  const found = await haveRecords(urlOf(0), all);
  console.log(`${all.length} keys:`, counts);
  // A key without a record has never been written.
  const forgotten = all.filter((_, index) => !found[index]);
  const repeats = await Promise.all(forgotten.map((write) => track(urlOf(1), write)));
  expect(untrue).toEqual([]);
  expect(repeats).toEqual(forgotten.map(() => said.success));
  expect(all.filter((write) => timesOf(write) > 1)).toEqual([]);
}

function repeated(disturbances: readonly Disturbance[]): Disturbance[] {
  return Array.from({ length: sizes.isLong ? 7 : 1 }, () => disturbances).flat();
}

test(
  'With Sentinels, each key is written at most once, and no response is untrue, whatever dies',
  async () => {
    const topology = await startSentinels(2, PERSISTENT);
    stops.push(() => topology.stop());
    /** Waits until the Sentinels have made all others replicas of the primary. */
    const rejoined = () =>
      until(
        async () =>
          (await topology.primary().then(
            ({ port }) => onlineReplicas(port),
            () => 0,
          )) === 2,
      );
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
          await topology.restart(old);
          await rejoined();
        },
      ],
      [
        'the primary stops, and goes on after the failover',
        async () => {
          const old = await topology.primary();
          old.pause();
          await topology.failedOver(old);
          old.resume();
          await rejoined();
        },
      ],
      [
        'an operator has a replica promoted',
        async () => {
          const old = await topology.primary();
          const failedOver = topology.failedOver(old).then(() => true);
          // A Sentinel may give up a failover that it has begun.
          do await topology.promote();
          while (!(await Promise.race([failedOver, sleep(15_000, false)])));
          await rejoined();
        },
      ],
      [
        'a gateway is killed during a failover',
        async (replaceGateway) => {
          const old = await topology.primary();
          await old.kill();
          await replaceGateway();
          await topology.failedOver(old);
          await topology.restart(old);
          await rejoined();
        },
      ],
      [
        'a replica is killed',
        async () => {
          const victim = await replica();
          await victim.kill();
          await sleep(1000);
          await topology.restart(victim);
          await rejoined();
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
    await writeThroughout(topology.url, sizes.failoverWrites, repeated(disturbances));
  },
  sizes.testTimeoutMs,
);
