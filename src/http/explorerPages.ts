/** The explorer: GraphiQL, with all its assets served by the gateway. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { ClientsOptions } from './clients.js';

export const EXPLORER_PATH = '/explorer';

export interface ExplorerPagesOptions {
  /** Whether the service is the mock, on which the page lets mutations take effect. */
  usesMockService: boolean;
  /** The prefix of the schema's types, for the examples. */
  schemaPrefix: string;
  /** Whether the page asks for a client key. */
  clients: ClientsOptions | undefined;
}

/** The built pages: the same relative path from src/ and dist/. */
const folder = new URL('../../dist/explorer-pages/', import.meta.url);

const PAGE = 'index.html';
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'", // the editor makes style elements
  "font-src 'self' data:",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const explorerPages: FastifyPluginAsync<ExplorerPagesOptions> = async (scope, options) => {
  if (!existsSync(new URL(PAGE, folder))) {
    scope.log.warn('The explorer is not built: run npm run build');
    return;
  }
  // Relative because a proxy may prefix the path.
  for (const path of ['/', EXPLORER_PATH])
    scope.get(path, (_request, reply) => reply.redirect(`.${EXPLORER_PATH}/`));
  servePage(scope, options);
  // The build leaves only compressed files. Every browser decodes them, also behind a proxy that removes the header.
  scope.addHook('onRequest', (request, _reply, done) => {
    request.headers['accept-encoding'] = 'gzip';
    done();
  });
  await scope.register(fastifyStatic, {
    root: fileURLToPath(new URL('assets/', folder)),
    prefix: `${EXPLORER_PATH}/assets/`,
    index: false,
    preCompressed: true,
    maxAge: '1y',
    immutable: true, // a name contains a hash of the content
    setHeaders: (reply) => void reply.setHeader('content-security-policy', CONTENT_SECURITY_POLICY),
  });
};

function servePage(
  scope: FastifyInstance,
  { usesMockService, schemaPrefix, clients }: ExplorerPagesOptions,
): void {
  const page = readFileSync(new URL(PAGE, folder), 'utf8')
    .replace('data-service="configured"', `data-service="${usesMockService ? 'mock' : 'configured'}"`)
    .replace('data-schema-prefix=""', `data-schema-prefix="${schemaPrefix}"`)
    .replace('data-client-keys="false"', `data-client-keys="${clients?.keysFile !== undefined}"`);
  scope.get(`${EXPLORER_PATH}/`, (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
      .send(page),
  );
}
