/** Idempotency keys in Redis, where processes share them. Fails closed: without Redis, keys are rejected and nothing is sent for them. */
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RedisConnection, UnsafeStoreError, UnsuitableRedisError, type RedisObserver } from '../../redis.js';
import { defineCommands, type FoundRecord, type Reply, type Scripts } from './redisScripts.js';
import type { IdempotencyRecord, IdempotencyStore, RecordState, StoreTimes } from './store.js';

/** What a record takes of the memory of Redis: 373 bytes were measured, and the rate limit may have keys there, too. */
const RECORD_BYTES = 512;
const MEASURE_INTERVAL_MS = 1000;

const PREFIX = 'shipment-graphql-gateway:idempotency:';

/** Rejects with an UnsafeStoreError if Redis evicts records; one that is down is no reason not to start. */
export async function openRedisStore({
  url,
  log,
  leaseMs,
  retentionMs,
}: StoreTimes & { url: URL; log: Logger }): Promise<IdempotencyStore> {
  const warn = createWarnings(log);
  const connection = new RedisConnection({
    url,
    purpose: 'idempotency_store',
    log,
    messages: {
      unavailable: 'Redis unavailable: idempotency keys are rejected',
      available: 'Redis available: idempotency keys are accepted',
    },
    test: async () => warn(inspect(await readStatus())),
    onUsable(isUsable) {
      if (isUsable) orphans.releaseAll();
    },
  });
  const commands = defineCommands(connection.redis);
  const orphans = createOrphans(connection.redis, async (name, owner) =>
    resultOf(await commands.releaseKey(PREFIX + name, owner), owner),
  );

  let room = Infinity;
  let measuredAt = -Infinity;
  /** INFO says whether keys are safe in this Redis, and how many more it has room for. */
  const readStatus = async (): Promise<Info> => {
    measuredAt = performance.now();
    const info = await readInfo(connection.redis);
    const [limit, used] = [Number(info['maxmemory']), Number(info['used_memory'])];
    room = limit > 0 ? Math.max(0, limit - used) / RECORD_BYTES : Infinity;
    return info;
  };

  /** Rejects at once, and sends nothing, while Redis is unusable; rejects a reply to anything but this command. */
  const run = async <Name extends keyof Scripts>(
    script: Name,
    observer: RedisObserver | undefined,
    key: string,
    ...args: Scripts[Name]['args']
  ): Promise<Scripts[Name]['result']> => {
    if (!connection.isUsable) throw new RedisUnavailableError('Redis is unavailable');
    const [subject = key] = args;
    const send = async () => resultOf(await commands[script](key, ...args), subject);
    try {
      return await connection.ask(script, send, observer);
    } catch (error) {
      const { message: reason } = error as Error;
      if (UNREADABLE.test(reason)) log.error({ reason }, 'Idempotency record unreadable');
      // On this connection, the replies after a wrong one are those to other commands too.
      else if (error instanceof WrongReplyError || /\bREADONLY\b/.test(reason)) connection.suspend(error);
      else connection.reportOutage(error);
      throw error;
    }
  };

  await connection.open();
  return {
    room: () => room,
    async claim(name, { field, fingerprint, owner }, observer) {
      if (performance.now() - measuredAt > MEASURE_INTERVAL_MS) readStatus().catch(() => undefined);
      try {
        const times = [leaseMs, retentionMs] as const;
        const found = await run('claimKey', observer, PREFIX + name, owner, field, fingerprint, ...times);
        // Only a claim ends an outage: a full or failing Redis (OOM, MISCONF) still runs the commands that store nothing.
        connection.reportRecovery();
        return found === null ? undefined : toRecord(found);
      } catch (error) {
        if (mayHaveRun(error)) orphans.release(name, owner);
        throw error;
      }
    },
    async find(name, observer) {
      const found = await run('findKey', observer, PREFIX + name);
      return found === null ? undefined : toRecord(found);
    },
    resume: async (name, owner, observer) =>
      (await run('resumeKey', observer, PREFIX + name, owner, leaseMs)) === 1,
    finish: async (name, owner, { state, notificationGuid = '' }, observer) =>
      (await run('finishKey', observer, PREFIX + name, owner, state, notificationGuid)) === 1,
    release: async (name, owner, observer) => (await run('releaseKey', observer, PREFIX + name, owner)) === 1,
    close: () => connection.close(),
  };
}

