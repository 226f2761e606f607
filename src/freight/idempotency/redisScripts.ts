/** What Redis runs for idempotency keys: the scripts, and their types as commands of the client. */
/** A result, and the owner that the command names, or else its key. Last, so that a reply which has lost bytes before it does not pass. */
export type Reply<Result> = [result: Result, subject: string];

/** `[state, field, fingerprint, ageMs, expiresInMs, resultId]`. */
export type FoundRecord = [string, string, string, number, number, string | null];

/**
 * The scripts as commands, each in one round trip and on one key, so that they work on a cluster too. A claim that succeeds results in
 * null; a number is 1 if the record was changed.
 */
export interface Scripts {
  claimKey: {
    args: [owner: string, field: string, fingerprint: string, leaseMs: number, retentionMs: number];
    result: FoundRecord | null;
  };
  findKey: { args: []; result: FoundRecord | null };
  resumeKey: { args: [owner: string, leaseMs: number]; result: number };
  finishKey: { args: [owner: string, state: string, resultId: string]; result: number };
  releaseKey: { args: [owner: string]; result: number };
}
export type Commands = {
  [Name in keyof Scripts]: (
    key: string,
    ...args: Scripts[Name]['args']
  ) => Promise<Reply<Scripts[Name]['result']>>;
};

/**
 * Time is taken from Redis alone. A record is a JSON array: state, fingerprint, time of the claim, result, owner, end of the
 * lease, whether it was resumed, mutation field; an empty string stands for what it does not have. Anything else fails the script.
 */
const PRELUDE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local STATE, FINGERPRINT, CLAIMED_AT, RESULT, OWNER, LEASE_UNTIL, RESUMED, FIELD = 1, 2, 3, 4, 5, 6, 7, 8
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
  local result = record[RESULT] ~= '' and record[RESULT]
  return reply({ state_of(record), record[FIELD], record[FINGERPRINT], math.max(0, now - record[CLAIMED_AT]), redis.call('PTTL', KEYS[1]), result })
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
record[STATE], record[RESULT], record[OWNER], record[LEASE_UNTIL] = ARGV[2], ARGV[3], '', 0
return change(record)
`;

const RELEASE = `${PRELUDE}
local record = read_started_by(ARGV[1])
if not record then return reply(0) end
if not record[RESUMED] then return reply(redis.call('DEL', KEYS[1])) end
record[STATE], record[OWNER], record[LEASE_UNTIL] = 'UNKNOWN', '', 0
return change(record)
`;

/** The scripts as options of a client. Each is sent as text once per connection, then by its SHA-1. */
export const scripts: Record<keyof Scripts, { lua: string; numberOfKeys: number }> = {
  claimKey: { lua: CLAIM, numberOfKeys: 1 },
  findKey: { lua: FIND, numberOfKeys: 1 },
  resumeKey: { lua: RESUME, numberOfKeys: 1 },
  finishKey: { lua: FINISH, numberOfKeys: 1 },
  releaseKey: { lua: RELEASE, numberOfKeys: 1 },
};
