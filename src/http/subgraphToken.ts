import { createHash, timingSafeEqual } from 'node:crypto';

/** Creates a check of the token that a supergraph gateway sends. Without a configured token it accepts none. */
export function createSubgraphTokenCheck(token: string | undefined): (sent: string | undefined) => boolean {
  if (token === undefined) return () => false;
  const expected = digestOf(token);
  return (sent) => sent !== undefined && timingSafeEqual(digestOf(sent), expected);
}

/** Digests have equal lengths, so the time of comparing them reveals nothing about the token. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
