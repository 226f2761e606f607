/** Idempotency keys that live as long as what a user intends. */
import type { WriteOutcome, WriteResult } from './result.js';

/**
 * A new idempotency key: a UUID of version 7 (RFC 9562 section 5.7), which tells the gateway its age. `crypto.randomUUID()` makes version 4,
 * and only on pages served over HTTPS.
 */
export function createIdempotencyKey(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  // 7 is the version, and 8 the variant.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomDigits(3)}-8${randomDigits(3)}-${randomDigits(12)}`;
}

/** Hexadecimal digits. */
function randomDigits(count: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  return Array.from(bytes, (byte) => (byte % 16).toString(16)).join('');
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
  const attempts = new Map<string, { key: string; isUnknown: boolean }>();
  let latest = '';
  return {
    keyFor(variables) {
      latest = canonicalJson(variables);
      const { key = createIdempotencyKey(), isUnknown = false } = attempts.get(latest) ?? {};
      attempts.set(latest, { key, isUnknown });
      return key;
    },
    mayDouble(variables) {
      const same = canonicalJson(variables);
      return [...attempts.keys()].some((other) => other !== same);
    },
    settle(result) {
      const { outcome, evidence } = typeof result === 'string' ? { outcome: result } : result;
      const attempt = attempts.get(latest);
      if (outcome === 'APPLIED') attempts.clear();
      else if (outcome === 'UNKNOWN' && attempt) attempt.isUnknown = true;
      else if (!attempt?.isUnknown || (evidence && evidence !== 'NOT_SENT')) attempts.delete(latest);
    },
  };
}

/** JSON with the members of objects in alphabetical order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
