/**
 * Where the idempotency keys of mutations are recorded: what every store guarantees, the store in the memory of a process (the other one is
 * redisStore.ts), and what share of a store each client has.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { GatewayError } from '../../gatewayError.js';
import { addressKey, tokenKey, type Client } from '../../transport/queue.js';

/** The record of a key as it is stored; no change extends its retention. A write that was not applied leaves none. */
export type StoredRecord = Readonly<z.infer<typeof StoredRecord>>;
export const StoredRecord = z.object({
  /** Unique to the claim, or to the repeat that sends the write again. */
  owner: z.string(),
  state: z.enum(['STARTED', 'APPLIED', 'UNKNOWN']),
  /** Milliseconds before the end of the retention at which a STARTED record becomes UNKNOWN: its owner may have died. */
  leaseEndMs: z.coerce.number(),
  /** Milliseconds for which the record is kept. */
  retentionMs: z.coerce.number(),
  /** Name of the mutation field. */
  field: z.string(),
  fingerprint: z.string(),
  /** What a repeat needs to know of the result, if anything. */
  resultId: z.string().optional(),
});

/** A record as text, from which its key and the arguments of its mutation cannot be read. */
export function formatRecord(record: StoredRecord): string {
  const { owner, state, leaseEndMs, retentionMs, field, fingerprint, resultId } = record;
  const result = resultId === undefined ? '' : ` ${resultId}`;
  return `${owner} ${state} ${leaseEndMs} ${retentionMs} ${field} ${fingerprint}${result}`;
}

const RECORD =
  /^(?<owner>\S+) (?<state>\S+) (?<leaseEndMs>-?\d+) (?<retentionMs>\d+) (?<field>\S+) (?<fingerprint>\S+)(?: (?<resultId>.+))?$/;

/** Throws if the text is not of a record. */
export function parseRecord(text: string): StoredRecord {
  return StoredRecord.parse(RECORD.exec(text)?.groups);
}

/** A record as it was found. */
export interface FoundRecord extends Pick<StoredRecord, 'state'> {
  readonly record: StoredRecord;
  /** Milliseconds until it is removed, by the clock of the store, because the clocks of processes differ. */
  readonly leftMs: number;
}

export function foundRecord(record: StoredRecord, leftMs: number): FoundRecord {
  const isAbandoned = record.state === 'STARTED' && leftMs <= record.leaseEndMs;
  return { state: isAbandoned ? 'UNKNOWN' : record.state, record, leftMs };
}

/** Every method rejects if the store fails; its change may still have taken effect. */
export interface IdempotencyStore {
  /** Whether Redis accepts keys at the moment. @default always */
  isAvailable?(): boolean;
  /** How many more records it has room for; infinite for Redis, whose operator measures its memory. */
  room(): number;
  /**
   * Adds a record, unless there is one: resolves with that one, or with undefined. If it rejects and may have succeeded, the store removes
   * the record in the background.
   */
  add(name: string, record: StoredRecord): Promise<FoundRecord | undefined>;
  find(name: string): Promise<FoundRecord | undefined>;
  /** Replaces or removes a record, unless it was changed since, or is gone. Resolves with whether it did. */
  replace(name: string, before: StoredRecord, after: StoredRecord | undefined): Promise<boolean>;
  close(): Promise<void>;
}

/** Claims beyond this are rejected: a record that is evicted would let its write happen twice. */
const MAX_RECORDS = 100_000;

/** Records of this process alone, which end with it: for development, and for a single process. */
export function createMemoryStore(): IdempotencyStore {
  // In the order of claims, and so of expiry: all records are kept for the same time.
  const records = new Map<string, { record: StoredRecord; expiresAt: number }>();
  const find = (name: string): FoundRecord | undefined => {
    const now = performance.now();
    for (const [each, { expiresAt }] of records) {
      if (now < expiresAt) break;
      records.delete(each);
    }
    const found = records.get(name);
    return found && foundRecord(found.record, Math.ceil(found.expiresAt - now));
  };
  return {
    room: () => MAX_RECORDS - records.size,
    add(name, record) {
      const found = find(name);
      if (found) return Promise.resolve(found);
      if (records.size >= MAX_RECORDS)
        return Promise.reject(
          new Error(`Expected at most ${MAX_RECORDS} idempotency keys within the retention, got another one`),
        );
      records.set(name, { record, expiresAt: performance.now() + record.retentionMs });
      return Promise.resolve(undefined);
    },
    find: (name) => Promise.resolve(find(name)),
    replace(name, before, after) {
      if (find(name)?.record !== before) return Promise.resolve(false);
      if (after) Object.assign(records.get(name) ?? {}, { record: after });
      else records.delete(name);
      return Promise.resolve(true);
    },
    close() {
      records.clear();
      return Promise.resolve();
    },
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
