/** Idempotency keys and the rate limit in a Cluster: while a slot is moved, and across slots. */
import { hash, randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createIdempotencyStore } from '../../../src/freight/idempotency/idempotency.js';
import { parseRedisUrl } from '../../../src/redis/address.js';
import { startGateway } from '../../support/gateway/gateway.js';
import { keyedWrites, said, track, type KeyedWrite } from '../../support/graphql/keyedWrites.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { startFaultServer } from '../../support/service/faultServer.js';
import { command, startCluster, type ClusterTopology } from '../../support/process/redisTopologies.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { until } from '../../support/tools/waiting.js';

const reason = reasonToSkip('redis-server');
skipIf(reason);
let cluster: ClusterTopology;
beforeAll(async () => {
  if (reason === undefined) cluster = await startCluster();
});
afterAll(() => {
  killProcesses();
});

test('A claim follows the slot of its key to the primary that imports it, and is on the replica of that one', async () => {
  const store = await createIdempotencyStore({
    kind: 'redis',
    redisUrl: parseRedisUrl(cluster.url),
    log: pino({ level: 'silent' }),
    leaseMs: 60_000,
    retentionMs: 600_000,
  });
  if (!store) throw new Error('Expected a store');
  onTestFinished(() => store.close());
  const shards = await cluster.shards();
  const name = randomUUID();
  const slot = Number(
    await command(shards[0]?.port ?? 0, 'CLUSTER', 'KEYSLOT', `shipment-graphql-gateway:idempotency:${name}`),
  );
  const [from] = await Promise.all(
    shards.map(async (each) => {
      const redis = new Redis(each.port, '127.0.0.1');
      const isOwner = await redis.call('CLUSTER', 'COUNTKEYSINSLOT', slot).then(() =>
        redis.get(`shipment-graphql-gateway:idempotency:${name}`).then(
          () => true,
          () => false,
        ),
      );
      redis.disconnect();
      return { ...each, isOwner };
    }),
  ).then((all) => all.filter(({ isOwner }) => isOwner));
  const to = shards.find(({ id }) => id !== from?.id);
  if (!from || !to) throw new Error('Expected two primaries');
  const setSlot = (port: number, ...args: string[]) =>
    command(port, 'CLUSTER', 'SETSLOT', String(slot), ...args);
  await setSlot(to.port, 'IMPORTING', from.id);
  await setSlot(from.port, 'MIGRATING', to.id);

  const claim = { field: 'trackShipment', fingerprint: 'a-fingerprint' };
  expect(await store.claim(name, { ...claim, owner: 'owner-1' })).toBeUndefined();
  expect([await command(from.port, 'DBSIZE'), await command(to.replicas[0] ?? 0, 'DBSIZE')]).toEqual([0, 1]);
  expect(await store.claim(name, { ...claim, owner: 'owner-2' })).toMatchObject({ state: 'STARTED' });
  expect(await store.finish(name, 'owner-1', { state: 'APPLIED' })).toBe(true);
  await setSlot(to.port, 'NODE', to.id);
  await setSlot(from.port, 'NODE', to.id);
  expect(await store.find(name)).toMatchObject({ state: 'APPLIED' });
  expect(await store.claim(name, { ...claim, owner: 'owner-3' })).toMatchObject({ state: 'APPLIED' });
});

test('Two gateways share the rate limit of each token, whichever slot it is in', async () => {
  const env = {
    RATE_LIMIT: '10/60s',
    RATE_LIMIT_PER_ADDRESS: '100000/60s',
    IDEMPOTENCY_STORE: 'off',
    REDIS_URL: cluster.url,
  };
  const gateways = [await startGateway({ env }), await startGateway({ env })];
  onTestFinished(async () => {
    for (const gateway of gateways) await gateway.stop();
  });
  const tokens = Array.from({ length: 12 }, () => randomUUID());
  const admitted = await Promise.all(
    tokens.map(async (token) => {
      let count = 0;
      for (let request = 0; request < 14; request += 1) {
        const { status } = (await gateways[request % 2]?.execute('{ __typename }', { token })) ?? {};
        if (status === 200) count += 1;
      }
      return count;
    }),
  );
  expect(admitted).toEqual(tokens.map(() => 10));
});

test('Gateways count alone while a primary is away, and together once its replica was promoted', async () => {
  const gateway = await startGateway({
    env: {
      RATE_LIMIT: '10/60s',
      RATE_LIMIT_PER_ADDRESS: '100000/60s',
      IDEMPOTENCY_STORE: 'off',
      REDIS_URL: cluster.url,
    },
  });
  onTestFinished(() => gateway.stop());
  const messages = () =>
    gateway.logLines.map(({ msg }) => msg).filter((msg) => /^Redis (?:un)?available/.test(String(msg)));
  const [victim] = await cluster.shards();
  await cluster.server(victim?.port ?? 0).kill();
  await until(async () => {
    expect((await gateway.execute('{ __typename }', { token: randomUUID() })).status).toBe(200);
    return messages().length === 2;
  }, 50);
  expect(messages()).toEqual([
    'Redis unavailable: rate limits are counted per process',
    'Redis available: rate limits are shared',
  ]);
});

test('A primary that is given its first slot stops no gateway: keys of that slot are rejected until it has it', async () => {
  const service = await startFaultServer();
  onTestFinished(() => service.stop());
  const env = { NODE_ENV: 'production', SERVICE_URL: service.url, REDIS_URL: cluster.url };
  const gateway = startGatewayProcess({ env });
  onTestFinished(() => gateway.stop());
  const url = `${await gateway.listening()}/graphql`;
  const [write, other] = keyedWrites(2) as [KeyedWrite, KeyedWrite];
  const timesOf = ({ subject }: KeyedWrite) => service.timesExecuted('POST', subject);
  await until(async () => (await track(url, other)) === said.success, 100);

  const record = hash('sha256', `${new URL(service.url).origin} ${write.key}`, 'base64url');
  const shards = await cluster.shards();
  const slot = String(
    await command(
      shards[0]?.port ?? 0,
      'CLUSTER',
      'KEYSLOT',
      `shipment-graphql-gateway:idempotency:${record}`,
    ),
  );
  const ranges = (await command(shards[0]?.port ?? 0, 'CLUSTER', 'SLOTS')) as [
    number,
    number,
    [string, number],
  ][];
  const [, , [, fromPort] = ['', 0]] =
    ranges.find(([first, last]) => first <= Number(slot) && Number(slot) <= last) ?? [];
  const from = shards.find(({ port }) => port === fromPort);
  const empty = shards.flatMap(({ replicas }) => replicas)[0] ?? 0;
  await cluster.makeEmptyPrimary(empty);
  const id = String(await command(empty, 'CLUSTER', 'MYID'));
  await command(empty, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from?.id ?? '');
  await command(fromPort, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', id);

  expect([await track(url, write), timesOf(write)]).toEqual([said.unavailable, 0]);
  for (const port of [empty, fromPort]) await command(port, 'CLUSTER', 'SETSLOT', slot, 'NODE', id);
  await until(async () => (await track(url, write)) === said.success, 100);
  expect(timesOf(write)).toBe(1);
});
