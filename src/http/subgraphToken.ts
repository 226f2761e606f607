import { createHash, timingSafeEqual } from 'node:crypto';

/** Creates a check of the token that a supergraph gateway sends: one of those configured, two while one replaces the other. */
export function createSubgraphTokenCheck(tokens: readonly string[]): (sent: string | undefined) => boolean {
  const accepted = tokens.map(digestOf);
  return (sent) => {
    if (sent === undefined) return false;
    const digest = digestOf(sent);
    return accepted.filter((each) => timingSafeEqual(digest, each)).length > 0; // compares with all, so its time tells nothing
  };
}

/** Digests have equal lengths, so the time of comparing them reveals nothing about the token. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
