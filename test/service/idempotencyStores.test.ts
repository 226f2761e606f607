/** The stores of idempotency keys: one model for the store in memory and the one in Redis, and what is special to each. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openRedisStore } from '../../src/freight/idempotency/redisStore.js';
import {
  createMemoryStore,
  type IdempotencyRecord,
  type IdempotencyStore,
  type StoreTimes,
} from '../../src/freight/idempotency/store.js';
import { parseRedisUrl } from '../../src/redis/address.js';
import { startRedis } from '../support/process/redis.js';
import { recordTelemetry } from '../support/telemetry/events.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';
import { seededRandom } from '../support/tools/seededRandom.js';

const LONG: StoreTimes = { leaseMs: 600_000, retentionMs: 86_400_000 };
const SHORT_LEASE: StoreTimes = { ...LONG, leaseMs: 1 };
const PREFIX = 'shipment-graphql-gateway:idempotency:';
const silent = pino({ level: 'silent' });
const first = { field: 'trackShipment', fingerprint: 'fingerprint-1', owner: 'owner-1' };
const second = { ...first, fingerprint: 'fingerprint-2', owner: 'owner-2' };
const aRecord = (fields: object) => ({
  field: first.field,
  fingerprint: first.fingerprint,
  resultId: undefined,
  ageMs: expect.any(Number) as number,
  expiresInMs: expect.any(Number) as number,
  ...fields,
});

const findIn = async (store: IdempotencyStore, name: string) => (await store.find([name]))[0];

/** Time passes in steps. No lease and no retention ends near one, so the time that a test takes does not matter. */
const STEP_MS = 100_000;
const LEASE_STEPS = 2.5;
const RETENTION_STEPS = 8.5;
const STEPS: StoreTimes = { leaseMs: LEASE_STEPS * STEP_MS, retentionMs: RETENTION_STEPS * STEP_MS };

const name = fc.constantFrom('a', 'b');
const owner = fc.constantFrom('owner-1', 'owner-2', 'owner-3');
const field = fc.constantFrom('trackShipment', 'createNotification');
const fingerprint = fc.constantFrom('fingerprint-1', 'fingerprint-2');
const state = fc.constantFrom('APPLIED', 'UNKNOWN');
const resultId = fc.constantFrom(undefined, 'guid-1', 'guid-2');
const command = fc.oneof(
  fc.record({ kind: fc.constant('claim'), name, owner, field, fingerprint }),
  fc.record({ kind: fc.constant('find'), name }),
  fc.record({ kind: fc.constant('resume'), name, owner }),
  fc.record({ kind: fc.constant('finish'), name, owner, state, resultId }),
  fc.record({ kind: fc.constant('release'), name, owner }),
  fc.record({ kind: fc.constant('wait'), steps: fc.constantFrom(1, 3) }),
);
type Command = typeof command extends fc.Arbitrary<infer Each> ? Each : never;
type Reply = IdempotencyRecord | boolean | undefined;

