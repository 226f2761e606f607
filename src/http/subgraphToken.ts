import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

const SUBGRAPH_TOKEN_HEADER = 'x-subgraph-token';

/** Whether a request comes from a gateway over several graphs, which holds the token; none does without a token. */
export function createSubgraphTokenCheck(token: string | undefined) {
  if (token === undefined) return () => false;
  const expected = digestOf(token);
  return ({ headers }: FastifyRequest): boolean => {
    const given = headers[SUBGRAPH_TOKEN_HEADER];
    return typeof given === 'string' && timingSafeEqual(digestOf(given), expected);
  };
}

/** Digests have one length, so that the time of comparing them tells nothing of the token. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
