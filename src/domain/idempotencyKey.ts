/**
 * Idempotency keys: random UUIDs (RFC 9562 section 4), given as an argument or in the header `Idempotency-Key`. Nobody can
 * guess one, so all clients share one scope, and a client may repeat a mutation after its token was renewed.
 */

/** Versions 4 and 7: the others are derived from names or addresses, or need not be random. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** The key in lower case; undefined if the text is not a random UUID. */
export function parseIdempotencyKey(text: string): string | undefined {
  const key = text.toLowerCase();
  return UUID.test(key) ? key : undefined;
}

/** The key in a header, bare or as a quoted string; undefined if it is not a random UUID. */
export function parseIdempotencyHeader(header: string): string | undefined {
  return parseIdempotencyKey(/^"(.*)"$/.exec(header)?.[1] ?? header);
}

/** When a key was created, in milliseconds since the epoch; undefined unless its version is 7 (RFC 9562 section 5.7). */
export function creationTimeOf(key: string): number | undefined {
  return key[14] === '7' ? Number.parseInt(key.slice(0, 8) + key.slice(9, 13), 16) : undefined;
}