/** Replies to each command as a store should. */
function createModel(): (command: Command) => Reply {
  interface ModelRecord extends Omit<IdempotencyRecord, 'ageMs' | 'expiresInMs'> {
    owner: string;
    claimedAt: number;
    leaseEndsAt: number;
    isResumed: boolean;
  }
  const records = new Map<string, ModelRecord>();
  let time = 0;
  const find = (name: string): IdempotencyRecord | undefined => {
    const record = records.get(name);
    if (record === undefined) return undefined;
    const { state, field, fingerprint, resultId, claimedAt, leaseEndsAt } = record;
    const isAbandoned = state === 'STARTED' && time > leaseEndsAt;
    return {
      state: isAbandoned ? 'UNKNOWN' : state,
      field,
      fingerprint,
      resultId,
      ageMs: (time - claimedAt) * STEP_MS,
      expiresInMs: (claimedAt + RETENTION_STEPS - time) * STEP_MS,
    };
  };
  /** Changes the record of a name if that is permitted; returns whether it is. */
  const change = (
    name: string,
    isPermitted: (record: ModelRecord) => boolean,
    changes: Partial<ModelRecord>,
  ) => {
    const record = records.get(name);
    if (record === undefined || !isPermitted(record)) return false;
    records.set(name, { ...record, ...changes });
    return true;
  };
  const startedBy = (owner: string) => (record: ModelRecord) =>
    record.state === 'STARTED' && record.owner === owner;

  return (command) => {
    switch (command.kind) {
      case 'claim': {
        const { name, owner, field, fingerprint } = command;
        const found = find(name);
        const started = {
          state: 'STARTED',
          field,
          fingerprint,
          owner,
          claimedAt: time,
          isResumed: false,
        } as const;
        if (!found) records.set(name, { ...started, leaseEndsAt: time + LEASE_STEPS });
        return found;
      }
      case 'find':
        return find(command.name);
      case 'resume': {
        const { name, owner } = command;
        return change(name, () => find(name)?.state === 'UNKNOWN', {
          state: 'STARTED',
          owner,
          leaseEndsAt: time + LEASE_STEPS,
          isResumed: true,
        });
      }
      case 'finish': {
        const { name, owner, state, resultId } = command;
        return change(name, startedBy(owner), { state, resultId });
      }
      case 'release': {
        const { name, owner } = command;
        const isResumed = records.get(name)?.isResumed;
        const isReleased = change(name, startedBy(owner), { state: 'UNKNOWN' });
        if (isReleased && !isResumed) records.delete(name);
        return isReleased;
      }
      case 'wait':
        time += command.steps;
        for (const [name, { claimedAt }] of records)
          if (time > claimedAt + RETENTION_STEPS) records.delete(name);
        return undefined;
    }
  };
}

interface Subject {
  store: IdempotencyStore;
  /** Lets time pass for the records with these names. */
  wait: (ms: number, names: string[]) => void | Promise<void>;
}

/** Runs a command, with names that no other run uses. */
async function runCommand({ store, wait }: Subject, command: Command, run: string): Promise<Reply> {
  if (command.kind === 'wait') {
    await wait(command.steps * STEP_MS, [`a-${run}`, `b-${run}`]);
    return undefined;
  }
  const name = `${command.name}-${run}`;
  switch (command.kind) {
    case 'claim':
      return withTimesInSteps(await store.claim(name, command));
    case 'find':
      return withTimesInSteps(await findIn(store, name));
    case 'resume':
      return store.resume(name, command.owner);
    case 'finish':
      return store.finish(name, command.owner, command);
    case 'release':
      return store.release(name, command.owner);
  }
}

/** Times to half a step, as the retention ends between two. */
function withTimesInSteps(record: IdempotencyRecord | undefined): IdempotencyRecord | undefined {
  const round = (ms: number) => (Math.round((ms / STEP_MS) * 2) / 2) * STEP_MS;
  return record && { ...record, ageMs: round(record.ageMs), expiresInMs: round(record.expiresInMs) };
}

const EVERY_REPLY = [
  ...['claim APPLIED', 'claim STARTED', 'claim UNKNOWN', 'claim undefined'],
  ...['find APPLIED', 'find STARTED', 'find UNKNOWN', 'find undefined'],
  ...['finish false', 'finish true', 'release false', 'release true', 'resume false', 'resume true'],
  'wait undefined',
];

/** What holds for every store. */
function describeStore(
  openSubject: () => Promise<Subject>,
  open: (times: StoreTimes) => Promise<IdempotencyStore>,
) {
  test('replies to any commands as the model does', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 60 }), async (commands) => {
        const subject = await openSubject();
        const model = createModel();
        const run = randomUUID();
        for (const each of commands) {
          const expected = model(each);
          expect(await runCommand(subject, each, run)).toEqual(expected);
          seen.add(`${each.kind} ${String(typeof expected === 'object' ? expected.state : expected)}`);
        }
      }),
      { numRuns: 100, seed: seededRandom('commands to a store of idempotency keys').seed },
    );
    expect([...seen].sort()).toEqual(EVERY_REPLY);
  });

  test('reports a record whose lease has run out as UNKNOWN, by a clock that runs', async () => {
    const store = await open(SHORT_LEASE);
    const name = randomUUID();
    await store.claim(name, first);
    await expect.poll(() => findIn(store, name)).toEqual(aRecord({ state: 'UNKNOWN' }));
    await expect.poll(async () => (await findIn(store, name))?.ageMs).toBeGreaterThan(5);
    expect(await store.finish(name, first.owner, { state: 'APPLIED' })).toBe(true);
  });

  test('lets exactly one of 1,000 concurrent claims succeed', async () => {
    const store = await open(LONG);
    const name = randomUUID();
    const claims = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => store.claim(name, { ...first, owner: `owner-${index}` })),
    );
    expect(claims.filter((found) => found === undefined).length).toBe(1);
    expect(new Set(claims.map((found) => found?.state))).toEqual(new Set([undefined, 'STARTED']));
  });
}

