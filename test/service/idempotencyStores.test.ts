/** The stores of idempotency keys: one model for the store in memory and the one in Redis, and what is special to each. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openRedisStore } from '../../src/freight/idempotency/redisStore.js';
import {
  createMemoryStore,
  type FoundRecord,
  type IdempotencyStore,
  type StoredRecord,
} from '../../src/freight/idempotency/store.js';
import { parseRedisUrl } from '../../src/redis/address.js';
import { startRedis } from '../support/process/redis.js';
import { recordTelemetry } from '../support/telemetry/events.js';
import { reasonToSkip, skipIf } from '../support/process/requirements.js';
import { seededRandom } from '../support/tools/seededRandom.js';

const PREFIX = '{shipment-graphql-gateway}:idempotency:';
/** Time passes in steps. No lease and no retention ends near one, so the time that a test takes does not matter. */
const STEP_MS = 100_000;
const RETENTION_MS = 8.5 * STEP_MS;
const started = (fields: Partial<StoredRecord> = {}): StoredRecord => ({
  owner: randomUUID(),
  state: 'STARTED',
  leaseEndMs: 6 * STEP_MS,
  retentionMs: RETENTION_MS,
  field: 'trackShipment',
  fingerprint: 'fingerprint-1',
  ...fields,
});
const applied = (record: StoredRecord): StoredRecord => ({ ...record, state: 'APPLIED', resultId: 'a guid' });

const name = fc.constantFrom('a', 'b');
const leaseEndMs = fc.constantFrom(6 * STEP_MS, 3 * STEP_MS);
const state = fc.constantFrom('STARTED', 'APPLIED', 'UNKNOWN');
const resultId = fc.constantFrom(undefined, 'a guid');
const command = fc.oneof(
  fc.record({ kind: fc.constant('add'), name, leaseEndMs }),
  fc.record({ kind: fc.constant('find'), name }),
  fc.record({
    kind: fc.constant('replace'),
    name,
    isStale: fc.boolean(),
    end: fc.option(fc.record({ state, resultId, leaseEndMs })),
  }),
  fc.record({ kind: fc.constant('wait'), steps: fc.constantFrom(1, 3) }),
);
type Command = typeof command extends fc.Arbitrary<infer Each> ? Each : never;
type Reply = FoundRecord | boolean | undefined;

/** Replies to each command as a store should. */
function createModel(): (command: Command) => Reply {
  const records = new Map<string, { record: StoredRecord; leftMs: number }>();
  const find = (name: string): FoundRecord | undefined => {
    const found = records.get(name);
    if (!found) return undefined;
    const { record, leftMs } = found;
    const isAbandoned = record.state === 'STARTED' && leftMs < record.leaseEndMs;
    return { record, leftMs, state: isAbandoned ? 'UNKNOWN' : record.state };
  };
  return (command) => {
    if (command.kind === 'wait') {
      for (const [name, found] of records) {
        found.leftMs -= command.steps * STEP_MS;
        if (found.leftMs < 0) records.delete(name);
      }
      return undefined;
    }
    const { kind, name } = command;
    const found = find(name);
    if (kind === 'find') return found;
    if (kind === 'add') {
      const record = started({ owner: 'any', leaseEndMs: command.leaseEndMs });
      if (!found) records.set(name, { record, leftMs: RETENTION_MS });
      return found;
    }
    if (command.isStale || !found) return false;
    if (command.end) records.set(name, { ...found, record: { ...found.record, ...command.end } });
    else records.delete(name);
    return true;
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
  if (command.kind === 'find') return comparable(await store.find(name));
  if (command.kind === 'add')
    return comparable(await store.add(name, started({ leaseEndMs: command.leaseEndMs })));
  const before = (!command.isStale && (await store.find(name))?.record) || started();
  return store.replace(name, before, command.end ? { ...before, ...command.end } : undefined);
}

/** Times to half a step, as the retention ends between two. */
function comparable(found: FoundRecord | undefined): FoundRecord | undefined {
  const round = (ms: number) => (Math.round((ms / STEP_MS) * 2) / 2) * STEP_MS;
  return found && { ...found, record: { ...found.record, owner: 'any' }, leftMs: round(found.leftMs) };
}

const EVERY_REPLY = [
  ...['add APPLIED', 'add STARTED', 'add UNKNOWN', 'add undefined'],
  ...['find APPLIED', 'find STARTED', 'find UNKNOWN', 'find undefined'],
  ...['replace false', 'replace true', 'wait undefined'],
];

/** What holds for every store. */
function testModel(openSubject: () => Promise<Subject>) {
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
      { numRuns: 20, seed: seededRandom('commands to a store of idempotency keys').seed },
    );
    expect([...seen].sort()).toEqual(EVERY_REPLY);
  });
}

