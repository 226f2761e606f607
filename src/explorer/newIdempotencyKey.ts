/** A UUID of version 7 (RFC 9562 section 5.7). Pages that are not served over HTTPS have no crypto.randomUUID(). */
export function newIdempotencyKey(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  const variant = '89ab'[Number.parseInt(random.slice(3, 4), 16) % 4] ?? '8';
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${random.slice(0, 3)}`,
    `${variant}${random.slice(4, 7)}`,
    random.slice(7, 19),
  ].join('-');
}
