/** Idempotency keys that live as long as what a user intends. */
import type { WriteOutcome } from '../errors.js';
import type { WriteResult } from './result.js';

/**
 * A new idempotency key: a UUID of version 4 (RFC 9562 section 5.4), which has no time, because the clocks of devices are wrong.
 * Send it only as long as the gateway keeps it. `crypto.randomUUID()` exists only on pages served over HTTPS.
 */
export function createIdempotencyKey(): string {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, randomDigit);
}

/** How long the gateway keeps a key from its first use, in milliseconds: later, it is not sent again. */
const RETENTION_MS = 86_400_000;

/** Whether the gateway still has the record of a key. Both times are by the same clock, so it does not matter whether it is wrong. */
export function isKept(usedAt: number): boolean {
  return Math.abs(Date.now() - usedAt) < RETENTION_MS;
}

/**
 * The key of an attempt. Without its record, the gateway would take it for a new one and write again, so it is then one of version 7
 * with the time 0, which fails with `IDEMPOTENCY_KEY_EXPIRED`, and the outcome `UNKNOWN`.
 */
export function keyOfAttempt(key: string, usedAt: number): string {
  return isKept(usedAt) ? key : `00000000-0000-7${key.slice(15)}`;
}

/** Hexadecimal. */
function randomDigit(): string {
  const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
  return (byte % 16).toString(16);
}

/** One write that a user intends, however often it is sent: a form, a row, a button. */
export interface Intent {
  /**
   * The idempotency key for these variables: the same one until an attempt with them has a definite outcome, so that a second click does not
   * write twice. The order of members does not matter.
   */
  readonly keyFor: (variables: unknown) => string;
  /** Whether an attempt with other variables is still unknown: to send these ones may write twice. Ask first. */
  readonly mayDouble: (variables: unknown) => boolean;
  /**
   * Call it with what the latest attempt led to. After `UNKNOWN`, only a result that was sent or found is definite: a repeat that was
   * `NOT_SENT` (no connection, a rate limit) says nothing of the attempt before it.
   * After `DECIDE`, if a person wants to send it again, a new intent has a new key.
   */
  readonly settle: (result: WriteOutcome | Pick<WriteResult, 'outcome' | 'evidence'>) => void;
}

/** Keep it for as long as the form, for example in `useState(createIntent)`. */
export function createIntent(): Intent {
  /** Attempts without a definite outcome, by their variables. */
  const attempts = new Map<string, { key: string; usedAt: number; isUnknown?: boolean }>();
  let latest = '';
  return {
    keyFor(variables) {
      latest = canonicalJson(variables);
      const attempt = attempts.get(latest) ?? { key: createIdempotencyKey(), usedAt: Date.now() };
      attempts.set(latest, attempt);
      return keyOfAttempt(attempt.key, attempt.usedAt);
    },
    mayDouble(variables) {
      const same = canonicalJson(variables);
      return [...attempts.keys()].some((other) => other !== same);
    },
    settle(result) {
      const { outcome, evidence } =
        typeof result === 'string' ? { outcome: result, evidence: undefined } : result;
      const attempt = attempts.get(latest);
      if (outcome === 'APPLIED') attempts.clear();
      else if (outcome === 'UNKNOWN' && attempt) attempt.isUnknown = true;
      else if (settles({ outcome, evidence }, attempt?.isUnknown ? 'UNKNOWN' : 'NOT_APPLIED'))
        attempts.delete(latest);
    },
  };
}

/** Whether a result says what became of a write: after an `UNKNOWN` attempt, one that was not sent does not. */
export function settles(
  { outcome, evidence }: { outcome: WriteOutcome; evidence?: WriteResult['evidence'] },
  before: WriteOutcome,
): boolean {
  return before !== 'UNKNOWN' || outcome !== 'NOT_APPLIED' || (!!evidence && evidence !== 'NOT_SENT');
}

/** JSON with the members of objects in alphabetical order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
