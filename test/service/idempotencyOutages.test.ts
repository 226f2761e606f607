/** The store of idempotency keys fails closed: what it does when Redis fails, and what it says. */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createIdempotencyStore } from '../../src/freight/idempotency/idempotency.js';
import type { IdempotencyStore, StoredRecord } from '../../src/freight/idempotency/store.js';
import { parseRedisUrl } from '../../src/redis/address.js';
import { startRedis } from '../support/process/redis.js';
import { recordTelemetry } from '../support/telemetry/events.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';
import {
  HEALTHY,
  replyTo,
  startFakeRedis,
  type FakeChange,
  type FakeRedis,
  type FakeScript,
  type ScriptReply,
} from '../support/process/fakeRedis.js';
import { forTest } from '../support/tools/useStarted.js';

const UNAVAILABLE = 'Redis unavailable: idempotency keys are rejected';
const AVAILABLE = 'Redis available: idempotency keys are accepted';
const NOT_VERIFIED =
  'Redis does not report its eviction policy: idempotency keys are safe only with maxmemory-policy noeviction';
const EVICTS =
  'expected maxmemory-policy noeviction, got allkeys-lru: an evicted key would let its write be sent twice';
const RETENTION_MS = 86_400_000;
const aRecord = (fields: Partial<StoredRecord> = {}): StoredRecord => ({
  owner: randomUUID(),
  state: 'STARTED',
  leaseEndMs: RETENTION_MS - 600_000,
  retentionMs: RETENTION_MS,
  field: 'trackShipment',
  fingerprint: 'fingerprint-1',
  ...fields,
});
const record = aRecord();
const applied: StoredRecord = { ...record, state: 'APPLIED' };

interface OpenStore {
  store: IdempotencyStore;
  /** `[message, reason]` of each line that was logged. */
  log: () => [message: string, reason?: string][];
}

async function open(redisUrl: Pick<URL, 'href'>): Promise<OpenStore> {
  const lines: [string, string?][] = [];
  const write = (line: string) => {
    const { msg, reason } = JSON.parse(line) as { msg: string; reason?: string };
    lines.push(reason === undefined ? [msg] : [msg, reason]);
  };
  const store = await createIdempotencyStore({
    kind: 'redis',
    redisUrl: parseRedisUrl(redisUrl.href),
    replicas: 0,
    log: pino({ level: 'info' }, { write }),
    telemetry: recordTelemetry(),
  });
  if (store === undefined) throw new Error('Expected a store');
  onTestFinished(() => store.close());
  return { store, log: () => lines };
}

/** The messages without their reasons, which depend on what failed first. */
function messagesOf({ log }: OpenStore): string[] {
  return log().map(([message]) => message);
}

const isAvailable = (store: IdempotencyStore) =>
  store.find(randomUUID()).then(
    () => true,
    () => false,
  );

