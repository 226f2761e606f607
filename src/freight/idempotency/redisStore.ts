/** Idempotency keys in Redis, where processes share them. Fails closed: without Redis, keys are rejected and nothing is sent for them. */
import { randomUUID } from 'node:crypto';
import { setImmediate as tickEnd, setTimeout as sleep } from 'node:timers/promises';
import DataLoader from 'dataloader';
import { ReplyError } from 'ioredis';
import { MisconfiguredRedisError } from '../../redis/address.js';
import {
  RedisConnection,
  type Info,
  type RedisConnectionOptions,
  type RunScript,
} from '../../redis/connection.js';
import type { Telemetry } from '../../telemetry/events.js';
import { formatRecord, foundRecord, parseRecord, type FoundRecord, type IdempotencyStore } from './store.js';

/** A change of one key's record, in the form of the script's arguments. */
interface Change {
  readonly key: string;
  /** `=` and the record that must be there; empty if there must be none. */
  readonly before: string;
  /** The record to put in its place; empty to remove it. */
  readonly after: string;
  /** Time to live of a new record in milliseconds; an old one keeps its own. */
  readonly ttlMs?: number;
}

/** A change that is never made, so that its key is looked up. */
const LOOKUP = { before: '?', after: '' };

/** Makes each change whose key has what it expects, and finds what the others have. The clock of Redis alone counts. */
const CHANGE = `
local results, isChanged = {}, 0
for i, key in ipairs(KEYS) do
  local before, after, ttl = ARGV[3 * i - 1], ARGV[3 * i], ARGV[3 * i + 1]
  local found = redis.pcall('GET', key)
  if type(found) == 'table' then
    if not found.err:find('WRONGTYPE') then return found end
    found = 'of another type'
  end
  if (found and '=' .. found or '') ~= before then
    results[i] = { found, redis.call('PTTL', key) }
  else
    if after == '' then redis.call('DEL', key)
    elseif ttl == '' then redis.call('SET', key, after, 'KEEPTTL')
    else redis.call('SET', key, after, 'PX', ttl) end
    results[i], isChanged = false, 1
  end
end
return { results, ARGV[1], isChanged }`;
/** What was found; null if the change was made. */
type ChangeResult = readonly [text: string | null, leftMs: number] | null;

/** Changes per script: this many take Redis half a millisecond (measured), in which it runs nothing else. */
const MAX_CHANGES = 100;

/** Maximum time in milliseconds for which changes are gathered: by then, a Redis that is near has replied to those before. */
const MAX_GATHERING_MS = 2;

async function runChanges(run: RunScript, changes: readonly Change[]): Promise<ChangeResult[]> {
  const keys = changes.map(({ key }) => key);
  const args = changes.flatMap(({ before, after, ttlMs }) => [before, after, ttlMs ?? '']);
  return (await run(CHANGE, keys, ...args)) as ChangeResult[];
}

/** With a hash tag: a Redis that spreads its keys behind one endpoint runs a script with several keys only if they share one. */
const PREFIX = '{shipment-graphql-gateway}:idempotency:';
const keyOf = (name: string) => PREFIX + name;
const TEN_YEARS_MS = 315_360_000_000;

export interface RedisStoreOptions extends Pick<RedisConnectionOptions, 'address' | 'log' | 'replicas'> {
  telemetry: Telemetry;
}

