/** The mock's HTTP server: routes, validation and authentication are derived from the contract. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { logCall, type CallRecorder } from './callLog.js';
import { createValidatorCompiler, errorHandler, HttpError, notFoundHandler } from './errors.js';

// The relative path is the same from src/mock/ and dist/mock/.
const contractFile = fileURLToPath(new URL('../../seeds/openapi.yaml', import.meta.url));

/** Longer than client pools keep idle connections: the client closes first, so no request hits a closing connection. */
const KEEP_ALIVE_MS = 72_000;

/** A request body as the plugin describes it; the contract has JSON bodies only. */
interface JsonBody {
  content: { 'application/json': { schema: object } };
}

export async function createMockServer(options: {
  /** One handler per operationId of the contract. */
  handlers: object;
  recorder: CallRecorder;
  /** Restores the sample data. */
  reset: () => void;
  /** Writes a line per request. */
  log: ((line: string) => void) | undefined;
}): Promise<FastifyInstance> {
  const { handlers, recorder, reset, log } = options;
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: errorHandler,
    serverFactory: (handle) =>
      createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
        if (log) logCall(request, response, log);
        if (respondBesidesContract(request, response, reset)) return;
        void recorder.receive(request, response, () => {
          handle(request, response);
        });
      }),
  });

  app.addHook('preParsing', (request, _reply, _payload, done) => {
    done(null, Readable.from([recorder.bodyOf(request.raw)], { objectMode: false }));
  });
  app.addHook('onRoute', (route) => {
    // The plugin authenticates after validation; a missing token must be reported first.
    const authenticate = route.preHandler as typeof route.onRequest;
    if (authenticate) Object.assign(route, { onRequest: authenticate, preHandler: undefined });
    // With a schema per media type, Fastify skips validation for requests without a content-type.
    const body = route.schema?.body as JsonBody | undefined;
    if (body)
      Object.assign(route, { schema: { ...route.schema, body: body.content['application/json'].schema } });
  });
  app.removeContentTypeParser('text/plain');
  app.setValidatorCompiler(createValidatorCompiler());
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler(errorHandler);
  app.setNotFoundHandler(notFoundHandler);

  await app.register(openapiGlue, {
    specification: contractFile,
    serviceHandlers: handlers,
    securityHandlers: { bearerToken: requireBearerToken },
  });
  return app;
}

/** Keyed by the contract's security scheme. Any token is accepted. */
function requireBearerToken(request: FastifyRequest, reply: FastifyReply): void {
  if (/^Bearer +\S+$/i.test(request.headers.authorization ?? '')) return;
  // A 401 response must name the expected scheme (RFC 9110 §11.6.1).
  void reply.header('www-authenticate', 'Bearer');
  throw new HttpError(401, [{ message: 'A bearer token is required.' }]);
}

/**
 * Responds to requests that the contract does not have, and returns false for all others. They are not recorded, never delayed,
 * and get no faults.
 */
function respondBesidesContract(
  request: IncomingMessage,
  response: ServerResponse,
  reset: () => void,
): boolean {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'retry-after, www-authenticate');
  switch (`${request.method ?? ''} ${request.url ?? ''}`) {
    case 'GET /openapi.yaml':
      response.writeHead(200, { 'content-type': 'application/yaml' }).end(readFileSync(contractFile));
      return true;
    case 'POST /reset':
      request.resume();
      reset();
      response.writeHead(204).end();
      return true;
    default:
      return respondToPreflight(request, response);
  }
}

/** Allows the headers by name: the wildcard does not cover Authorization (Fetch standard, CORS protocol). */
function respondToPreflight(request: IncomingMessage, response: ServerResponse): boolean {
  const { origin, 'access-control-request-method': method } = request.headers;
  if (request.method !== 'OPTIONS' || origin === undefined || method === undefined) return false;
  response.setHeader('access-control-allow-methods', 'GET, POST, PUT, DELETE');
  response.setHeader(
    'access-control-allow-headers',
    request.headers['access-control-request-headers'] ?? 'authorization, content-type',
  );
  response.writeHead(204).end();
  return true;
}
