/** The explorer: GraphiQL, with all its assets served by the gateway. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { FastifyPluginCallback } from 'fastify';

export const EXPLORER_PATH = '/explorer';

/** The built pages: the same relative path from src/ and dist/. */
const folder = new URL('../../dist/explorer-pages/', import.meta.url);

const PAGE = 'index.html';
const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
};

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
export const explorerPages: FastifyPluginCallback = (scope, _options, done) => {
  if (!existsSync(new URL(PAGE, folder))) {
    scope.log.warn('The explorer is not built: run npm run build');
    done();
    return;
  }
  // Relative because a proxy may prefix the path.
  scope.get(EXPLORER_PATH, (_request, reply) => reply.redirect(`.${EXPLORER_PATH}/`));
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = mediaTypes[extname(path)];
    if (type === undefined) continue; // a folder
    const body = readFileSync(new URL(path, folder));
    const isPage = path === PAGE;
    scope.get(`${EXPLORER_PATH}/${isPage ? '' : path.replaceAll('\\', '/')}`, (_request, reply) =>
      reply
        .type(type)
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        // All other names contain a hash of the content.
        .header('cache-control', isPage ? 'no-cache' : 'public, max-age=31536000, immutable')
        .send(body),
    );
  }
  done();
};
