/** Idempotency keys in Redis, where processes share them. Fails closed: without Redis, keys are rejected and nothing is sent for them. */
import { randomUUID } from 'node:crypto';
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

/** Redis says how much of the retention is left, so no clock but its own counts. */
const FOUND = `
local found = {}
for i, key in ipairs(KEYS) do found[i] = { redis.call('GET', key), redis.call('PTTL', key) } end
return { found, ARGV[1] }`;
type Found = [text: string | null, leftMs: number][];

/** ARGV[1] is the name of the run. */
const scripts = {
  find: FOUND,

  /** Further arguments: the record; its time to live. */
  add: `if redis.call('SET', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[3]) then return ARGV[1] end${FOUND}`,

  /** Further arguments: the record as it was; what replaces it, or nothing. */
  replace: `
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return { false, ARGV[1] } end
if ARGV[3] == '' then redis.call('DEL', KEYS[1]) else redis.call('SET', KEYS[1], ARGV[3], 'KEEPTTL') end
return ARGV[1]`,
};

const PREFIX = 'shipment-graphql-gateway:idempotency:';
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
  const connection = new RedisConnection({
    ...options,
    messages: {
      unavailable: 'Redis unavailable: idempotency keys are rejected',
      available: 'Redis available: idempotency keys are accepted',
    },
    test: createTest(options),
    onAvailable(isAvailable) {
      for (const [text, key] of isAvailable ? orphans : [])
        connection.run(scripts.replace, [key], text, '').then(
          () => orphans.delete(text),
          () => undefined, // it is tried again after the next outage
        );
    },
    onShortage: (reason) => telemetry.acknowledgementMissing({ reason }),
    onReply: (durationMs) => telemetry.waited({ resource: 'idempotency_store', durationMs }),
  });
  const { run } = connection;

  await connection.open();
  return {
    isAvailable: () => connection.isUsable,
    room: () => Infinity,
    async add(name, record) {
      const [key, text] = [keyOf(name), formatRecord(record)];
      const mayBeSent = connection.isUsable;
      const found = await run(scripts.add, [key], text, record.retentionMs).catch((error: unknown) => {
        if (mayBeSent && !(error instanceof ReplyError)) orphans.set(text, key);
        throw error;
      });
      return found === undefined ? undefined : parseAll(found, log)[0];
    },
    find: async (names) => parseAll(await run(scripts.find, names.map(keyOf)), log),
    async replace(name, before, after) {
      const found = await run(
        scripts.replace,
        [keyOf(name)],
        formatRecord(before),
        after ? formatRecord(after) : '',
      );
      return found === undefined;
    },
    close: () => connection.close(),
  };
}

function parseAll(found: unknown, log: RedisStoreOptions['log']): (FoundRecord | undefined)[] {
  return (found as Found).map(([text, leftMs]) => {
    if (text === null) return undefined;
    try {
      return foundRecord(parseRecord(text), leftMs);
    } catch {
      const reason = 'expected an idempotency record, got other data';
      log.error({ reason }, 'Idempotency record unreadable');
      throw new Error(reason);
    }
  });
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
    const claimed = run(scripts.add, [key], 'test', 1000);
    const released = run(scripts.replace, [key], 'test', '');
    await Promise.all([claimed, released, run(scripts.find, [key])]).catch((error: unknown) => {
      if (!(error instanceof ReplyError && CANNOT_RUN.test(String(error)))) throw error;
      const { message } = error as Error;
      throw new MisconfiguredRedisError(
        `expected a user that may run EVAL, GET, SET, DEL and PTTL on ${PREFIX}*, and WAIT, got ${message}`,
      );
    });
    if (replicas === 0) return;
    // The replicas of a primary that comes back empty are empty, too, and acknowledge what was claimed before.
    const added = randomUUID();
    const found = await run(scripts.add, [`${PREFIX}marker`], added, TEN_YEARS_MS);
    const [[marker] = [added]] = (found ?? []) as Found;
    if (marker !== (knownMarker ??= marker))
      throw new MisconfiguredRedisError(
        'expected the keys that were in Redis before, got a Redis that has lost them: restart the gateway to accept keys again',
      );
  };
}
