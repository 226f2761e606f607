/** What the store holds about a key and its arguments: digests from which neither can be read nor guessed. */
import { createHash, createHmac } from 'node:crypto';

/** The name of the record of a key: the same key may be used once with each field. */
export function recordName(field: string, key: string): string {
  return createHash('sha256').update(`${field} ${key}`).digest('base64url');
}

/** Equal for equal arguments. Keyed by the idempotency key, so that likely arguments cannot be tried out against it. */
export function fingerprintOf(args: object, key: string): string {
  return createHmac('sha256', key).update(canonicalJson(args)).digest('base64url');
}

function canonicalJson(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
