/** Where the idempotency keys of mutations are recorded. */

export type RecordState = 'STARTED' | 'APPLIED' | 'UNKNOWN';

/** A record as it is read. STARTED means that its lease is running: one whose lease has run out is reported as UNKNOWN. */
export interface IdempotencyRecord {
  readonly state: RecordState;
  readonly fingerprint: string;
  /** Of the notification that was created. */
  readonly notificationGuid?: string | undefined;
  /** Milliseconds since the key was first claimed, by the clock of the store. */
  readonly ageMs: number;
}

export interface Claim {
  fingerprint: string;
  /** Unique to this claim. */
  owner: string;
}

/** How a STARTED record ends. */
export interface RecordEnd {
  state: 'APPLIED' | 'UNKNOWN';
  notificationGuid?: string | undefined;
}

/** Every method rejects if the store fails; its change may still have taken effect. */
export interface IdempotencyStore {
  /**
   * Creates a STARTED record, unless there is one: resolves with that record, or with undefined if the claim succeeded.
   * If the claim rejects and may have succeeded, the store tries once, in the background, to release it.
   */
  claim(name: string, claim: Claim): Promise<IdempotencyRecord | undefined>;
  find(name: string): Promise<IdempotencyRecord | undefined>;
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

/** Times by one clock, that of the store: the clocks of processes differ. */
export interface StoreTimes {
  /** Time that the owner of a STARTED record has to end it; then it is UNKNOWN. */
  leaseMs: number;
  /** Time after its first claim at which a record is removed; no change extends it. */
  retentionMs: number;
}