/** The command was not sent. */
class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
}

/** The reply to another command, or to none: bytes were lost on the way, as by a proxy. What Redis did is unknown. */
class WrongReplyError extends Error {
  override readonly name = 'WrongReplyError';
}

/** Other data in place of a record: what a script says of it, and Redis if it is not even a string. */
const UNREADABLE = /expected an idempotency record|WRONGTYPE/;

/** Whether a command that failed may have run anyway: not if it was not sent, or Redis replied with an error. */
function mayHaveRun(error: unknown): boolean {
  return !(error instanceof RedisUnavailableError || (error instanceof Error && error.name === 'ReplyError'));
}

function resultOf<T>(reply: Reply<T>, subject: string): T {
  if (Array.isArray(reply) && reply[1] === subject) return reply[0];
  throw new WrongReplyError('Expected the reply of Redis to this command, got another one');
}

function toRecord([state, field, fingerprint, ageMs, expiresInMs, guid]: FoundRecord): IdempotencyRecord {
  const notificationGuid = guid ?? undefined;
  return { state: state as RecordState, field, fingerprint, notificationGuid, ageMs, expiresInMs };
}

/**
 * Releases claims whose reply was lost: on the same connection, where the release follows the claim, and once more on the next one
 * if this one is lost too. A claim that stays becomes UNKNOWN.
 */
function createOrphans(redis: Redis, release: (name: string, owner: string) => Promise<unknown>) {
  const nameByOwner = new Map<string, string>();
  return {
    release(name: string, owner: string): void {
      nameByOwner.set(owner, name);
      if (redis.status !== 'ready') return;
      release(name, owner).then(
        () => nameByOwner.delete(owner),
        () => undefined,
      );
    },
    releaseAll(): void {
      for (const [owner, name] of nameByOwner) release(name, owner).catch(() => undefined);
      nameByOwner.clear();
    },
  };
}

const NOT_VERIFIED =
  'Redis does not report its eviction policy: idempotency keys are safe only with maxmemory-policy noeviction';
const NO_AOF = 'Redis has no append-only file: idempotency keys may be lost when it restarts';

/** What an operator should know of a Redis that may be used; throws why it must not be. */
function inspect({ loading, role, maxmemory_policy: policy, aof_enabled: aof }: Info): string | undefined {
  if (policy !== undefined && policy !== 'noeviction')
    throw new UnsafeStoreError(
      `expected maxmemory-policy noeviction, got ${policy}: an evicted key would allow its write a second time`,
    );
  if (loading === '1')
    throw new UnsuitableRedisError('expected a Redis that has loaded its data, got one that is loading');
  if (role === 'slave') throw new UnsuitableRedisError('expected a primary, got a replica');
  return policy === undefined ? NOT_VERIFIED : aof === '0' ? NO_AOF : undefined;
}

type Info = Partial<Record<string, string>>;

/** Empty if Redis forbids INFO; hosted ones forbid CONFIG more often. */
async function readInfo(redis: Redis): Promise<Info> {
  try {
    // The lines are `name:value`; those that start with # are headings.
    const lines = (await redis.info()).matchAll(/^(\w+):(.*?)\r?$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ReplyError')) throw error;
    if (error.message.startsWith('NOPERM')) return {};
    throw new UnsuitableRedisError(error.message, { cause: error }); // such as NOAUTH
  }
}

/** Logs each warning once, not on every connection. */
function createWarnings(log: Logger): (warning: string | undefined) => void {
  const logged = new Set<string>();
  return (warning) => {
    if (warning === undefined || logged.has(warning)) return;
    logged.add(warning);
    log.warn(warning);
  };
}
