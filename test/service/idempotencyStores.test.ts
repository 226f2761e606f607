/** The contract of the stores of idempotency keys: the same cases in memory and in a real Redis. */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createMemoryStore,
  type IdempotencyStore,
  type StoreTimes,
} from '../../src/freight/idempotency/store.js';
import { openRedisStore } from '../../src/freight/idempotency/redisStore.js';
import { startRedis } from '../support/process/redis.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';

const LONG: StoreTimes = { leaseMs: 600_000, retentionMs: 86_400_000 };
const SHORT_LEASE: StoreTimes = { ...LONG, leaseMs: 1 };
const silent = pino({ level: 'silent' });
const GUID = '0b3d1a2e-64f7-4d39-9d4b-1c1d4d2ad4f1';
const first = { fingerprint: 'fingerprint-1', owner: 'owner-1' };
const second = { fingerprint: 'fingerprint-2', owner: 'owner-2' };
const aRecord = (fields: object) => ({
  fingerprint: first.fingerprint,
  notificationGuid: undefined,
  ageMs: expect.any(Number) as number,
  ...fields,
});

/** Creates a store; those of one suite share what outlives a process. */
type Open = (times?: StoreTimes) => Promise<IdempotencyStore>;

function describeContract(open: Open): void {
  let name: string;
  beforeEach(() => {
    name = randomUUID();
  });

  test('creates a STARTED record with the first claim and shows it to the next one', async () => {
    const store = await open();
    expect(await store.find(name)).toBeUndefined();
    expect(await store.claim(name, first)).toBeUndefined();
    expect(await store.claim(name, second)).toEqual(aRecord({ state: 'STARTED' }));
    expect(await store.claim(name, first)).toEqual(aRecord({ state: 'STARTED' }));
    expect(await store.find(name)).toEqual(aRecord({ state: 'STARTED' }));
    expect(await store.find(randomUUID())).toBeUndefined();
  });

  test('lets exactly one of 1,000 concurrent claims succeed', async () => {
    const store = await open();
    const claims = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => store.claim(name, { ...first, owner: `owner-${index}` })),
    );
    expect(claims.filter((found) => found === undefined).length).toBe(1);
    expect(new Set(claims.map((found) => found?.state))).toEqual(new Set([undefined, 'STARTED']));
  });

  test.each(['APPLIED', 'UNKNOWN'] as const)('ends the record of its owner as %s, once', async (state) => {
    const store = await open();
    await store.claim(name, first);
    expect(await store.finish(name, second.owner, { state })).toBe(false);
    expect(await store.finish(name, first.owner, { state, notificationGuid: GUID })).toBe(true);
    expect(await store.finish(name, first.owner, { state: 'UNKNOWN' })).toBe(false);
    expect(await store.release(name, first.owner)).toBe(false);
    expect(await store.find(name)).toEqual(aRecord({ state, notificationGuid: GUID }));
    expect(await store.claim(name, second)).toEqual(aRecord({ state, notificationGuid: GUID }));
  });

  test('ends a record without a notification', async () => {
    const store = await open();
    await store.claim(name, first);
    expect(await store.finish(name, first.owner, { state: 'APPLIED' })).toBe(true);
    expect(await store.find(name)).toEqual(aRecord({ state: 'APPLIED' }));
  });

  test('lets only the owner release a record, after which the name is free', async () => {
    const store = await open();
    await store.claim(name, first);
    expect(await store.release(name, second.owner)).toBe(false);
    expect(await store.release(name, first.owner)).toBe(true);
    expect(await store.release(name, first.owner)).toBe(false);
    expect(await store.find(name)).toBeUndefined();
    expect(await store.finish(name, first.owner, { state: 'APPLIED' })).toBe(false);
    expect(await store.claim(name, second)).toBeUndefined();
  });

  test('resumes only an UNKNOWN record, for one owner', async () => {
    const store = await open();
    expect(await store.resume(name, second.owner)).toBe(false);
    await store.claim(name, first);
    expect(await store.resume(name, second.owner)).toBe(false);
    await store.finish(name, first.owner, { state: 'UNKNOWN' });
    expect(await store.resume(name, second.owner)).toBe(true);
    expect(await store.resume(name, 'owner-3')).toBe(false);
    expect(await store.find(name)).toEqual(aRecord({ state: 'STARTED' }));
    expect(await store.finish(name, first.owner, { state: 'UNKNOWN' })).toBe(false);
    expect(await store.finish(name, second.owner, { state: 'APPLIED', notificationGuid: GUID })).toBe(true);
    expect(await store.resume(name, 'owner-3')).toBe(false);
    expect(await store.find(name)).toEqual(aRecord({ state: 'APPLIED', notificationGuid: GUID }));
  });

  test('keeps a resumed record that is released as UNKNOWN', async () => {
    const store = await open();
    await store.claim(name, first);
    await store.finish(name, first.owner, { state: 'UNKNOWN' });
    await store.resume(name, second.owner);
    expect(await store.release(name, first.owner)).toBe(false);
    expect(await store.release(name, second.owner)).toBe(true);
    expect(await store.find(name)).toEqual(aRecord({ state: 'UNKNOWN' }));
    expect(await store.release(name, second.owner)).toBe(false);
    expect(await store.claim(name, second)).toEqual(aRecord({ state: 'UNKNOWN' }));
  });

  test('reports a record whose lease has run out as UNKNOWN, and lets its owner end it while nobody resumed it', async () => {
    const store = await open(SHORT_LEASE);
    await store.claim(name, first);
    await expect.poll(() => store.find(name)).toEqual(aRecord({ state: 'UNKNOWN' }));
    expect(await store.claim(name, second)).toEqual(aRecord({ state: 'UNKNOWN' }));
    expect(await store.finish(name, first.owner, { state: 'APPLIED' })).toBe(true);
    expect(await store.find(name)).toEqual(aRecord({ state: 'APPLIED' }));
  });

  test('gives a resumed record a new lease, and its former owner no say', async () => {
    const store = await open(SHORT_LEASE);
    await store.claim(name, first);
    await expect.poll(() => store.resume(name, second.owner)).toBe(true);
    expect(await store.finish(name, first.owner, { state: 'APPLIED' })).toBe(false);
    expect(await store.release(name, first.owner)).toBe(false);
    await expect.poll(() => store.resume(name, 'owner-3')).toBe(true);
    expect(await store.finish(name, 'owner-3', { state: 'APPLIED' })).toBe(true);
  });

  test('counts the age of a record from its first claim', async () => {
    const store = await open(SHORT_LEASE);
    await store.claim(name, first);
    await expect.poll(async () => (await store.find(name))?.ageMs).toBeGreaterThan(5);
    await store.resume(name, second.owner);
    expect((await store.find(name))?.ageMs).toBeGreaterThan(5);
  });

  test('removes a record at the end of the retention, whatever changed it', async () => {
    const store = await open({ leaseMs: 1, retentionMs: 300 });
    await store.claim(name, first);
    await expect.poll(() => store.resume(name, second.owner), { interval: 2 }).toBe(true);
    expect(await store.finish(name, second.owner, { state: 'UNKNOWN' })).toBe(true);
    await expect.poll(() => store.find(name)).toBeUndefined();
    expect(await store.claim(name, second)).toBeUndefined();
  });
}

