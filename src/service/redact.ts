/** Keeping secrets out of what the service says in its messages. */

const REDACTED = '[redacted]';

/** A shorter text is no secret, and its replacement would spoil what it stands in by chance. */
const SHORTEST_SECRET = 4;

/** The JSON value with every occurrence of a secret in its strings replaced. */
export function redact(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') {
    return secrets.reduce(
      (text, secret) => (secret.length < SHORTEST_SECRET ? text : text.replaceAll(secret, REDACTED)),
      value,
    );
  }
  if (Array.isArray(value)) return value.map((element) => redact(element, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [String(redact(key, secrets)), redact(member, secrets)]),
  );
}

/** Every string and number within a JSON value. */
export function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf);
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
}
