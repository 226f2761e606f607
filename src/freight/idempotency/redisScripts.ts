/** What Redis runs for idempotency keys, one script each on one key. */
import { defineScript } from '../../redis/connection.js';
import type { IdempotencyRecord, RecordState } from './store.js';

/**
 * A record is two lines. The first one may change: owner, state, the milliseconds before the end of the retention at which the lease ends,
 * and the result. The second one stays: the retention in milliseconds, field, and fingerprint. Redis says how much of the retention is
 * left, so no clock but its own counts.
 */
const RECORD = /^\S+ (STARTED|STARTED_AGAIN|APPLIED|UNKNOWN) (-?\d+) (.*)\n(\d+) (\S+) (\S+)$/;

/**
 * Each script replies with its first argument, the owner, if it did what it is for, and with what it found otherwise: the record, the
 * milliseconds it has left, and that argument, or else the key. Last, so that a reply which has lost bytes before it does not pass.
 */
export type Reply = string | [text: string | null, leftMs: number, subject: string];

const FOUND = `return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]), ARGV[1] or KEYS[1] }`;

/** Owner; the rest of the record; its time to live. */
export const claim = defineScript(`
if redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'NX', 'PX', ARGV[3]) then return ARGV[1] end
${FOUND}`);

export const find = defineScript(FOUND);

/** Owner; the rest of the first line. */
export const finish = defineScript(`
local text, start = redis.call('GET', KEYS[1]), ARGV[1] .. ' STARTED'
if text and string.sub(text, 1, #start) == start then
  redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2] .. string.match(text, '\\n.*'), 'KEEPTTL')
  return ARGV[1]
end
${FOUND}`);

/** Owner; the lease. UNKNOWN becomes STARTED_AGAIN, and so does a record whose lease has run out. */
export const resume = defineScript(`
local text, left = redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])
local state, lease_end, rest = string.match(text or '', '^%S+ (%u[%u_]*) (%-?%d+)( .*\\n%d+ %S+ %S+)$')
local is_started = state == 'STARTED' or state == 'STARTED_AGAIN'
if state == 'UNKNOWN' or is_started and left <= tonumber(lease_end) then
  redis.call('SET', KEYS[1], ARGV[1] .. ' STARTED_AGAIN ' .. left - ARGV[2] .. rest, 'KEEPTTL')
  return ARGV[1]
end
${FOUND}`);

/** Owner. What was STARTED_AGAIN is UNKNOWN again, because an earlier call may have been applied. */
export const release = defineScript(`
local text, start = redis.call('GET', KEYS[1]), ARGV[1] .. ' STARTED'
if text and string.sub(text, 1, #start) == start then
  local rest = string.match(text, '^_AGAIN (.*)$', #start + 1)
  if rest then redis.call('SET', KEYS[1], ARGV[1] .. ' UNKNOWN ' .. rest, 'KEEPTTL')
  else redis.call('DEL', KEYS[1]) end
  return ARGV[1]
end
${FOUND}`);

/** The marker. Replies with the first one that was set since the store was empty. */
export const mark = defineScript(`
redis.call('SET', KEYS[1], ARGV[1], 'NX')
${FOUND}`);

export const all = [claim, find, finish, resume, release, mark];

/** Throws if other data is in place of the record. */
export function toRecord(text: string, leftMs: number): IdempotencyRecord {
  const [, state = '', leaseEndMs, resultId, retentionMs, field = '', fingerprint = ''] =
    RECORD.exec(text) ?? [];
  if (state === '') throw new Error('expected an idempotency record, got other data');
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