describe('The store in memory', () => {
  describeContract((times = LONG) => Promise.resolve(createMemoryStore(times)));

  test('measures leases and retention with its own clock, to the millisecond', async () => {
    let time = 5000;
    const store = createMemoryStore({ leaseMs: 100, retentionMs: 1000, now: () => time });
    await store.claim('a', first);
    time += 99;
    expect(await store.find('a')).toEqual(aRecord({ state: 'STARTED', ageMs: 99 }));
    time += 1;
    expect(await store.find('a')).toEqual(aRecord({ state: 'UNKNOWN', ageMs: 100 }));
    expect(await store.resume('a', second.owner)).toBe(true);
    time += 99;
    expect(await store.find('a')).toEqual(aRecord({ state: 'STARTED', ageMs: 199 }));
    time += 800;
    expect(await store.find('a')).toEqual(aRecord({ state: 'UNKNOWN', ageMs: 999 }));
    time += 1;
    expect(await store.finish('a', second.owner, { state: 'APPLIED' })).toBe(false);
    expect(await store.find('a')).toBeUndefined();
  });

  test('rejects claims beyond its bound, evicts nothing, and accepts claims once records have expired', async () => {
    let time = 0;
    const store = createMemoryStore({ leaseMs: 100, retentionMs: 1000, now: () => time, maxRecords: 2 });
    await store.claim('a', first);
    time = 500;
    await store.claim('b', first);
    await expect(store.claim('c', first)).rejects.toThrow(
      'Expected at most 2 idempotency keys within the retention, got another one',
    );
    expect(await store.claim('a', second)).toEqual(aRecord({ state: 'UNKNOWN' }));
    time = 1000;
    expect(await store.claim('c', first)).toBeUndefined();
    await expect(store.claim('d', first)).rejects.toThrow('Expected at most 2');
    expect((await store.find('b'))?.state).toBe('UNKNOWN');
    expect(await store.release('c', first.owner)).toBe(true);
    expect(await store.claim('d', first)).toBeUndefined();
  });

  test('holds 100,000 records by default', async () => {
    const store = createMemoryStore(LONG);
    for (let index = 0; index < 100_000; index += 1) await store.claim(`name-${index}`, first);
    await expect(store.claim('another', first)).rejects.toThrow('Expected at most 100000');
    expect((await store.find('name-0'))?.state).toBe('STARTED');
  });
});

