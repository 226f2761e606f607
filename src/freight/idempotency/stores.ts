/** The stores of idempotency keys that a gateway may have: Redis (redisStore.ts), and the memory of a process. */
import { MAX_KEY_LEAD_MS } from '../../domain/parameters.js';
import type { RedisAddress } from '../../redis/address.js';
import type { RedisStoreOptions } from './redisStore.js';
import type { Claim, IdempotencyRecord, IdempotencyStore, RecordState, StoreTimes } from './store.js';

export interface IdempotencyStoreOptions extends Omit<RedisStoreOptions, 'address'> {
  kind: 'redis' | 'memory' | 'off';
  /** Required for `redis`. */
  redisUrl: RedisAddress | undefined;
}

/**
 * Creates the store that the configuration asks for; undefined if keys are rejected. Rejects with a MisconfiguredRedisError. A Redis that
 * is down does not prevent the start.
 */
export async function createIdempotencyStore({
  kind,
  redisUrl: address,
  ...given
}: IdempotencyStoreOptions): Promise<IdempotencyStore | undefined> {
  // A record must not expire before its key does, by a clock that is ahead, nor while its call is in flight: a repeat would be sent.
  const retentionMs = Math.max(given.retentionMs + MAX_KEY_LEAD_MS, given.leaseMs);
  const options = { ...given, retentionMs };
  if (kind === 'memory') return createMemoryStore(options);
  if (kind === 'off' || address === undefined) return undefined;
  const { openRedisStore } = await import('./redisStore.js'); // loads the Redis client
  return openRedisStore({ ...options, address });
}

export interface MemoryStoreOptions extends StoreTimes {
  /** Monotonic time in milliseconds. @default performance.now */
  now?: () => number;
  /** Claims beyond this are rejected: a record that is evicted would let its write happen twice. @default 100_000 */
  maxRecords?: number;
}

interface MemoryRecord extends Claim {
  state: RecordState;
  resultId: string | undefined;
  claimedAt: number;
  leaseUntil: number;
  isResumed: boolean;
}

/** Records of this process alone, which end with it: for development, and for a single process. */
export function createMemoryStore({
  leaseMs,
  retentionMs,
  now = () => performance.now(),
  maxRecords = 100_000,
}: MemoryStoreOptions): IdempotencyStore {
  // In the order of claims, and so of expiry: all records are kept for the same time.
  const records = new Map<string, MemoryRecord>();
  const removeExpired = (time: number) => {
    for (const [name, { claimedAt }] of records) {
      if (time - claimedAt < retentionMs) return;
      records.delete(name);
    }
  };
  const find = (name: string): IdempotencyRecord | undefined => {
    const time = now();
    removeExpired(time);
    const record = records.get(name);
    return record && view(record, time, retentionMs);
  };
  const startedBy = (name: string, owner: string): MemoryRecord | undefined => {
    removeExpired(now());
    const record = records.get(name);
    return record?.state === 'STARTED' && record.owner === owner ? record : undefined;
  };

  return {
    leaseMs,
    room: () => maxRecords - records.size,
    claim(name, { field, fingerprint, owner }) {
      const found = find(name);
      if (found) return Promise.resolve(found);
      if (records.size >= maxRecords)
        return Promise.reject(
          new Error(`Expected at most ${maxRecords} idempotency keys within the retention, got another one`),
        );
      const claimedAt = now();
      records.set(name, {
        state: 'STARTED',
        field,
        fingerprint,
        owner,
        resultId: undefined,
        claimedAt,
        leaseUntil: claimedAt + leaseMs,
        isResumed: false,
      });
      return Promise.resolve(undefined);
    },
    find: (names) => Promise.resolve(names.map(find)),
    resume(name, owner) {
      const record = find(name)?.state === 'UNKNOWN' ? records.get(name) : undefined;
      if (record)
        Object.assign(record, { state: 'STARTED', owner, leaseUntil: now() + leaseMs, isResumed: true });
      return Promise.resolve(record !== undefined);
    },
    finish(name, owner, { state, resultId }) {
      const record = startedBy(name, owner);
      if (record) Object.assign(record, { state, resultId, owner: '' });
      return Promise.resolve(record !== undefined);
    },
    release(name, owner) {
      const record = startedBy(name, owner);
      if (record?.isResumed) record.state = 'UNKNOWN';
      else if (record) records.delete(name);
      return Promise.resolve(record !== undefined);
    },
    close() {
      records.clear();
      return Promise.resolve();
    },
  };
}

function view(record: MemoryRecord, time: number, retentionMs: number): IdempotencyRecord {
  const { state, field, fingerprint, resultId, claimedAt, leaseUntil } = record;
  return {
    state: state === 'STARTED' && leaseUntil <= time ? 'UNKNOWN' : state,
    field,
    fingerprint,
    resultId,
    ageMs: Math.floor(time - claimedAt),
    expiresInMs: Math.ceil(claimedAt + retentionMs - time),
  };
}
