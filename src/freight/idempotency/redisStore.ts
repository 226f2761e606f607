/** Idempotency keys in Redis, where processes share them. Fails closed: without Redis, keys are rejected and nothing is sent for them. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import {
  MisconfiguredRedisError,
  NotSentError,
  UnsuitableRedisError,
  type RedisAddress,
} from '../../redis/address.js';
import { defineScript, RedisConnection, type Info, type RedisScript } from '../../redis/connection.js';
import type { Telemetry } from '../../telemetry/events.js';
import type { IdempotencyRecord, IdempotencyStore, RecordState, StoreTimes } from './store.js';

/**
 * A record is two lines. The first one may change: owner, state, the milliseconds before the end of the retention at which the lease ends,
 * and the result. The second one stays: the retention in milliseconds, field, and fingerprint. Redis says how much of the retention is
 * left, so no clock but its own counts.
 */
const RECORD = /^\S+ (STARTED|STARTED_AGAIN|APPLIED|UNKNOWN) (-?\d+) (.*)\n(\d+) (\S+) (\S+)$/;

/**
 * The first argument of each script, its subject, is unique to the command, and its reply ends with it, so that a reply which has lost
 * bytes does not pass for another. After a success, the reply is the subject alone; otherwise, the subject follows the record of each key
 * with the milliseconds that it has left.
 */
type Found = [found: [text: string | null, leftMs: number][], subject: string];

const FIND = `
local found = {}
for i, key in ipairs(KEYS) do found[i] = { redis.call('GET', key), redis.call('PTTL', key) } end
return { found, ARGV[1] }`;

/** A change of the owner's STARTED record, whose `text` begins with `start`. */
const ofOwner = (change: string) =>
  defineScript(`
local text, start = redis.call('GET', KEYS[1]), ARGV[1] .. ' STARTED'
if text and string.sub(text, 1, #start) == start then
  ${change}
  return ARGV[1]
end
${FIND}`);

const scripts = {
  find: defineScript(FIND),

  /** Arguments: owner; the rest of the record; its time to live. */
  claim: defineScript(`
if redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'NX', 'PX', ARGV[3]) then return ARGV[1] end
${FIND}`),

  /** Arguments: owner; the rest of the first line. */
  finish: ofOwner(`redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2] .. string.match(text, '\\n.*'), 'KEEPTTL')`),

  /** Argument: owner. A record that was STARTED_AGAIN is UNKNOWN again, because an earlier call may have been applied. */
  release: ofOwner(`
  local rest = string.match(text, '^_AGAIN (.*)$', #start + 1)
  if rest then redis.call('SET', KEYS[1], ARGV[1] .. ' UNKNOWN ' .. rest, 'KEEPTTL')
  else redis.call('DEL', KEYS[1]) end`),

  /** Arguments: owner; the lease. UNKNOWN becomes STARTED_AGAIN, and so does a record whose lease has run out. */
  resume: defineScript(`
local text, left = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
local state, lease_end, rest = string.match(text or '', '^%S+ (%u[%u_]*) (%-?%d+)( .*\\n%d+ %S+ %S+)$')
local is_started = state == 'STARTED' or state == 'STARTED_AGAIN'
if state == 'UNKNOWN' or is_started and left <= tonumber(lease_end) then
  redis.call('SET', KEYS[1], ARGV[1] .. ' STARTED_AGAIN ' .. left - ARGV[2] .. rest, 'KEEPTTL')
  return ARGV[1]
end
${FIND}`),
};

const PREFIX = 'shipment-graphql-gateway:idempotency:';

/** Time in milliseconds for which the key of a test stays if it cannot be deleted. */
const REHEARSAL_MS = 1000;

export interface RedisStoreOptions extends StoreTimes {
  address: RedisAddress;
  /** How many replicas must have a claim before its write is sent, and an outcome before it counts as recorded. */
  replicas: number;
  log: Logger;
  telemetry: Telemetry;
}

