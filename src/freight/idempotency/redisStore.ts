/** Idempotency keys in Redis, where processes share them. Fails closed: without Redis, keys are rejected and nothing is sent for them. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { RedisAddress } from '../../redis/address.js';
import { RedisConnection, type AskOptions } from '../../redis/connection.js';
import type { RedisServerObserver } from '../../redis/observers.js';
import {
  MisconfiguredRedisError,
  NotSentError,
  UnsuitableRedisError,
  type Info,
  type Primary,
} from '../../redis/primary.js';
import { scripts, type FoundRecord, type Reply, type Commands, type Scripts } from './redisScripts.js';
import type { IdempotencyRecord, IdempotencyStore, RecordState, StoreTimes } from './store.js';

/** What a record takes of the memory of Redis: 373 bytes were measured, and the rate limit may have keys there, too. */
const RECORD_BYTES = 512;

/** Time in milliseconds for which the key of a test stays if it cannot be deleted. */
const REHEARSAL_MS = 1000;

const PREFIX = 'shipment-graphql-gateway:idempotency:';

export interface RedisStoreOptions extends StoreTimes {
  address: RedisAddress;
  log: Logger;
  observer?: RedisServerObserver | undefined;
}

/** Rejects with a MisconfiguredRedisError if Redis evicts records; one that is down is no reason not to start. */
export async function openRedisStore({
  address,
  log,
  observer: serverObserver,
  leaseMs,
  retentionMs,
}: RedisStoreOptions): Promise<IdempotencyStore> {
  const warn = createWarnings(log);
  const connection: RedisConnection = new RedisConnection({
    address,
    purpose: 'idempotency_store',
    log,
    messages: {
      unavailable: 'Redis unavailable: idempotency keys are rejected',
      available: 'Redis available: idempotency keys are accepted',
    },
    scripts,
    async test(primary) {
      warn(inspect(primary.info));
      await primary.updateReplicas();
      if (!primary.hasReplicas && primary.info['role'] !== undefined) warn(NO_REPLICAS);
      await primary.watch(() =>
        rehearse(primary, connection.keyOf(primary, `${PREFIX}test:${randomUUID()}:`)),
      );
    },
    testReplica: (info) => warn(inspect(info)),
    onUsable(isUsable) {
      if (isUsable) orphans.releaseAll();
    },
    observer: serverObserver,
  });
  const orphans = createOrphans((name, owner) => ask('releaseKey', {}, PREFIX + name, owner));

  /** Rejects at once, and sends nothing, while Redis is unusable; rejects a reply to anything but this command. */
  const ask = <Name extends keyof Scripts>(
    script: Name,
    options: Partial<AskOptions<Scripts[Name]['result']>>,
    key: string,
    ...args: Scripts[Name]['args']
  ): Promise<Scripts[Name]['result']> => {
    const [subject = key] = args;
    const send = async (redis: Redis) =>
      resultOf(await (redis as unknown as Commands)[script](key, ...args), subject);
    return connection.ask(script, key, send, { observer: undefined, ...options });
  };
  const run: typeof ask = async (script, options, key, ...args) => {
    try {
      return await ask(script, options, key, ...args);
    } catch (error) {
      const { message: reason } = error as Error;
      if (error instanceof NotSentError) throw error; // an outage, which is reported
      if (UNREADABLE.test(reason)) log.error({ reason }, 'Idempotency record unreadable');
      // On this connection, the replies after a wrong one are those to other commands too.
      else if (error instanceof WrongReplyError || /\bREADONLY\b/.test(reason))
        connection.suspend(error, key);
      else connection.reportOutage(error, key);
      throw error;
    }
  };

  await connection.open();
  return {
    leaseMs,
    /** Keys are spread evenly over the primaries. */
    room() {
      const rooms = connection.infos.map(roomOf);
      return Math.min(...rooms) * rooms.length;
    },
    async claim(name, { field, fingerprint, owner }, observer) {
      const key = PREFIX + name;
      try {
        const times = [leaseMs, retentionMs] as const;
        const options = { observer, isReplicated: (found: FoundRecord | null) => found === null };
        const found = await run('claimKey', options, key, owner, field, fingerprint, ...times);
        if (found !== null) return toRecord(found);
        // Only a claim ends an outage: a full or failing Redis (OOM, MISCONF) still runs the commands that store nothing.
        connection.reportRecovery(key);
        return undefined;
      } catch (error) {
        if (mayHaveRun(error)) orphans.release(name, owner);
        throw error;
      }
    },
    async find(name, observer) {
      const found = await run('findKey', { observer }, PREFIX + name);
      return found === null ? undefined : toRecord(found);
    },
    /** Another write may follow, as after a claim. */
    async resume(name, owner, observer) {
      const options = { observer, isReplicated: (changed: number) => changed === 1 };
      return (await run('resumeKey', options, PREFIX + name, owner, leaseMs)) === 1;
    },
    finish: async (name, owner, { state, resultId = '' }, observer) =>
      (await run('finishKey', { observer }, PREFIX + name, owner, state, resultId)) === 1,
    release: async (name, owner, observer) =>
      (await run('releaseKey', { observer }, PREFIX + name, owner)) === 1,
    close: () => connection.close(),
  };
}

