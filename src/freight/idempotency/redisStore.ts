/** Idempotency keys in Redis, where processes share them. Fails closed: without Redis, keys are rejected and nothing is sent for them. */
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RedisConnection, UnsafeStoreError, UnsuitableRedisError } from '../../redis.js';
import { CLAIMED, defineIdempotencyCommands, type RecordReply } from './redisScripts.js';
import type { IdempotencyRecord, IdempotencyStore, RecordState, StoreTimes } from './store.js';

export interface RedisStoreOptions extends StoreTimes {
  url: URL;
  log: Logger;
}

const PREFIX = 'shipment-graphql-gateway:idempotency:';

/** Rejects with an UnsafeStoreError if Redis evicts records; one that is down is no reason not to start. */
export async function openRedisStore({
  url,
  log,
  leaseMs,
  retentionMs,
}: RedisStoreOptions): Promise<IdempotencyStore> {
  const warn = createWarnings(log);
  const connection = new RedisConnection({
    url,
    log,
    messages: {
      unavailable: 'Redis unavailable: idempotency keys are rejected',
      available: 'Redis available: idempotency keys are accepted',
    },
    test: async (redis) => {
      warn(await inspect(redis));
    },
    onUsable(isUsable) {
      if (isUsable) orphans.releaseAll();
    },
  });
  const commands = defineIdempotencyCommands(connection.redis);
  const orphans = createOrphans(connection.redis, (name, owner) => commands.releaseKey(PREFIX + name, owner));

  /** Rejects at once, and sends nothing, while Redis is unusable. */
  const run = async <T>(send: () => Promise<T>): Promise<T> => {
    if (!connection.isUsable) throw new RedisUnavailableError('Redis is unavailable');
    try {
      return await send();
    } catch (error) {
      const { message: reason } = error as Error;
      if (UNREADABLE.test(reason)) log.error({ reason }, 'Idempotency record unreadable');
      else if (/\bREADONLY\b/.test(reason)) connection.suspend(error);
      else connection.reportOutage(error);
      throw error;
    }
  };

  await connection.open();
  return {
    async claim(name, { fingerprint, owner }) {
      try {
        const reply = await run(() =>
          commands.claimKey(PREFIX + name, fingerprint, owner, leaseMs, retentionMs),
        );
        // Only a claim ends an outage: a full or failing Redis (OOM, MISCONF) still runs the commands that store nothing.
        connection.reportRecovery();
        return reply === CLAIMED ? undefined : toRecord(reply);
      } catch (error) {
        if (mayHaveRun(error)) orphans.release(name, owner);
        throw error;
      }
    },
    async find(name) {
      const reply = await run(() => commands.findKey(PREFIX + name));
      return reply === null ? undefined : toRecord(reply);
    },
    resume: async (name, owner) => (await run(() => commands.resumeKey(PREFIX + name, owner, leaseMs))) === 1,
    finish: async (name, owner, { state, notificationGuid = '' }) =>
      (await run(() => commands.finishKey(PREFIX + name, owner, state, notificationGuid))) === 1,
    release: async (name, owner) => (await run(() => commands.releaseKey(PREFIX + name, owner))) === 1,
    close: () => connection.close(),
  };
}

/** The command was not sent. */
class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
}

/** Other data in place of a record: what a script says of it, and Redis if it is not even a string. */
const UNREADABLE = /expected an idempotency record|WRONGTYPE/;

/** Whether a command that failed may have run anyway: not if it was not sent, or Redis replied with an error. */
function mayHaveRun(error: unknown): boolean {
  return !(error instanceof RedisUnavailableError || (error instanceof Error && error.name === 'ReplyError'));
}

function toRecord(reply: RecordReply): IdempotencyRecord {
  if (!Array.isArray(reply)) throw new Error('Expected an idempotency record from Redis, got something else');
  const [state, fingerprint, ageMs, guid] = reply;
  return { state: state as RecordState, fingerprint, notificationGuid: guid ?? undefined, ageMs };
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

/**
 * Resolves with what an operator should know of a Redis that may be used; rejects with why it must not be. Reads INFO, because hosted
 * ones often forbid CONFIG.
 */
async function inspect(redis: Redis): Promise<string | undefined> {
  const info = parseInfo(await readInfo(redis));
  const { loading, role, maxmemory_policy: policy, aof_enabled: aof } = info;
  if (policy !== undefined && policy !== 'noeviction')
    throw new UnsafeStoreError(
      `expected maxmemory-policy noeviction, got ${policy}: an evicted key would allow its write a second time`,
    );
  if (loading === '1')
    throw new UnsuitableRedisError('expected a Redis that has loaded its data, got one that is loading');
  if (role === 'slave') throw new UnsuitableRedisError('expected a primary, got a replica');
  return policy === undefined ? NOT_VERIFIED : aof === '0' ? NO_AOF : undefined;
}

/** Empty if Redis forbids INFO. */
async function readInfo(redis: Redis): Promise<string> {
  try {
    return await redis.info();
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ReplyError')) throw error;
    if (error.message.startsWith('NOPERM')) return '';
    throw new UnsuitableRedisError(error.message, { cause: error }); // such as NOAUTH
  }
}

/** The lines of INFO are `name:value`; those that start with # are headings. */
function parseInfo(text: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
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
