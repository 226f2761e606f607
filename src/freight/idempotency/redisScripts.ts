/** The scripts that Redis runs, each in one round trip and on one key, so that they work on a cluster too. */
import type { Redis } from 'ioredis';

/** `[state, fingerprint, ageMs, notificationGuid]` of a record. */
export type RecordReply = [state: string, fingerprint: string, ageMs: number, guid: string | null];

/** The reply to a claim that succeeded: not nil, which a proxy might send for reasons of its own. */
export const CLAIMED = 'CLAIMED';

/** The scripts as commands. Those that resolve with a number resolve with 1 if they changed the record. */
export interface IdempotencyCommands {
  claimKey(
    key: string,
    fingerprint: string,
    owner: string,
    leaseMs: number,
    retentionMs: number,
  ): Promise<RecordReply | typeof CLAIMED>;
  findKey(key: string): Promise<RecordReply | null>;
  resumeKey(key: string, owner: string, leaseMs: number): Promise<number>;
  finishKey(key: string, owner: string, state: string, notificationGuid: string): Promise<number>;
  releaseKey(key: string, owner: string): Promise<number>;
}

/**
 * Time is that of Redis alone. A record is a JSON array: state, fingerprint, time of the claim, notification, owner, end of the
 * lease, whether it was resumed; an empty string stands for what it does not have. Anything else fails the script.
 */
const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local STATE, FINGERPRINT, CLAIMED_AT, NOTIFICATION, OWNER, LEASE_UNTIL, RESUMED = 1, 2, 3, 4, 5, 6, 7
local types = { 'string', 'string', 'number', 'string', 'string', 'number', 'boolean' }
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

local function reply(record)
  if not record then return false end
  local age = math.max(0, now - record[CLAIMED_AT])
  return { state_of(record), record[FINGERPRINT], age, record[NOTIFICATION] ~= '' and record[NOTIFICATION] }
end

local function change(record)
  redis.call('SET', KEYS[1], cjson.encode(record), 'KEEPTTL')
  return 1
end

local function read_started_by(owner)
  local record = read()
  if record and record[STATE] == 'STARTED' and record[OWNER] == owner then return record end
  return nil
end
`;

const CLAIM = `${PRELUDE}
local record = { 'STARTED', ARGV[1], now, '', ARGV[2], now + ARGV[3], false }
if redis.call('SET', KEYS[1], cjson.encode(record), 'NX', 'PX', ARGV[4]) then return '${CLAIMED}' end
return reply(read())
`;

const FIND = `${PRELUDE}
return reply(read())
`;

const RESUME = `${PRELUDE}
local record = read()
if not record or state_of(record) ~= 'UNKNOWN' then return 0 end
record[STATE], record[OWNER], record[LEASE_UNTIL], record[RESUMED] = 'STARTED', ARGV[1], now + ARGV[2], true
return change(record)
`;

const FINISH = `${PRELUDE}
local record = read_started_by(ARGV[1])
if not record then return 0 end
record[STATE], record[NOTIFICATION], record[OWNER], record[LEASE_UNTIL] = ARGV[2], ARGV[3], '', 0
return change(record)
`;

const RELEASE = `${PRELUDE}
local record = read_started_by(ARGV[1])
if not record then return 0 end
if not record[RESUMED] then return redis.call('DEL', KEYS[1]) end
record[STATE], record[OWNER], record[LEASE_UNTIL] = 'UNKNOWN', '', 0
return change(record)
`;

/** Adds the scripts to a client. Each is sent as text once per connection, then by its SHA-1. */
export function defineIdempotencyCommands(redis: Redis): IdempotencyCommands {
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
