import { RedisUnavailableError, type CheckedConnection } from './checkedConnection.js';
import { CLAIMED, defineIdempotencyCommands, type RecordReply } from './redisScripts.js';
import type { IdempotencyRecord, IdempotencyStore, RecordState, StoreTimes } from './store.js';

export interface RedisStoreOptions extends StoreTimes {
  /** The store closes it. */
  connection: CheckedConnection;
}

const PREFIX = 'shipment-graphql-gateway:idempotency:';

/** Records that processes share. */
export function createRedisStore({ connection, leaseMs, retentionMs }: RedisStoreOptions): IdempotencyStore {
  const commands = defineIdempotencyCommands(connection.redis);
  const releaseOrphan = createOrphanRelease(connection, (name, owner) =>
    commands.releaseKey(PREFIX + name, owner),
  );

  return {
    async claim(name, { fingerprint, owner }) {
      try {
        const reply = await connection.run(() =>
          commands.claimKey(PREFIX + name, fingerprint, owner, leaseMs, retentionMs),
        );
        connection.reportClaim();
        return reply === CLAIMED ? undefined : toRecord(reply);
      } catch (error) {
        if (mayHaveRun(error)) releaseOrphan(name, owner);
        throw error;
      }
    },
    async find(name) {
      const reply = await connection.run(() => commands.findKey(PREFIX + name));
      return reply === null ? undefined : toRecord(reply);
    },
    resume: async (name, owner) =>
      (await connection.run(() => commands.resumeKey(PREFIX + name, owner, leaseMs))) === 1,
    finish: async (name, owner, { state, notificationGuid = '' }) =>
      (await connection.run(() => commands.finishKey(PREFIX + name, owner, state, notificationGuid))) === 1,
    release: async (name, owner) =>
      (await connection.run(() => commands.releaseKey(PREFIX + name, owner))) === 1,
    close: () => connection.close(),
  };
}

/**
 * Releases a claim whose reply was lost: on the same connection, where it follows the claim, and once more on the next one if
 * this one is lost too. A claim that stays becomes UNKNOWN.
 */
function createOrphanRelease(
  connection: CheckedConnection,
  release: (name: string, owner: string) => Promise<unknown>,
) {
  const nameByOwner = new Map<string, string>();
  connection.onUsable(() => {
    for (const [owner, name] of nameByOwner) release(name, owner).catch(() => undefined);
    nameByOwner.clear();
  });
  return (name: string, owner: string): void => {
    nameByOwner.set(owner, name);
    if (connection.redis.status !== 'ready') return;
    release(name, owner).then(
      () => nameByOwner.delete(owner),
      () => undefined,
    );
  };
}

/** Whether a command that failed may have run anyway: not if it was not sent, or Redis replied with an error. */
function mayHaveRun(error: unknown): boolean {
  return !(error instanceof RedisUnavailableError || (error instanceof Error && error.name === 'ReplyError'));
}

function toRecord(reply: RecordReply): IdempotencyRecord {
  if (!Array.isArray(reply)) throw new Error('Expected an idempotency record from Redis, got something else');
  const [state, fingerprint, ageMs, guid] = reply;
  return { state: state as RecordState, fingerprint, notificationGuid: guid ?? undefined, ageMs };
}