describe('The store in Redis', () => {
  const reason = reasonToSkip('redis-server');
  skipIf(reason);
  let server: Awaited<ReturnType<typeof startRedis>> | undefined;
  let redis: Redis;
  const stores: IdempotencyStore[] = [];
  beforeAll(async () => {
    if (reason !== undefined) return;
    server = await startRedis();
    redis = new Redis(server.url);
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await redis.quit();
    await server?.kill();
  });

  /** Each store has its own connection. */
  const open = async (times: StoreTimes = LONG) => {
    const store = await openRedisStore({ url: new URL(server?.url ?? ''), log: silent, ...times });
    stores.push(store);
    return store;
  };

  describeContract(open);

  test('lets exactly one of two clients claim each of 1,000 names', async () => {
    const stores = [await open(), await open()];
    const names = Array.from({ length: 1000 }, () => randomUUID());
    const successes = await Promise.all(
      names.map(async (name) => {
        const claims = await Promise.all(
          stores.map((store, index) => store.claim(name, { ...first, owner: `owner-${index}` })),
        );
        return claims.filter((found) => found === undefined).length;
      }),
    );
    expect(successes).toEqual(names.map(() => 1));
  });

  test('lets exactly one of two clients resume each of 1,000 records', async () => {
    const stores = [await open(), await open()];
    const names = Array.from({ length: 1000 }, () => randomUUID());
    const successes = await Promise.all(
      names.map(async (name) => {
        await stores[0]?.claim(name, first);
        await stores[0]?.finish(name, first.owner, { state: 'UNKNOWN' });
        const resumed = await Promise.all(stores.map((store, index) => store.resume(name, `owner-${index}`)));
        return resumed.filter(Boolean).length;
      }),
    );
    expect(successes).toEqual(names.map(() => 1));
  });

  test.each<[data: string, write: (redis: Redis, key: string) => Promise<unknown>]>([
    ['text', (redis, key) => redis.set(key, 'text')],
    ['nothing', (redis, key) => redis.set(key, '')],
    ['another JSON value', (redis, key) => redis.set(key, '{"state":"APPLIED"}')],
    ['a number', (redis, key) => redis.set(key, '1')],
    ['a record of an unknown state', (redis, key) => redis.set(key, '["FREE","f",1,"","o",1,false]')],
    ['a record of which a part is missing', (redis, key) => redis.set(key, '["STARTED","f",1,"","o",1]')],
    ['a record with a wrong type', (redis, key) => redis.set(key, '["STARTED","f",null,"","o",1,false]')],
    ['a list', (redis, key) => redis.rpush(key, 'STARTED')],
  ])('fails, and changes nothing, where %s is in place of a record', async (_data, write) => {
    const store = await open();
    const key = `shipment-graphql-gateway:idempotency:${randomUUID()}`;
    const name = key.slice(key.lastIndexOf(':') + 1);
    await write(redis, key);
    const before = await redis.dump(key);
    const attempts = [
      store.claim(name, first),
      store.find(name),
      store.resume(name, first.owner),
      store.finish(name, first.owner, { state: 'APPLIED' }),
      store.release(name, first.owner),
    ];
    for (const attempt of attempts)
      await expect(attempt).rejects.toThrow(/expected an idempotency record, got other data|WRONGTYPE/);
    expect(await redis.dump(key)).toEqual(before);
  });

  test('keeps a record under one name, whose time to live no change extends', async () => {
    const store = await open(SHORT_LEASE);
    const name = randomUUID();
    const key = `shipment-graphql-gateway:idempotency:${name}`;
    await store.claim(name, first);
    expect(await redis.keys(`*${name}*`)).toEqual([key]);
    expect(await redis.pttl(key)).toBeGreaterThan(SHORT_LEASE.retentionMs - 30_000);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(SHORT_LEASE.retentionMs);
    await redis.pexpire(key, 60_000);
    await expect.poll(() => store.resume(name, second.owner)).toBe(true);
    await store.finish(name, second.owner, { state: 'APPLIED', notificationGuid: GUID });
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
  });
});
