/** Idempotency keys in Redis, where processes share them. Fails closed: without Redis, keys are rejected and nothing is sent for them. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { RedisAddress } from '../../redis/address.js';
import { RedisConnection, type Info } from '../../redis/connection.js';
import {
  MisconfiguredRedisError,
  NotAcknowledgedError,
  NotSentError,
  UnsuitableRedisError,
} from '../../redis/errors.js';
import * as scripts from './redisScripts.js';
import { toRecord, type Reply } from './redisScripts.js';
import type { IdempotencyRecord, IdempotencyStore, StoreObserver, StoreTimes } from './store.js';

/** What a record takes of the memory of Redis: 373 bytes were measured, and the rate limit may have keys there, too. */
const RECORD_BYTES = 512;

/** Time in milliseconds for which the key of a test stays if it cannot be deleted. */
const REHEARSAL_MS = 1000;

const PREFIX = 'shipment-graphql-gateway:idempotency:';

export interface RedisStoreOptions extends StoreTimes {
  address: RedisAddress;
  /** How many replicas must have a claim before its write is sent, and an outcome before it counts as recorded. */
  replicas: number;
  log: Logger;
  observer: StoreObserver;
}

/** Rejects with a MisconfiguredRedisError if Redis evicts records; one that is down is no reason not to start. */
export async function openRedisStore({
  address,
  replicas,
  log,
  observer,
  leaseMs,
  retentionMs,
}: RedisStoreOptions): Promise<IdempotencyStore> {
  const requireMarker = createMarkerCheck();
  let room = Infinity;
  let isFirst = true;
  const connection: RedisConnection = new RedisConnection({
    address,
    log,
    messages: {
      unavailable: 'Redis unavailable: idempotency keys are rejected',
      available: 'Redis available: idempotency keys are accepted',
    },
    replicas,
    async test(redis, info) {
      room = roomOf(info);
      requireSafety(info);
      if (isFirst) warnOf(info, replicas, log);
      isFirst = false;
      await rehearse(redis, replicas);
      if (replicas > 0) await requireMarker(redis);
    },
    onUsable: (isUsable) => isUsable && orphans.releaseAll(),
    onAvailable: (isAvailable) => observer.onStoreAvailable({ isAvailable }),
    onReply: (durationMs) => observer.onWait({ resource: 'idempotency_store', durationMs }),
  });
  const orphans = createOrphans((name, owner) =>
    run(owner, connection.run(scripts.release, PREFIX + name, owner)),
  );

  /** Rejects the reply to another command, and reports what is wrong with Redis. */
  const run = async (subject: string, command: Promise<Reply>): Promise<Reply> => {
    try {
      const reply = await command;
      if ((Array.isArray(reply) ? reply[2] : reply) === subject) return reply;
      throw new WrongReplyError('Expected the reply of Redis to this command, got another one');
    } catch (error) {
      const { message: reason } = error as Error;
      if (error instanceof NotAcknowledgedError) observer.onAcknowledgementMissing({ reason });
      // On this connection, the replies after a wrong one are those to other commands too.
      else if (error instanceof WrongReplyError || /\b(?:READONLY|NOSCRIPT)\b/.test(reason))
        connection.suspend(error);
      else if (!(error instanceof NotSentError || reason.includes('WRONGTYPE')))
        connection.reportOutage(error);
      throw error;
    }
  };
  /** The record that a script found; undefined if there is none. */
  const recordIn = (reply: Reply): IdempotencyRecord | undefined => {
    if (typeof reply === 'string' || reply[0] === null) return undefined;
    try {
      return toRecord(reply[0], reply[1]);
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'Idempotency record unreadable');
      throw error;
    }
  };
  /** Whether a script has done what it is for. Throws if it found other data than a record. */
  const isDone = (reply: Reply): boolean => {
    recordIn(reply);
    return isString(reply);
  };

  await connection.open();
  return {
    leaseMs,
    room: () => room,
    async claim(name, { field, fingerprint, owner }) {
      const key = PREFIX + name;
      const rest = ` STARTED ${retentionMs - leaseMs} \n${retentionMs} ${field} ${fingerprint}`;
      try {
        connection.requireReplicas();
        const reply = await run(
          owner,
          connection.runReplicated(isString, scripts.claim, key, owner, rest, retentionMs),
        );
        const found = recordIn(reply);
        if (found) return found;
        if (!isString(reply)) throw new Error('Expected a claim or a record, got neither');
        // Only a claim ends an outage: a full or failing Redis (OOM, MISCONF) still runs the scripts that store nothing.
        connection.reportRecovery();
        return undefined;
      } catch (error) {
        if (mayHaveRun(error)) orphans.release(name, owner);
        throw error;
      }
    },
    async find(name) {
      const key = PREFIX + name;
      return recordIn(await run(key, connection.run(scripts.find, key)));
    },
    /** Another write may follow, as after a claim. */
    async resume(name, owner) {
      connection.requireReplicas();
      const resumed = connection.runReplicated(isString, scripts.resume, PREFIX + name, owner, leaseMs);
      return isDone(await run(owner, resumed));
    },
    async finish(name, owner, { state, resultId = '' }) {
      const rest = ` ${state} 0 ${resultId}`;
      return isDone(
        await run(owner, connection.runReplicated(isString, scripts.finish, PREFIX + name, owner, rest)),
      );
    },
    release: async (name, owner) =>
      isDone(await run(owner, connection.run(scripts.release, PREFIX + name, owner))),
    close: () => connection.close(),
  };
}

