/** The policies for browsers: which origins may read responses (CORS), and which resources an HTML page may load. */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The response headers for clients: pages of other origins may read them. */
const EXPOSED_HEADERS = [
  'retry-after',
  'traceparent',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
];

export type AllowedOrigins = readonly (string | RegExp)[];

type CorsCallback = (error: Error | null, options: FastifyCorsOptions) => void;

export async function applyCors(server: FastifyInstance, origins: AllowedOrigins): Promise<void> {
  if (origins.length === 0) return;
  const policy = {
    origin: [...origins],
    methods: ['GET', 'POST'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  };
  await server.register(cors, () => ({ headers }: FastifyRequest, callback: CorsCallback) => {
    // Without this header an OPTIONS request is not a preflight (Fetch standard) but a request of the wrong method.
    callback(null, { ...policy, preflight: headers['access-control-request-method'] !== undefined });
  });
}

/**
 * Headers of every response: it is data of one client at one time, so no cache may store it, nothing may be loaded from it and no page may
 * frame it. Which pages may read it is up to CORS; an HTML page brings its own content security policy. Strict-Transport-Security excludes
 * subdomains, which may have services without TLS.
 */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000',
} as const;

/**
 * Apollo Sandbox's page has a policy for its scripts, styles and frames in a meta element. A second policy can only add
 * restrictions, so this one has only what a meta element cannot express or the page leaves out.
 */
const PAGE_CONTENT_SECURITY_POLICY =
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Gives HTML responses of a scope the policies for pages; other responses keep theirs. */
export function applyPagePolicy(scope: FastifyInstance): void {
  scope.addHook('onSend', (_request, reply, _payload, done) => {
    if (String(reply.getHeader('content-type')).startsWith('text/html'))
      reply.headers({
        'content-security-policy': PAGE_CONTENT_SECURITY_POLICY,
        'referrer-policy': 'no-referrer',
      });
    done();
  });
}