describe('The store in memory', () => {
  let time = 0;
  beforeEach(() => {
    vi.spyOn(performance, 'now').mockImplementation(() => time);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  testModel(() => {
    const wait = (ms: number) => {
      time += ms;
    };
    return Promise.resolve({ store: createMemoryStore(), wait });
  });

  test('holds 100,000 records, evicts none of them, and accepts keys once some have expired', async () => {
    const store = createMemoryStore();
    await store.add('first', started());
    time += STEP_MS;
    for (let index = 1; index < 100_000; index += 1) await store.add(`name-${index}`, started());
    expect(store.room()).toBe(0);
    await expect(store.add('another', started())).rejects.toThrow(
      'Expected at most 100000 idempotency keys within the retention, got another one',
    );
    expect((await store.find('first'))?.state).toBe('STARTED');
    time += RETENTION_MS - STEP_MS;
    expect(await store.add('another', started())).toBeUndefined();
    await expect(store.add('one more', started())).rejects.toThrow('Expected at most 100000');
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
  const open = async () => {
    const store = await openRedisStore({
      address: parseRedisUrl(server?.url ?? ''),
      replicas: 0,
      log: pino({ level: 'silent' }),
      telemetry: recordTelemetry(),
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

  testModel(async () => {
    subject ??= {
      store: await open(),
      wait: async (ms, names) => {
        for (const name of names) await age(PREFIX + name, ms);
      },
    };
    return subject;
  });

  test('lets exactly one of two clients add each of 200 records, and exactly one replace it', async () => {
    const stores = [await open(), await open()];
    const names = Array.from({ length: 200 }, () => randomUUID());
    const successes = await Promise.all(
      names.map(async (name) => {
        const added = await Promise.all(stores.map((store) => store.add(name, started())));
        const { record = started() } = (await stores[0]?.find(name)) ?? {};
        const replaced = await Promise.all(
          stores.map((store) => store.replace(name, record, { ...record, owner: randomUUID() })),
        );
        return [added.filter((found) => found === undefined).length, replaced.filter(Boolean).length];
      }),
    );
    expect(successes).toEqual(names.map(() => [1, 1]));
  });

  test.each<[data: string, write: (redis: Redis, key: string) => Promise<unknown>]>([
    ['text', (redis, key) => redis.set(key, 'text')],
    ['nothing', (redis, key) => redis.set(key, '')],
    ['a record of an unknown state', (redis, key) => redis.set(key, 'owner FREE 1 2 trackShipment print')],
    ['a record of which a part is missing', (redis, key) => redis.set(key, 'owner STARTED 1 2 field')],
    ['a record with a wrong number', (redis, key) => redis.set(key, 'owner STARTED now 2 field print')],
    ['a list', (redis, key) => redis.rpush(key, 'STARTED')],
  ])('fails, and changes nothing, where %s is in place of a record', async (_data, write) => {
    const store = await open();
    const name = randomUUID();
    await write(redis, PREFIX + name);
    const before = await redis.dump(PREFIX + name);
    for (const attempt of [store.add(name, started()), store.find(name)])
      await expect(attempt).rejects.toThrow(/expected an idempotency record, got other data|WRONGTYPE/);
    expect(await store.replace(name, started(), applied(started())).catch(() => false)).toBe(false);
    expect(await redis.dump(PREFIX + name)).toEqual(before);
  });

  test('gives each of many commands at once its own reply, where one finds other data', async () => {
    const store = await open();
    const names = Array.from({ length: 250 }, () => randomUUID());
    const [unreadable = '', claimed = '', ...free] = names;
    await redis.rpush(PREFIX + unreadable, 'STARTED');
    const record = started();
    await store.add(claimed, record);
    const added = await Promise.allSettled(names.map((name) => store.add(name, started())));
    expect(added.map((each) => (each.status === 'fulfilled' ? each.value?.record : 'rejected'))).toEqual([
      'rejected',
      record,
      ...free.map(() => undefined),
    ]);
    const found = await Promise.allSettled([...names, randomUUID()].map((name) => store.find(name)));
    expect(found.map((each) => (each.status === 'fulfilled' ? each.value?.state : 'rejected'))).toEqual([
      'rejected',
      'STARTED',
      ...free.map(() => 'STARTED'),
      undefined,
    ]);
  });

  test('reports a record whose lease has run out as UNKNOWN, and no change extends its time to live', async () => {
    const store = await open();
    const name = randomUUID();
    const record = started({ leaseEndMs: RETENTION_MS - 1 });
    await store.add(name, record);
    expect(await redis.keys(`*${name}*`)).toEqual([PREFIX + name]);
    await expect
      .poll(() => store.find(name))
      .toEqual({ state: 'UNKNOWN', record, leftMs: expect.any(Number) as number });
    await redis.pexpire(PREFIX + name, 60_000);
    expect(await store.replace(name, record, applied(record))).toBe(true);
    expect(await store.find(name)).toMatchObject({ state: 'APPLIED', record: applied(record) });
    expect(await redis.pttl(PREFIX + name)).toBeGreaterThan(0);
    expect(await redis.pttl(PREFIX + name)).toBeLessThanOrEqual(60_000);
  });
});