describe('The store in memory', () => {
  describeStore(
    () => {
      let time = 0;
      const wait = (ms: number) => {
        time += ms;
      };
      return Promise.resolve({ store: createMemoryStore({ ...STEPS, now: () => time }), wait });
    },
    (times) => Promise.resolve(createMemoryStore(times)),
  );

  test('rejects claims beyond its bound, evicts nothing, and accepts claims once records have expired', async () => {
    let time = 0;
    const store = createMemoryStore({ leaseMs: 100, retentionMs: 1000, now: () => time, maxRecords: 2 });
    await store.claim('a', first);
    expect(store.room()).toBe(1);
    time = 500;
    await store.claim('b', first);
    expect(store.room()).toBe(0);
    await expect(store.claim('c', first)).rejects.toThrow(
      'Expected at most 2 idempotency keys within the retention, got another one',
    );
    expect(await store.claim('a', second)).toEqual(aRecord({ state: 'UNKNOWN' }));
    time = 1000;
    expect(await store.claim('c', first)).toBeUndefined();
    await expect(store.claim('d', first)).rejects.toThrow('Expected at most 2');
    expect((await findIn(store, 'b'))?.state).toBe('UNKNOWN');
    expect(await store.release('c', first.owner)).toBe(true);
    expect(await store.claim('d', first)).toBeUndefined();
  });

  test('holds 100,000 records by default', async () => {
    const store = createMemoryStore(LONG);
    for (let index = 0; index < 100_000; index += 1) await store.claim(`name-${index}`, first);
    await expect(store.claim('another', first)).rejects.toThrow('Expected at most 100000');
    expect((await findIn(store, 'name-0'))?.state).toBe('STARTED');
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
    const store = await openRedisStore({
      address: parseRedisUrl(server?.url ?? ''),
      replicas: 0,
      log: silent,
      telemetry: recordTelemetry(),
      ...times,
    });
    stores.push(store);
    return store;
  };

  /** Moves the end of the retention of a record closer, from which its times are counted. */
  const age = async (key: string, ms: number) => {
    const left = await redis.pttl(key);
    if (left > 0) await redis.pexpire(key, left - ms);
  };
  let subject: Subject | undefined;

  describeStore(async () => {
    subject ??= {
      store: await open(STEPS),
      wait: async (ms, names) => {
        for (const name of names) await age(PREFIX + name, ms);
      },
    };
    return subject;
  }, open);

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
    [
      'a record of an unknown state',
      (redis, key) => redis.set(key, 'owner-1 FREE 1 \n2 trackShipment fingerprint-1'),
    ],
    [
      'a record of which a part is missing',
      (redis, key) => redis.set(key, 'owner-2 STARTED 1 \n2 trackShipment'),
    ],
    [
      'a record with a wrong number',
      (redis, key) => redis.set(key, 'owner-2 STARTED now \n2 trackShipment fingerprint-1'),
    ],
    ['a list', (redis, key) => redis.rpush(key, 'STARTED')],
  ])('fails, and changes nothing, where %s is in place of a record', async (_data, write) => {
    const store = await open();
    const key = `${PREFIX}${randomUUID()}`;
    const name = key.slice(key.lastIndexOf(':') + 1);
    await write(redis, key);
    const before = await redis.dump(key);
    const attempts = [
      store.claim(name, first),
      findIn(store, name),
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
    const key = `${PREFIX}${name}`;
    await store.claim(name, first);
    expect(await redis.keys(`*${name}*`)).toEqual([key]);
    expect(await redis.pttl(key)).toBeGreaterThan(SHORT_LEASE.retentionMs - 30_000);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(SHORT_LEASE.retentionMs);
    await redis.pexpire(key, 60_000);
    await expect.poll(() => store.resume(name, second.owner)).toBe(true);
    await store.finish(name, second.owner, { state: 'APPLIED', resultId: 'a-guid' });
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
  });
});
