/**
 * Where the idempotency keys of mutations are recorded: what every store guarantees, the store in the memory of a process (the other one is
 * redisStore.ts), and what share of a store each client has.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { WriteOutcome } from '../../errors.js';
import { GatewayError } from '../../gatewayError.js';
import { addressKey, tokenKey, type Client } from '../../transport/queue.js';

/** A write that was not applied leaves no record. */
type RecordedOutcome = Exclude<WriteOutcome, 'NOT_APPLIED'>;

export type RecordState = 'STARTED' | RecordedOutcome;

/** A record as it is read. STARTED means that its lease is running: one whose lease has run out is reported as UNKNOWN. */
export interface IdempotencyRecord {
  readonly state: RecordState;
  /** Name of the mutation field. */
  readonly field: string;
  readonly fingerprint: string;
  /** What a repeat needs to know of the result, if anything; opaque to the store. */
  readonly resultId?: string | undefined;
  /** Milliseconds since the key was first claimed, by the clock of the store. */
  readonly ageMs: number;
  /** Milliseconds until the record is removed. */
  readonly expiresInMs: number;
}

export interface Claim extends Pick<IdempotencyRecord, 'field' | 'fingerprint'> {
  /** Unique to this claim. */
  owner: string;
}

/** How a STARTED record ends. */
export interface RecordEnd {
  state: RecordedOutcome;
  resultId?: string | undefined;
}

/** Every method rejects if the store fails; its change may still have taken effect. */
export interface IdempotencyStore extends Readonly<Pick<StoreTimes, 'leaseMs'>> {
  /** How many more records it has room for; infinite for Redis, whose operator measures its memory. */
  room(): number;
  /**
   * Creates a STARTED record, unless there is one: resolves with that record, or with undefined if the claim succeeded.
   * If the claim rejects and may have succeeded, the store tries once, in the background, to release it.
   */
  claim(name: string, claim: Claim): Promise<IdempotencyRecord | undefined>;
  /** The records with these names, in their order. */
  find(names: readonly string[]): Promise<(IdempotencyRecord | undefined)[]>;
  /** UNKNOWN becomes STARTED under a new owner, with a new lease. Resolves with whether it did. */
  resume(name: string, owner: string): Promise<boolean>;
  /** Ends the owner's STARTED record. Resolves with false if it belongs to someone else by now, or is gone. */
  finish(name: string, owner: string, end: RecordEnd): Promise<boolean>;
  /**
   * Removes the owner's STARTED record, if it was never resumed; otherwise it becomes UNKNOWN again, because an earlier call
   * may have been applied. Resolves with false if it belongs to someone else by now, or is gone.
   */
  release(name: string, owner: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Times by the clock of the store, because the clocks of processes differ. */
export interface StoreTimes {
  /** Time that the owner of a STARTED record has to end it; then it is UNKNOWN. */
  leaseMs: number;
  /** Time after its first claim at which a record is removed; no change extends it. */
  retentionMs: number;
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

const HOUR_MS = 3_600_000;
/** Share of the remaining capacity that a token or an address may take. */
const MAX_SHARE = 1 / 4;
/** Tokens and addresses whose keys are counted; the latest are kept. */
const MAX_COUNTED_CLIENTS = 10_000;

/** The new keys of each token and each address within an hour of its first one, counted in this process. */
export class KeyShares {
  private readonly counts = new LRUCache<string, { keys: number }>({
    max: MAX_COUNTED_CLIENTS,
    ttl: HOUR_MS,
  });

  constructor(private readonly keysPerHour: number) {}

  /** The names under which a client is counted. A token may have 16 KiB, and is a secret, so its name is a digest. */
  namesOf(client: Client): readonly string[] {
    return [hash('sha256', tokenKey(client), 'base64url'), addressKey(client)];
  }

  /** The error for a new key of a client that has used up its share. Claims in flight do not count: most of them may be repeats. */
  rejectionOf(names: readonly string[], room: number): GatewayError | undefined {
    const share = Math.max(1, Math.min(this.keysPerHour, Math.floor(room * MAX_SHARE)));
    for (const name of names) {
      if ((this.counts.get(name)?.keys ?? 0) < share) continue;
      const retryAfterSeconds = Math.ceil(this.counts.getRemainingTTL(name) / 1000);
      return new GatewayError('tooManyKeys', { retryAfterSeconds });
    }
    return undefined;
  }

  /** Counts a new key. Returns a function for one that leaves no record: it takes nothing from the counts of a later hour. */
  take(names: readonly string[]): () => void {
    const taken = names.map((name) => {
      const count = this.counts.get(name) ?? { keys: 0 };
      if (count.keys === 0) this.counts.set(name, count);
      count.keys += 1;
      return count;
    });
    return () => {
      for (const count of taken) count.keys -= 1;
    };
  }
}