describe('With a real Redis, the store', () => {
  const reason = reasonToSkip('redis-server');
  skipIf(reason);
  let server: Awaited<ReturnType<typeof startRedis>>;
  let redis: Redis;
  let name: string;
  beforeEach(async () => {
    if (reason !== undefined) return;
    server = await startRedis();
    redis = new Redis(server.url);
    redis.on('error', () => undefined);
    name = randomUUID();
  });
  afterEach(async () => {
    redis.disconnect();
    await server.kill();
  });

  test('takes a reply that arrived while the process was busy, however late it is read', async () => {
    const opened = await open(new URL(server.url));
    const block = (milliseconds: number) =>
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
    const claimed = opened.store.add(name, record);
    block(1100); // before the claim is written
    await setImmediate();
    await setImmediate();
    block(1200); // while Redis replies
    expect([await claimed, await opened.store.replace(name, record, applied)]).toEqual([undefined, true]);
    expect(opened.log()).toEqual([]);
  });

  test('rejects keys when Redis goes down, and says so once', async () => {
    const opened = await open(new URL(server.url));
    expect(await opened.store.add(name, record)).toBeUndefined();
    expect(opened.log()).toEqual([]);
    const { port } = server;
    await server.kill();
    await expect.poll(() => isAvailable(opened.store)).toBe(false);
    await expect(opened.store.replace(name, record, applied)).rejects.toThrow();
    expect(messagesOf(opened)).toEqual([UNAVAILABLE]);

    server = await startRedis(port);
    await expect.poll(() => isAvailable(opened.store)).toBe(true);
    expect(messagesOf(opened)).toEqual([UNAVAILABLE, AVAILABLE]);
  });

  test('rejects claims while the memory of Redis is full, keeps what it has, and then accepts them', async () => {
    const opened = await open(new URL(server.url));
    await opened.store.add(name, record);
    await redis.config('SET', 'maxmemory', '1');
    const another = randomUUID();
    await expect(opened.store.add(another, record)).rejects.toThrow(/OOM/);
    expect(opened.log()).toEqual([[UNAVAILABLE, expect.stringContaining('OOM')]]);
    await redis.config('SET', 'maxmemory', '0');
    await expect.poll(() => isAvailable(opened.store)).toBe(true);
    expect((await opened.store.find(name))?.state).toBe('STARTED');
    expect(await opened.store.add(another, record)).toBeUndefined();
    expect(messagesOf(opened)).toEqual([UNAVAILABLE, AVAILABLE]);
  });

  test('rejects keys while Redis is a read-only replica, and accepts them once it is a primary', async () => {
    const opened = await open(new URL(server.url));
    await redis.replicaof('127.0.0.1', '1');
    await expect(opened.store.add(name, record)).rejects.toThrow(/READONLY/);
    await expect(opened.store.add(name, record)).rejects.toThrow('Redis is unavailable');
    await redis.replicaof('NO', 'ONE');
    await expect.poll(() => isAvailable(opened.store)).toBe(true);
    expect(await opened.store.add(name, record)).toBeUndefined();
    expect(opened.log()).toEqual([[UNAVAILABLE, expect.stringContaining('READONLY')], [AVAILABLE]]);
  });

  test('rejects keys from the connection on that finds an eviction policy, until that is changed', async () => {
    const opened = await open(new URL(server.url));
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await redis.call('CLIENT', 'KILL', 'SKIPME', 'yes');
    await expect.poll(() => opened.log()).toContainEqual([UNAVAILABLE, EVICTS]);
    await expect(opened.store.add(name, record)).rejects.toThrow('Redis is unavailable');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await expect.poll(() => isAvailable(opened.store)).toBe(true);
    expect(messagesOf(opened)).toEqual([UNAVAILABLE, UNAVAILABLE, AVAILABLE]);
  });

  test('says in the log if another program wrote in place of a record, which is not an outage', async () => {
    const opened = await open(new URL(server.url));
    await redis.set(`{shipment-graphql-gateway}:idempotency:${name}`, 'text');
    await expect(opened.store.add(name, record)).rejects.toThrow('expected an idempotency record');
    expect(await opened.store.add(randomUUID(), record)).toBeUndefined();
    expect(opened.log()).toEqual([
      ['Idempotency record unreadable', expect.stringContaining('expected an idempotency record')],
    ]);
  });

  test('goes by the clock of Redis, whatever the clocks of the processes say', async () => {
    const [early, late] = [await open(new URL(server.url)), await open(new URL(server.url))];
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'] });
    const at = <T>(minutes: number, run: () => Promise<T>) => {
      vi.setSystemTime(REAL_NOW() + minutes * 60_000);
      return run();
    };
    await at(-20, () => early.store.add(name, record));
    const seen = await at(20, () => late.store.add(name, aRecord()));
    expect(seen).toMatchObject({ state: 'STARTED', record });
    expect(seen?.leftMs).toBeGreaterThan(RETENTION_MS - 60_000);
    const expired = aRecord({ leaseEndMs: RETENTION_MS - 1 });
    await at(20, () => late.store.add('expired', expired));
    await expect.poll(() => at(-20, () => early.store.find('expired'))).toMatchObject({ state: 'UNKNOWN' });
  });
});

const changesOf = ({ scripts }: FakeRedis) => scripts.flatMap(({ changes }) => changes);

/** Before a test replaces Date. */
const REAL_NOW = Date.now.bind(Date);

