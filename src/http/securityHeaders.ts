/** Security headers: constants for every response, and a policy for pages among the responses of a route. */
import type { FastifyInstance } from 'fastify';

/** Headers for responses that bypass Fastify's hooks. */
export const minimalSecurityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

/**
 * Headers of every response. Responses are data, so nothing may be loaded from them and no page may frame them; which
 * pages may read them is up to CORS. An HTML page brings its own content security policy.
 */
const securityHeaders = {
  ...minimalSecurityHeaders,
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
} as const;

export function applySecurityHeaders(server: FastifyInstance): void {
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}

/**
 * Apollo Sandbox's page has a policy for its scripts, styles and frames in a meta element. A second policy can only add
 * restrictions, so this one has only what a meta element cannot express or the page leaves out.
 */
const PAGE_CONTENT_SECURITY_POLICY =
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Gives HTML responses of a scope the policy for pages; other responses keep theirs. */
export function applyPagePolicy(scope: FastifyInstance): void {
  scope.addHook('onSend', (_request, reply, _payload, done) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html'))
      reply.header('content-security-policy', PAGE_CONTENT_SECURITY_POLICY);
    done();
  });
}
