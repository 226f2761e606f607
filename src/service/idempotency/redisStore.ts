import type { Redis } from 'ioredis';
import { defineIdempotencyCommands, type RecordReply } from './redisScripts.js';
import type { IdempotencyRecord, IdempotencyStore, RecordState, StoreTimes } from './store.js';

export interface RedisStoreOptions extends StoreTimes {
  /** Must not send a command again by itself: a claim that is repeated finds its own record. */
  redis: Redis;
}

const PREFIX = 'shipment-graphql-gateway:idempotency:';

/** Records that processes share. The owner of `redis` closes it. */
export function createRedisStore({ redis, leaseMs, retentionMs }: RedisStoreOptions): IdempotencyStore {
  const commands = defineIdempotencyCommands(redis);
  const release = (name: string, owner: string) => commands.releaseKey(PREFIX + name, owner).then(isDone);
  const releaseOrphan = createOrphanRelease(redis, release);

  return {
    async claim(name, { fingerprint, owner }) {
      if (redis.status !== 'ready') throw new Error('Redis is not connected');
      try {
        return toRecord(await commands.claimKey(PREFIX + name, fingerprint, owner, leaseMs, retentionMs));
      } catch (error) {
        // A script that fails has claimed nothing.
        if (!isErrorReply(error)) releaseOrphan(name, owner);
        throw error;
      }
    },
    find: async (name) => toRecord(await commands.findKey(PREFIX + name)),
    resume: (name, owner) => commands.resumeKey(PREFIX + name, owner, leaseMs).then(isDone),
    finish: (name, owner, { state, notificationGuid = '' }) =>
      commands.finishKey(PREFIX + name, owner, state, notificationGuid).then(isDone),
    release,
    close() {
      redis.disconnect();
      return Promise.resolve();
    },
  };
}

/**
 * Releases a claim whose reply was lost: on the same connection, where it follows the claim, and once more on the next one if
 * this one is lost too. A claim that stays becomes UNKNOWN.
 */
function createOrphanRelease(redis: Redis, release: IdempotencyStore['release']) {
  const nameByOwner = new Map<string, string>();
  redis.on('ready', () => {
    for (const [owner, name] of nameByOwner) release(name, owner).catch(() => undefined);
    nameByOwner.clear();
  });
  return (name: string, owner: string): void => {
    nameByOwner.set(owner, name);
    if (redis.status !== 'ready') return;
    release(name, owner).then(
      () => nameByOwner.delete(owner),
      () => undefined,
    );
  };
}

function toRecord(reply: RecordReply): IdempotencyRecord | undefined {
  if (reply === null) return undefined;
  const [state, fingerprint, ageMs, guid] = reply;
  return { state: state as RecordState, fingerprint, notificationGuid: guid ?? undefined, ageMs };
}

function isDone(changed: number): boolean {
  return changed === 1;
}

/** Whether Redis replied with an error. */
function isErrorReply(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}