/** Rejects with a MisconfiguredRedisError if Redis evicts records. A Redis that is down does not prevent the start. */
export async function openRedisStore({
  address,
  replicas,
  log,
  telemetry,
  leaseMs,
  retentionMs,
}: RedisStoreOptions): Promise<IdempotencyStore> {
  /**
   * Claims whose reply was lost, or which the replicas do not have: their names by owner. They are released at once, over the connection on
   * which the release follows the claim, and otherwise once Redis is available again. A claim that stays becomes UNKNOWN.
   */
  const orphans = new Map<string, string>();
  const releaseOrphan = (name: string, owner: string) => {
    orphans.set(owner, name);
    run(scripts.release, name, owner).then(
      () => orphans.delete(owner),
      () => undefined,
    );
  };
  const connection = new RedisConnection({
    address,
    log,
    messages: {
      unavailable: 'Redis unavailable: idempotency keys are rejected',
      available: 'Redis available: idempotency keys are accepted',
    },
    replicas,
    test: createTest(replicas, log),
    onAvailable(isAvailable) {
      telemetry.storeAvailabilityChanged({ isAvailable });
      if (isAvailable) for (const [owner, name] of orphans) releaseOrphan(name, owner);
    },
    onShortage: (reason) => telemetry.acknowledgementMissing({ reason }),
    onReply: (durationMs) => telemetry.waited({ resource: 'idempotency_store', durationMs }),
  });

  /**
   * The records that a script found; undefined if it succeeded. Throws if the reply is that to another command, or to none: bytes
   * were lost on the way, as by a proxy, and what Redis did is unknown.
   */
  const foundIn = (reply: unknown, subject: string) => {
    if (reply === subject) return undefined;
    const [found, named] = Array.isArray(reply) ? (reply as Found) : [];
    if (found && named === subject)
      return found.map(([text, leftMs]) => (text === null ? undefined : parseRecord(text, leftMs, log)));
    const error = new Error('Expected the reply of Redis to this command, got another one');
    connection.suspend(error); // the replies after it are those to other commands, too
    throw error;
  };
  const run = async (script: RedisScript, name: string, owner: string, ...args: (string | number)[]) =>
    foundIn(await connection.run(script, [PREFIX + name], owner, ...args), owner);

  await connection.open();
  return {
    leaseMs,
    room: () => Infinity,
    async claim(name, { field, fingerprint, owner }) {
      const rest = ` STARTED ${retentionMs - leaseMs} \n${retentionMs} ${field} ${fingerprint}`;
      try {
        const found = await run(scripts.claim, name, owner, rest, retentionMs);
        if (!found) return undefined;
        if (found[0]) return found[0];
        throw new Error('Expected a claim or a record, got neither');
      } catch (error) {
        if (mayBeThere(error)) releaseOrphan(name, owner);
        throw error;
      }
    },
    async find(names) {
      const subject = `find ${randomUUID()}`;
      const keys = names.map((name) => PREFIX + name);
      return foundIn(await connection.run(scripts.find, keys, subject), subject) ?? [];
    },
    resume: async (name, owner) => !(await run(scripts.resume, name, owner, leaseMs)),
    finish: async (name, owner, { state, resultId = '' }) =>
      !(await run(scripts.finish, name, owner, ` ${state} 0 ${resultId}`)),
    release: async (name, owner) => !(await run(scripts.release, name, owner)),
    close: () => connection.close(),
  };
}

/** Other data is in place of the record. */
class UnreadableRecordError extends Error {
  override readonly name = 'UnreadableRecordError';
  override readonly message = 'expected an idempotency record, got other data';
}

