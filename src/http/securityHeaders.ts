/** The policy of the page of Apollo Sandbox. */
import type { FastifyInstance } from 'fastify';

/**
 * The page names in a meta element which scripts, styles and frames it may load. A second policy can only forbid more,
 * so this one has just what a meta element cannot say or that one leaves out.
 */
const CONTENT_SECURITY_POLICY =
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Gives pages among the answers of these routes that policy; the other answers keep theirs. */
export function applyPagePolicy(scope: FastifyInstance): void {
  scope.addHook('onSend', (_request, reply, _payload, done) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html'))
      reply.header('content-security-policy', CONTENT_SECURITY_POLICY);
    done();
  });
}
