/** Idempotency keys in Redis, where processes share them. Fails closed: without Redis, keys are rejected and nothing is sent for them. */
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { RedisConnection, UnsafeStoreError, UnsuitableRedisError } from '../../redis.js';
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
  const commands = defineIdempotencyCommands(connection.redis);
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

  /** Rejects at once, and sends nothing, while Redis is unusable; rejects a reply to anything but what `subject` names. */
  const run = async <T>(send: () => Promise<Reply<T>>, subject: string): Promise<T> => {
    if (!connection.isUsable) throw new RedisUnavailableError('Redis is unavailable');
    try {
      return resultOf(await send(), subject);
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
    async claim(name, { field, fingerprint, owner }) {
      if (performance.now() - measuredAt > MEASURE_INTERVAL_MS) readStatus().catch(() => undefined);
      try {
        const claim = () => commands.claimKey(PREFIX + name, owner, field, fingerprint, leaseMs, retentionMs);
        const found = await run(claim, owner);
        // Only a claim ends an outage: a full or failing Redis (OOM, MISCONF) still runs the commands that store nothing.
        connection.reportRecovery();
        return found === null ? undefined : toRecord(found);
      } catch (error) {
        if (mayHaveRun(error)) orphans.release(name, owner);
        throw error;
      }
    },
    async find(name) {
      const found = await run(() => commands.findKey(PREFIX + name), PREFIX + name);
      return found === null ? undefined : toRecord(found);
    },
    resume: async (name, owner) =>
      (await run(() => commands.resumeKey(PREFIX + name, owner, leaseMs), owner)) === 1,
    finish: async (name, owner, { state, notificationGuid = '' }) =>
      (await run(() => commands.finishKey(PREFIX + name, owner, state, notificationGuid), owner)) === 1,
    release: async (name, owner) => (await run(() => commands.releaseKey(PREFIX + name, owner), owner)) === 1,
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

/** A result, and the owner that the command names, or else its key. Last, so that a reply which has lost bytes before it does not pass. */
type Reply<Result> = [result: Result, subject: string];

/** `[state, field, fingerprint, ageMs, expiresInMs, notificationGuid]`. */
type FoundRecord = [string, string, string, number, number, string | null];

/**
 * The scripts as commands, each in one round trip and on one key, so that they work on a cluster too. A claim that succeeds results in
 * null; a number is 1 if the record was changed.
 */
interface IdempotencyCommands {
  claimKey: Command<
    [owner: string, field: string, fingerprint: string, leaseMs: number, retentionMs: number],
    FoundRecord | null
  >;
  findKey: Command<[], FoundRecord | null>;
  resumeKey: Command<[owner: string, leaseMs: number], number>;
  finishKey: Command<[owner: string, state: string, notificationGuid: string], number>;
  releaseKey: Command<[owner: string], number>;
}
type Command<Args extends unknown[], Result> = (key: string, ...args: Args) => Promise<Reply<Result>>;

/**
 * Time is that of Redis alone. A record is a JSON array: state, fingerprint, time of the claim, notification, owner, end of the
 * lease, whether it was resumed, mutation field; an empty string stands for what it does not have. Anything else fails the script.
 */
const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local STATE, FINGERPRINT, CLAIMED_AT, NOTIFICATION, OWNER, LEASE_UNTIL, RESUMED, FIELD = 1, 2, 3, 4, 5, 6, 7, 8
local types = { 'string', 'string', 'number', 'string', 'string', 'number', 'boolean', 'string' }
local states = { STARTED = true, APPLIED = true, UNKNOWN = true }

local function read()
  local text = redis.call('GET', KEYS[1])
  if not text then return nil end
  local isReadable, record = pcall(cjson.decode, text)
  isReadable = isReadable and type(record) == 'table' and #record == #types
  for index, expected in ipairs(types) do
    isReadable = isReadable and type(record[index]) == expected
  end
  if not isReadable or not states[record[STATE]] then
    error('expected an idempotency record, got other data')
  end
  return record
end

local function state_of(record)
  if record[STATE] == 'STARTED' and record[LEASE_UNTIL] <= now then return 'UNKNOWN' end
  return record[STATE]
end

local function reply(result)
  return { result, ARGV[1] or KEYS[1] }
end

local function found(record)
  if not record then return reply(false) end
  local guid = record[NOTIFICATION] ~= '' and record[NOTIFICATION]
  return reply({ state_of(record), record[FIELD], record[FINGERPRINT], math.max(0, now - record[CLAIMED_AT]), redis.call('PTTL', KEYS[1]), guid })
end

local function change(record)
  redis.call('SET', KEYS[1], cjson.encode(record), 'KEEPTTL')
  return reply(1)
end

local function read_started_by(owner)
  local record = read()
  if record and record[STATE] == 'STARTED' and record[OWNER] == owner then return record end
end
`;

const CLAIM = `${PRELUDE}
local record = { 'STARTED', ARGV[3], now, '', ARGV[1], now + ARGV[4], false, ARGV[2] }
if redis.call('SET', KEYS[1], cjson.encode(record), 'NX', 'PX', ARGV[5]) then return reply(false) end
return found(read())
`;

const FIND = `${PRELUDE}
return found(read())
`;

const RESUME = `${PRELUDE}
local record = read()
if not record or state_of(record) ~= 'UNKNOWN' then return reply(0) end
record[STATE], record[OWNER], record[LEASE_UNTIL], record[RESUMED] = 'STARTED', ARGV[1], now + ARGV[2], true
return change(record)
`;

const FINISH = `${PRELUDE}
local record = read_started_by(ARGV[1])
if not record then return reply(0) end
record[STATE], record[NOTIFICATION], record[OWNER], record[LEASE_UNTIL] = ARGV[2], ARGV[3], '', 0
return change(record)
`;

const RELEASE = `${PRELUDE}
local record = read_started_by(ARGV[1])
if not record then return reply(0) end
if not record[RESUMED] then return reply(redis.call('DEL', KEYS[1])) end
record[STATE], record[OWNER], record[LEASE_UNTIL] = 'UNKNOWN', '', 0
return change(record)
`;

/** Adds the scripts to a client. Each is sent as text once per connection, then by its SHA-1. */
function defineIdempotencyCommands(redis: Redis): IdempotencyCommands {
  const scripts = {
    claimKey: CLAIM,
    findKey: FIND,
    resumeKey: RESUME,
    finishKey: FINISH,
    releaseKey: RELEASE,
  };
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { lua, numberOfKeys: 1 });
  return redis as Redis & IdempotencyCommands;
}