function parseRecord(text: string, leftMs: number, log: Logger): IdempotencyRecord {
  const [, state = '', leaseEndMs, resultId, retentionMs, field = '', fingerprint = ''] =
    RECORD.exec(text) ?? [];
  if (state === '') {
    const error = new UnreadableRecordError();
    log.error({ reason: error.message }, 'Idempotency record unreadable');
    throw error;
  }
  const isStarted = state.startsWith('STARTED');
  const isLeased = leftMs > Number(leaseEndMs);
  return {
    state: isStarted ? (isLeased ? 'STARTED' : 'UNKNOWN') : (state as RecordState),
    field,
    fingerprint,
    resultId: resultId || undefined,
    ageMs: Math.max(0, Number(retentionMs) - leftMs),
    expiresInMs: leftMs,
  };
}

/** Whether a claim that failed may be there anyway: not if it was not sent, Redis replied with an error, or something else is there. */
function mayBeThere(error: unknown): boolean {
  if (error instanceof NotSentError || error instanceof UnreadableRecordError) return false;
  return !(error instanceof Error && error.name === 'ReplyError');
}

const NOT_VERIFIED =
  'Redis does not report its eviction policy: idempotency keys are safe only with maxmemory-policy noeviction';
const MORE_REPLICAS = 'Redis has more replicas than REDIS_REPLICAS: a failover could lose idempotency keys';

/** Whether a Redis may have keys. The first one gets warnings of what an operator should know. */
function createTest(replicas: number, log: Logger) {
  let isFirst = true;
  let knownMarker: string | null | undefined;
  return async (redis: Redis, info: Info): Promise<void> => {
    requireSafety(info);
    const { maxmemory_policy: policy, connected_slaves: connected = '0' } = info;
    if (isFirst && policy === undefined) log.warn(NOT_VERIFIED);
    if (isFirst && Number(connected) > replicas)
      log.warn({ set: `REDIS_REPLICAS=${connected}` }, MORE_REPLICAS);
    isFirst = false;
    await rehearse(redis, replicas);
    if (replicas === 0) return;
    // The replicas of a primary that comes back empty are empty, too, and acknowledge what was claimed before.
    await redis.set(`${PREFIX}marker`, randomUUID(), 'NX');
    const marker = await redis.get(`${PREFIX}marker`);
    if (marker !== (knownMarker ??= marker))
      throw new UnsuitableRedisError(
        'expected the keys that were in Redis before, got a Redis that has lost them: restart the gateway to accept keys again',
      );
  };
}

const MIN_VERSION = [6, 2] as const;

/** Throws why idempotency keys must not be entrusted to a Redis. */
function requireSafety({ maxmemory_policy: policy, redis_version: version = '' }: Info): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (version !== '' && (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1])))
    throw new MisconfiguredRedisError(`expected Redis ${MIN_VERSION.join('.')} or later, got ${version}`);
  if (policy !== undefined && policy !== 'noeviction')
    throw new MisconfiguredRedisError(
      `expected maxmemory-policy noeviction, got ${policy}: an evicted key would let its write be sent twice`,
    );
}

/** Errors of Redis about a command that its user may not run, or that it does not know, by itself and within a script. */
const CANNOT_RUN = /NOPERM|\bACL\b|user executing the script|unknown .*command|syntax error/i;

/** A full or failing Redis still serves lookups. */
const CANNOT_STORE = /\b(?:OOM|MISCONF)\b/;

/**
 * Claims, finds and releases a separate key. Otherwise, a Redis that forbids or lacks what the gateway will run would be found out by
 * writes: those whose outcome could not be recorded have been sent.
 */
async function rehearse(redis: Redis, replicas: number): Promise<void> {
  const key = `${PREFIX}test:${randomUUID()}`;
  const run = ({ sha1 }: RedisScript, ...args: (string | number)[]) =>
    redis.evalsha(sha1, 1, key, 'test', ...args);
  try {
    await Promise.all([
      ...Object.values(scripts).map(({ lua }) => redis.script('LOAD', lua)),
      run(scripts.claim, ' STARTED 0 \n1 test test', REHEARSAL_MS),
      run(scripts.find),
      run(scripts.release),
      replicas > 0 && redis.wait(0, 1),
    ]);
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