describe('The store', () => {
  let redis: FakeRedis;
  beforeEach(async () => {
    redis = await forTest(startFakeRedis());
  });

  /** The removal of the claim. */
  const release = expect.objectContaining({
    kind: 'replace',
    key: expect.stringContaining('a-name') as string,
    after: '',
  }) as FakeChange;

  test.each([
    ['nil, which may come from something else than the script', '$-1'],
    [
      'that to another claim',
      replyTo({ name: 'another', changes: [{ kind: 'add', key: 'key', after: '', ttlMs: 1 }] }),
    ],
    [
      'that to a lookup',
      replyTo({ name: 'another', changes: [{ kind: 'find', key: 'key', after: '', ttlMs: 1 }] }),
    ],
    ['text', '+CLAIMED'],
  ] as const)(
    'rejects a claim whose reply is %s, and releases it over another connection',
    async (_what, reply) => {
      const opened = await open(redis.url);
      redis.reply = () => reply;
      const problem = 'Expected the reply of Redis to this command, got another one';
      await expect(opened.store.add('a-name', record)).rejects.toThrow(problem);
      await expect(opened.store.find('a-name')).rejects.toThrow('Redis is unavailable');
      redis.reply = (script) => replyTo(script);
      await expect.poll(() => isAvailable(opened.store)).toBe(true);
      expect(changesOf(redis)).toContainEqual(release);
      expect(opened.log()).toEqual([[UNAVAILABLE, problem], [AVAILABLE]]);
    },
  );

  test.each([
    '-LOADING Redis is loading the dataset in memory',
    '-MISCONF Redis is configured to save RDB snapshots',
    '-NOPERM this user has no permissions to run the command',
  ] as const)(
    'rejects a claim, and releases it in case an earlier one of its batch failed, after %s',
    async (reply) => {
      const opened = await open(redis.url);
      redis.reply = () => reply;
      await expect(opened.store.add('a-name', record)).rejects.toThrow(reply.slice(1));
      redis.reply = (script) => replyTo(script);
      await expect.poll(() => isAvailable(opened.store)).toBe(true);
      expect(await opened.store.add('a-name', record)).toBeUndefined();
      expect(opened.log()).toEqual([[UNAVAILABLE, reply.slice(1)], [AVAILABLE]]);
      expect(changesOf(redis)).toContainEqual(release);
    },
  );

  test.each(['5.0.14', '6.0.16'])('does not open with Redis %s', async (version) => {
    redis.info = `${HEALTHY}redis_version:${version}\r\n`;
    await expect(open(redis.url)).rejects.toMatchObject({
      name: 'MisconfiguredRedisError',
      message: `expected Redis 6.2 or later, got ${version}`,
    });
  });

  test.each([
    ['a script to which Redis does not reply', 'none'],
    ['a script whose connection is lost', 'close'],
    ['a reply that is no RESP', '?what'],
  ] as const)('rejects a claim, and releases it, after %s', async (_what, reply) => {
    const { store } = await open(redis.url);
    redis.reply = () => reply;
    await expect(store.add('a-name', record)).rejects.toThrow();
    redis.reply = (script) => replyTo(script);
    await expect.poll(() => changesOf(redis)).toEqual([expect.objectContaining({ kind: 'add' }), release]);
  });

  test.each([
    ['forbids INFO', '-NOPERM this user has no permissions to run the info command'],
    ['has no eviction policy in it', 'redis_version:7.0.0\r\n'],
  ])('accepts keys with a warning if Redis %s', async (_what, info) => {
    redis.info = info;
    const opened = await open(redis.url);
    expect(await opened.store.add('a-name', record)).toBeUndefined();
    expect(opened.log()).toEqual([[NOT_VERIFIED]]);
  });

  test('rejects keys while the password is wrong', async () => {
    redis.info = '-NOAUTH Authentication required.';
    const opened = await open(redis.url);
    await expect(opened.store.add('a-name', record)).rejects.toThrow('Redis is unavailable');
    expect(opened.log()).toEqual([[UNAVAILABLE, 'NOAUTH Authentication required.']]);
  });

  test('opens if Redis accepts the connection and never replies', async () => {
    redis.isSilent = true;
    const opened = await open(redis.url);
    await expect(opened.store.add('a-name', record)).rejects.toThrow('Redis is unavailable');
    expect(messagesOf(opened)).toEqual([UNAVAILABLE]);
  });

  test('waits for the commands in flight before it closes', async () => {
    const { store, log } = await open(redis.url);
    let reply: (reply: ScriptReply) => void = () => undefined;
    redis.reply = () => new Promise((resolve) => (reply = resolve));
    const finished = store.replace('a-name', record, applied);
    await expect.poll(() => redis.scripts.length).toBe(1);
    const order: string[] = [];
    const closed = store.close().then(() => order.push('closed'));
    await setImmediate();
    order.push('replied');
    reply(replyTo(redis.scripts[0] as FakeScript));
    expect(await finished).toBe(true);
    await closed;
    expect(order).toEqual(['replied', 'closed']);
    expect(log()).toEqual([]);
  });
});

test('A store whose Sentinels are silent is unavailable when the gateway starts, and says so', async () => {
  const sentinels = await Promise.all(Array.from({ length: 4 }, () => forTest(startFakeRedis())));
  for (const sentinel of sentinels) sentinel.isSilent = true; // the client gives each of them a second
  const hosts = sentinels.map(({ url }) => url.host).join(',');
  const { store, log } = await open({ href: `redis+sentinel://${hosts}/primary` });
  expect(store.isAvailable?.()).toBe(false);
  expect(log()).toEqual([[UNAVAILABLE, 'No connection within 3000 ms']]);
});
