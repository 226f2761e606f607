/** What a store of idempotency keys guarantees (redisStore.ts is one), the store in memory, and the share of each client. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Client } from '../../transport/queue.js';

/** The record of a key as it is stored; no change extends its retention. A write that was not applied leaves none. */
export type StoredRecord = Readonly<z.infer<typeof StoredRecord>>;
export const StoredRecord = z.object({
  /** Unique to the claim, or to the repeat that sends the write again. */
  owner: z.string(),
  state: z.enum(['STARTED', 'APPLIED', 'UNKNOWN']),
  /** Milliseconds before the end of the retention at which a STARTED record becomes UNKNOWN: its owner may have died. */
  leaseEndMs: z.coerce.number(),
  retentionMs: z.coerce.number(),
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
  /** Resolves with the record that is there, or adds this one. If it rejects and may have succeeded, the store removes the record later. */
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
/** Tokens and addresses whose keys are counted; the latest are kept. */
const MAX_COUNTED_CLIENTS = 10_000;

/** New keys of a token, or of an address, within an hour of its first one. */
export interface KeyCount {
  keys: number;
  readonly endsAt: number;
}

/** Creates a function that finds the counts of a client's token and address, in this process. */
export function createKeyCounts(): (client: Client) => readonly KeyCount[] {
  const counts = new LRUCache<string, KeyCount>({
    max: MAX_COUNTED_CLIENTS,
    ttl: HOUR_MS,
    memoMethod: () => ({ keys: 0, endsAt: performance.now() + HOUR_MS }),
  });
  // By a digest: a token may have 16 KiB, and is a secret.
  return ({ keys }) => keys.map((key) => counts.memo(hash('sha256', key, 'base64url')));
}
