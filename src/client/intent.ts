/** One idempotency key for each action of a user, however often it is sent. */
import type { WriteOutcome } from '../errors.js';
import type { WriteResult } from './result.js';
import { storedList } from './source.js';

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

/** Hexadecimal. React Native has no `crypto`: keys need to be distinct, not secret. */
function randomDigit(): string {
  const { crypto } = globalThis as { crypto?: Crypto };
  const [byte = 0] = crypto?.getRandomValues(new Uint8Array(1)) ?? [Math.floor(256 * Math.random())];
  return (byte % 16).toString(16);
}

export interface IntentOptions {
  /** Names the intent in `storage`: a page with the same name goes on with it. */
  name: string;
  /** Keeps variables, keys and results from before the first request on: with `sessionStorage`, a reload forgets none. */
  storage: Pick<Storage, 'getItem' | 'setItem'>;
}

/** One write that a user intends, however often it is sent: a form, a row, a button. */
export interface Intent {
  /**
   * The idempotency key for these variables: the same one until an attempt with them was certainly not applied, so that a second click does
   * not write twice, not even after a success: that is replayed until `startOver()`, or until other variables were applied. The order of
   * members does not matter. Throws if the storage is full.
   */
  readonly keyFor: (variables: unknown) => string;
  /**
   * What is known of the attempts with these variables: `UNKNOWN` with the step `REPEAT` while one is under way, and after a reload in the
   * middle of it; undefined if there was none, or none that was applied.
   */
  readonly resultFor: (variables: unknown) => WriteResult | undefined;
  /** Whether an attempt with other variables is still unknown: to send these ones may write twice. Ask first. */
  readonly mayDouble: (variables: unknown) => boolean;
  /**
   * Call it with what the latest attempt led to. After `UNKNOWN`, only a result that was sent or found is definite: a repeat that was
   * `NOT_SENT` (no connection, a rate limit) says nothing of the attempt before it.
   */
  readonly settle: (result: WriteOutcome | IntentResult) => void;
  /** The user wants to write once more, whatever became of the attempts before: after a success, or `DECIDE`. Keys are new from then on. */
  readonly startOver: () => void;
}

type IntentResult = Pick<WriteResult, 'outcome' | 'evidence'> & Partial<WriteResult>;

interface Attempt {
  readonly key: string;
  readonly usedAt: number;
  /** Undefined while the first attempt is under way. */
  readonly result?: WriteResult;
}

/** The result of an attempt before it has ended, and after a reload in the middle of it. */
export const UNDER_WAY: WriteResult = {
  outcome: 'UNKNOWN',
  evidence: undefined,
  errors: [],
  nextStep: 'REPEAT',
};

/** Keep it for as long as the form, for example in `useState(() => createIntent())`; with a storage, a reload does not end it. */
export function createIntent(options?: IntentOptions): Intent {
  const { name, storage } = options ?? { name: '', storage: createMemory() };
  const storageKey = `shipment-graphql-client:intent:${name}`;
  let latest = '';
  /** Keys of this page: what became of an attempt of the page before a reload, or of another tab, is unknown. */
  const own = new Set<string>();
  /** By their variables. Read each time, as another tab may have added some. */
  const read = () => new Map(storedList(storage.getItem(storageKey)) as [string, Attempt][]);
  const save = (attempts: Map<string, Attempt>) => storage.setItem(storageKey, JSON.stringify([...attempts]));
  return {
    keyFor(variables) {
      latest = canonicalJson([variables]);
      const attempts = read();
      let attempt = attempts.get(latest);
      if (!attempt) {
        attempt = { key: createIdempotencyKey(), usedAt: Date.now() };
        own.add(attempt.key);
        save(attempts.set(latest, attempt));
      }
      return keyOfAttempt(attempt.key, attempt.usedAt);
    },
    resultFor(variables) {
      const attempt = read().get(canonicalJson([variables]));
      return attempt && (attempt.result ?? UNDER_WAY);
    },
    mayDouble(variables) {
      const same = canonicalJson([variables]);
      return [...read()].some(([other, { result }]) => other !== same && result?.outcome !== 'APPLIED');
    },
    settle(given) {
      const result = typeof given === 'string' ? { outcome: given, evidence: undefined } : given;
      const attempts = read();
      const attempt = attempts.get(latest);
      if (attempt?.result?.outcome === 'APPLIED') return; // whatever became of a replay
      const before = attempt && (attempt.result ?? !own.has(attempt.key)) ? 'UNKNOWN' : 'NOT_APPLIED';
      if (result.outcome === 'APPLIED') attempts.clear();
      if (result.outcome !== 'NOT_APPLIED') {
        const nextStep = result.outcome === 'APPLIED' ? 'NONE' : 'REPEAT';
        // The cause may not be JSON.
        const kept = { errors: [], nextStep, ...result, cause: undefined } as const;
        if (attempt) attempts.set(latest, { ...attempt, result: kept });
      } else if (settles(result, before)) attempts.delete(latest);
      try {
        save(attempts);
      } catch {
        // The storage has the key: a repeat finds out.
      }
    },
    startOver: () => save(new Map()),
  };
}

/** Whether a result says what became of a write: after an `UNKNOWN` attempt, one that was not sent does not. */
export function settles(
  { outcome, evidence }: { outcome: WriteOutcome; evidence?: WriteResult['evidence'] },
  before: WriteOutcome,
): boolean {
  return before !== 'UNKNOWN' || outcome !== 'NOT_APPLIED' || (!!evidence && evidence !== 'NOT_SENT');
}

/** Takes the place of a storage where there is none. */
function createMemory(): IntentOptions['storage'] {
  let kept: string | null = null;
  return {
    getItem: () => kept,
    setItem(_key, text) {
      kept = text;
    },
  };
}

/** JSON with the members of objects in alphabetical order. */
export function canonicalJson(
  value: unknown,
  change: (name: string, member: unknown) => unknown = (_name, member) => member,
): string {
  return JSON.stringify(value, (name, given: unknown) => {
    const member = change(name, given);
    return typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member;
  });
}