/** Rejects with a MisconfiguredRedisError if Redis evicts records. A Redis that is down does not prevent the start. */
export async function openRedisStore(options: RedisStoreOptions): Promise<IdempotencyStore> {
  const { log, telemetry } = options;
  /** Claims whose reply was lost, or which the replicas do not have, and their keys. One that is not released becomes UNKNOWN. */
  const orphans = new Map<string, string>();
  const release = (key: string, text: string) => change({ key, before: `=${text}`, after: '' });
  const connection = new RedisConnection({
    ...options,
    messages: {
      unavailable: 'Redis unavailable: idempotency keys are rejected',
      available: 'Redis available: idempotency keys are accepted',
    },
    test: createTest(options),
    onAvailable() {
      for (const [text, key] of orphans)
        release(key, text).then(
          () => orphans.delete(text),
          () => undefined, // it is tried again after the next outage
        );
    },
    onShortage: (reason) => telemetry.acknowledgementMissing({ reason }),
    onReply: (durationMs) => telemetry.waited({ resource: 'idempotency_store', durationMs }),
  });

  /** Settles when the next batch may be sent. */
  let turn: Promise<unknown> = Promise.resolve();
  let replied: Promise<unknown> | undefined;
  // With a command for each change, a mutation with a key takes a sixth more CPU here, and Redis needs twice as much (measured).
  const batches = new DataLoader<Change, ChangeResult>(
    (changes) => {
      const results = runChanges(connection.run, changes);
      replied = results.catch(() => undefined);
      return results;
    },
    {
      cache: false,
      maxBatchSize: MAX_CHANGES,
      batchScheduleFn(dispatch) {
        turn = turn.then(tickEnd).then(() => {
          dispatch();
          return Promise.race([replied, sleep(MAX_GATHERING_MS)]);
        });
      },
    },
  );
  const change = (each: Change) => batches.load(each);

  await connection.open();
  return {
    isAvailable: () => connection.isUsable,
    room: () => Infinity,
    async add(name, record) {
      const [key, text] = [keyOf(name), formatRecord(record)];
      const mayBeSent = connection.isUsable;
      try {
        const found = await change({ key, before: '', after: text, ttlMs: record.retentionMs });
        return found === null ? undefined : parseFound(found, log);
      } catch (error) {
        if (mayBeSent) orphans.set(text, key);
        throw error;
      }
    },
    find: async (name) => parseFound(await change({ key: keyOf(name), ...LOOKUP }), log),
    async replace(name, before, after) {
      const text = after ? formatRecord(after) : '';
      return (await change({ key: keyOf(name), before: `=${formatRecord(before)}`, after: text })) === null;
    },
    close: () => connection.close(),
  };
}

function parseFound(found: ChangeResult, log: RedisStoreOptions['log']): FoundRecord | undefined {
  const [text = null, leftMs = 0] = found ?? [];
  if (text === null) return undefined;
  try {
    return foundRecord(parseRecord(text), leftMs);
  } catch {
    const reason = 'expected an idempotency record, got other data';
    log.error({ reason }, 'Idempotency record unreadable');
    throw new Error(reason);
  }
}

/** Errors of Redis about a command that its user may not run, or that it does not know, by itself and within a script. */
const CANNOT_RUN = /NOPERM|\bACL\b|user executing the script|unknown .*command|syntax error/i;

/** Whether a Redis may have keys. The first one gets warnings of what an operator should know. */
function createTest({ replicas, log }: RedisStoreOptions) {
  let isFirst = true;
  let knownMarker: string | null | undefined;
  return async (run: RunScript, info: Info): Promise<void> => {
    const { maxmemory_policy: policy, redis_version: version = '6.2', connected_slaves: connected } = info;
    if (version.localeCompare('6.2', 'en', { numeric: true }) < 0)
      throw new MisconfiguredRedisError(`expected Redis 6.2 or later, got ${version}`);
    if (policy !== undefined && policy !== 'noeviction')
      throw new MisconfiguredRedisError(
        `expected maxmemory-policy noeviction, got ${policy}: an evicted key would let its write be sent twice`,
      );
    if (isFirst && policy === undefined)
      log.warn(
        'Redis does not report its eviction policy: idempotency keys are safe only with maxmemory-policy noeviction',
      );
    if (isFirst && Number(connected) > replicas)
      log.warn(
        { set: `REDIS_REPLICAS=${connected}` },
        'Redis has more replicas than REDIS_REPLICAS: a failover could lose idempotency keys',
      );
    isFirst = false;
    // Otherwise, a Redis that forbids or lacks a command would be found out by writes: those whose outcome could not be recorded were sent.
    const key = `${PREFIX}test:${randomUUID()}`;
    const changes = [
      { key, before: '', after: 'test', ttlMs: 1000 },
      { key, ...LOOKUP },
      { key, before: '=test', after: 'test' },
      { key, before: '=test', after: '' },
    ];
    await runChanges(run, changes).catch((error: unknown) => {
      if (!(error instanceof ReplyError && CANNOT_RUN.test(String(error)))) throw error;
      const { message } = error as Error;
      throw new MisconfiguredRedisError(
        `expected a user that may run EVAL, GET, SET, DEL and PTTL on ${PREFIX}*, and WAIT, got ${message}`,
      );
    });
    if (replicas === 0) return;
    // The replicas of a primary that comes back empty are empty, too, and acknowledge what was claimed before.
    const added = randomUUID();
    const marked = { key: `${PREFIX}marker`, before: '', after: added, ttlMs: TEN_YEARS_MS };
    const [found] = await runChanges(run, [marked]);
    const marker = found?.[0] ?? added;
    if (marker !== (knownMarker ??= marker))
      throw new MisconfiguredRedisError(
        'expected the keys that were in Redis before, got a Redis that has lost them: restart the gateway to accept keys again',
      );
  };
}