/** The reply to another command, or to none: bytes were lost on the way, as by a proxy. What Redis did is unknown. */
class WrongReplyError extends Error {
  override readonly name = 'WrongReplyError';
}

function isString(reply: Reply): boolean {
  return typeof reply === 'string';
}

/** Whether a command that failed may have run anyway: not if it was not sent, or Redis replied with an error. */
function mayHaveRun(error: unknown): boolean {
  return !(error instanceof NotSentError || (error instanceof Error && error.name === 'ReplyError'));
}

/**
 * Releases claims whose reply was lost, or which the replicas do not have: at once, over the connection on which the release follows
 * the claim, and otherwise once Redis is usable again. A claim that stays becomes UNKNOWN.
 */
function createOrphans(release: (name: string, owner: string) => Promise<unknown>) {
  const nameByOwner = new Map<string, string>();
  return {
    release(name: string, owner: string): void {
      nameByOwner.set(owner, name);
      release(name, owner).then(
        () => nameByOwner.delete(owner),
        () => undefined,
      );
    },
    releaseAll(): void {
      for (const [owner, name] of nameByOwner) this.release(name, owner);
    },
  };
}

const NOT_VERIFIED =
  'Redis does not report its eviction policy: idempotency keys are safe only with maxmemory-policy noeviction';
const MORE_REPLICAS = 'Redis has more replicas than must have an idempotency key: a failover could lose keys';

const MIN_VERSION = [6, 2] as const;

/** Throws why idempotency keys must not be entrusted to a Redis. */
function requireSafety({ maxmemory_policy: policy, redis_version: version = '' }: Info): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (version !== '' && (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])))
    throw new MisconfiguredRedisError(`expected Redis ${MIN_VERSION.join('.')} or later, got ${version}`);
  if (policy !== undefined && policy !== 'noeviction')
    throw new MisconfiguredRedisError(
      `expected maxmemory-policy noeviction, got ${policy}: an evicted key would allow its write a second time`,
    );
}

/** What an operator should know of a Redis that may be used. */
function warnOf(
  { maxmemory_policy: policy, connected_slaves: connected = '0' }: Info,
  replicas: number,
  log: Logger,
): void {
  if (policy === undefined) log.warn(NOT_VERIFIED);
  if (Number(connected) > replicas) log.warn({ set: `REDIS_REPLICAS=${connected}` }, MORE_REPLICAS);
}

/** What Redis replies to a command that its user may not run, or that it does not know, by itself and within a script. */
const CANNOT_RUN = /NOPERM|\bACL\b|user executing the script|unknown .*command|syntax error/i;

/** A full or failing Redis still serves lookups. */
const CANNOT_STORE = /\b(?:OOM|MISCONF)\b/;

/**
 * Claims and releases a separate key. Otherwise, a Redis that forbids or lacks what the gateway will run would be found out by writes: those
 * whose outcome could not be recorded have been sent.
 */
async function rehearse(redis: Redis, replicas: number): Promise<void> {
  const key = `${PREFIX}test:${randomUUID()}`;
  const run = (script: { sha1: string }, ...args: string[]) => redis.evalsha(script.sha1, 1, key, ...args);
  try {
    for (const { lua } of scripts.all) await redis.script('LOAD', lua);
    await run(scripts.claim, 'test', ' STARTED 0 \n1 test test', String(REHEARSAL_MS));
    await run(scripts.find);
    await run(scripts.release, 'test');
    if (replicas > 0) await redis.wait(0, 1);
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'ReplyError') throw error; // the connection
    if (CANNOT_STORE.test(message)) return;
    if (!CANNOT_RUN.test(message)) throw new UnsuitableRedisError(message, { cause: error });
    throw new MisconfiguredRedisError(
      `expected a user that may run SCRIPT LOAD, EVALSHA, GET, SET, DEL and PTTL on ${PREFIX}*, and WAIT, got ${message}`,
    );
  }
}

/**
 * Remembers a marker in Redis, and rejects if it is gone: a primary that comes back empty gives its replicas nothing, too, so they
 * acknowledge what was claimed before.
 */
function createMarkerCheck(): (redis: Redis) => Promise<void> {
  let known: string | undefined;
  return async (redis) => {
    const reply = await redis.evalsha(scripts.mark.sha1, 1, `${PREFIX}marker`, randomUUID());
    const [found] = reply as [string];
    known ??= found;
    if (found !== known)
      throw new UnsuitableRedisError(
        'expected the keys that were in Redis before, got a Redis that has lost them: restart the gateway to accept keys again',
      );
  };
}

/** How many more records Redis has room for. */
function roomOf({ maxmemory: limit = '0', used_memory: used = '0' }: Info): number {
  return Number(limit) > 0 ? Math.max(0, Number(limit) - Number(used)) / RECORD_BYTES : Infinity;
}
