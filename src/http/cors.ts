/** CORS: which origins' pages may call the gateway. */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Origins of the hosted Apollo Sandbox and of its embedded form. */
const SANDBOX_ORIGINS = ['https://studio.apollographql.com', 'https://sandbox.embed.apollographql.com'];
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** The response headers for clients: pages of other origins may read them. */
export const EXPOSED_HEADERS = [
  'retry-after',
  'traceparent',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
];

export type AllowedOrigins = readonly (string | RegExp)[];

/** The configured origins; by default, outside of production, Apollo Sandbox and pages on this machine. */
export function allowedOrigins(
  configured: readonly string[] | undefined,
  isProduction: boolean,
): AllowedOrigins {
  return configured ?? (isProduction ? [] : [...SANDBOX_ORIGINS, LOCAL_ORIGIN]);
}

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
