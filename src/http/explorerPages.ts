/** The explorer: GraphiQL, with all its assets served by the gateway. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyPluginCallback } from 'fastify';
import Negotiator from 'negotiator';
import type { ClientsOptions } from './clients.js';

export const EXPLORER_PATH = '/explorer';

export interface ExplorerPagesOptions {
  /** Whether the service is the mock, on which the page lets mutations take effect. */
  usesMockService: boolean;
  /** The prefix of the schema's types, for the examples. */
  schemaPrefix: string;
  /** Whether the page asks for a client key. */
  clients: Pick<ClientsOptions, 'keysFile'> | undefined;
}

/** The built pages: the same relative path from src/ and dist/. */
const folder = new URL('../../dist/explorer-pages/', import.meta.url);

const PAGE = 'index.html';
const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
};

/** The build leaves nothing but the page uncompressed. */
const COMPRESSED = /\.gz$/;

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

/** Reads all files once at startup; there is a route for each and nothing else. */
export const explorerPages: FastifyPluginCallback<ExplorerPagesOptions> = (scope, options, done) => {
  if (!existsSync(new URL(PAGE, folder))) {
    scope.log.warn('The explorer is not built: run npm run build');
    done();
    return;
  }
  // Relative because a proxy may prefix the path.
  for (const path of ['/', EXPLORER_PATH])
    scope.get(path, (_request, reply) => reply.redirect(`.${EXPLORER_PATH}/`));
  servePage(scope, options);
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (COMPRESSED.test(path)) serveAsset(scope, path);
  }
  done();
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

function serveAsset(scope: FastifyInstance, file: string): void {
  const compressed = readFileSync(new URL(file, folder));
  const path = file.replace(COMPRESSED, '').replaceAll('\\', '/');
  scope.get(`${EXPLORER_PATH}/${path}`, async (request, reply) => {
    const isCompressed = new Negotiator(request).encodings(['gzip', 'identity']).includes('gzip');
    if (isCompressed) void reply.header('content-encoding', 'gzip');
    return (
      reply
        .type(mediaTypes[extname(path)] ?? 'application/octet-stream')
        .header('vary', 'accept-encoding')
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        // Its name contains a hash of the content.
        .header('cache-control', 'public, max-age=31536000, immutable')
        .send(isCompressed ? compressed : await promisify(gunzip)(compressed))
    );
  });
}
