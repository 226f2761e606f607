/** What browsers may do: which pages may call the gateway, and what its own answers may be used for. */
import cors, { type FastifyCorsOptions } from '@fastify/cors';
import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import helmet from 'helmet';

/** Where the hosted Apollo Sandbox and its embedded form run. */
const SANDBOX_ORIGINS = ['https://studio.apollographql.com', 'https://sandbox.embed.apollographql.com'];
const LOCAL_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

export interface BrowserPolicyOptions {
  /** Origins whose pages may call the gateway (CORS). */
  origins: readonly (string | RegExp)[];
}

/** The origins of who develops: Apollo Sandbox, and pages on this machine. */
export const developmentOrigins = [...SANDBOX_ORIGINS, LOCAL_ORIGIN] as const;

type CorsCallback = (error: Error | null, options: FastifyCorsOptions) => void;

export async function applyBrowserPolicy(
  server: FastifyInstance,
  { origins }: BrowserPolicyOptions,
): Promise<void> {
  if (origins.length > 0) {
    const policy = {
      origin: [...origins],
      methods: ['GET', 'POST'],
      exposedHeaders: ['retry-after', 'traceparent', 'x-request-id'],
      maxAge: 600,
    };
    await server.register(cors, () => ({ headers }: FastifyRequest, callback: CorsCallback) => {
      // Without this header an OPTIONS request is no preflight (Fetch standard), but one of a wrong method.
      callback(null, { ...policy, preflight: headers['access-control-request-method'] !== undefined });
    });
  }
  // They are the same for each answer, so that Helmet is asked for them once.
  const securityHeaders = headersOf(
    helmet({
      // Answers are data; a page that is one of them brings a policy of its own.
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      crossOriginOpenerPolicy: false,
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      referrerPolicy: { policy: 'no-referrer' },
    }),
  );
  server.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders);
    done();
  });
}

/** The headers that a middleware sets. */
function headersOf(middleware: ReturnType<typeof helmet>): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, (error) => {
    if (error !== undefined) throw error as Error;
  });
  return response.getHeaders();
}