/** The reply to another command, or to none: bytes were lost on the way, as by a proxy. What Redis did is unknown. */
class WrongReplyError extends Error {
  override readonly name = 'WrongReplyError';
}

/** Other data in place of a record: what a script says of it, and Redis if it is not even a string. */
const UNREADABLE = /expected an idempotency record|WRONGTYPE/;

/** Whether a command that failed may have run anyway: not if it was not sent, or Redis replied with an error. */
function mayHaveRun(error: unknown): boolean {
  return !(error instanceof NotSentError || (error instanceof Error && error.name === 'ReplyError'));
}

function resultOf<T>(reply: Reply<T>, subject: string): T {
  if (Array.isArray(reply) && reply[1] === subject) return reply[0];
  throw new WrongReplyError('Expected the reply of Redis to this command, got another one');
}

function toRecord([state, field, fingerprint, ageMs, expiresInMs, resultId]: FoundRecord): IdempotencyRecord {
  return {
    state: state as RecordState,
    field,
    fingerprint,
    resultId: resultId ?? undefined,
    ageMs,
    expiresInMs,
  };
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
      for (const [owner, name] of nameByOwner) release(name, owner).catch(() => undefined);
      nameByOwner.clear();
    },
  };
}

const NO_REPLICAS = 'Redis has no replicas: a failover could lose idempotency keys';
const NOT_VERIFIED =
  'Redis does not report its eviction policy: idempotency keys are safe only with maxmemory-policy noeviction';
const NO_AOF = 'Redis has no append-only file: idempotency keys may be lost when it restarts';

const MIN_VERSION = [6, 2] as const;

/** What an operator should know of a Redis that may be used; throws why it must not be. */
function inspect(info: Info): string | undefined {
  const { loading, maxmemory_policy: policy, aof_enabled: aof, redis_version: version = '' } = info;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (version !== '' && (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])))
    throw new MisconfiguredRedisError(`expected Redis ${MIN_VERSION.join('.')} or later, got ${version}`);
  if (policy !== undefined && policy !== 'noeviction')
    throw new MisconfiguredRedisError(
      `expected maxmemory-policy noeviction, got ${policy}: an evicted key would allow its write a second time`,
    );
  if (loading === '1')
    throw new UnsuitableRedisError('expected a Redis that has loaded its data, got one that is loading');
  return policy === undefined ? NOT_VERIFIED : aof === '0' ? NO_AOF : undefined;
}

/** What Redis replies to a command that its user may not run, or that it does not know, by itself and within a script. */
const CANNOT_RUN = /NOPERM|\bACL\b|user executing the script|unknown .*command|syntax error/i;

/**
 * Runs what the gateway will run, on a separate key. Otherwise, a Redis that forbids or lacks some of it would be found out
 * by writes: those whose outcome could not be recorded have been sent. A full Redis still serves lookups, and passes.
 */
async function rehearse({ redis, hasReplicas }: Primary, key: string): Promise<void> {
  const commands = redis as unknown as Commands;
  const owner = 'test';
  const claim = () => commands.claimKey(key, owner, 'test', 'test', REHEARSAL_MS, REHEARSAL_MS);
  const replies = await Promise.allSettled([
    claim(),
    commands.findKey(key),
    commands.releaseKey(key, owner),
    claim(),
    commands.finishKey(key, owner, 'UNKNOWN', ''),
    commands.resumeKey(key, owner, REHEARSAL_MS),
    redis.del(key),
    ...(hasReplicas ? [redis.wait(0, 1)] : []),
  ]);
  for (const reply of replies) {
    if (reply.status === 'fulfilled') continue;
    const { name, message } = reply.reason as Error;
    if (name !== 'ReplyError') throw reply.reason; // the connection
    if (CANNOT_RUN.test(message))
      throw new MisconfiguredRedisError(
        `expected a user that may run EVAL, EVALSHA, TIME, GET, SET, DEL and PTTL on ${PREFIX}*, and WAIT, got ${message}`,
      );
  }
}

/** How many more records a primary has room for. */
function roomOf({ maxmemory: limit = '0', used_memory: used = '0' }: Info): number {
  return Number(limit) > 0 ? Math.max(0, Number(limit) - Number(used)) / RECORD_BYTES : Infinity;
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
