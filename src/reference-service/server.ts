import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { errorHandler, notFoundHandler } from './errorHandlers.js';
import { securityHandlers } from './security.js';
import { contractFile } from './seeds.js';
import { logCall } from './callLog.js';
import type { CallRecorder } from './callRecorder.js';
import type { MockRoutes } from './mockRoutes.js';
import { createValidatorCompiler } from './validation.js';

/** Longer than client pools keep idle connections: the client closes first, so no request hits a closing connection. */
const KEEP_ALIVE_MS = 72_000;

/** A request body as the plugin describes it; the contract has JSON bodies only. */
interface JsonBody {
  content: { 'application/json': { schema: object } };
}

/** HTTP server with routes, validation and authentication derived from the contract. */
export async function createReferenceServer(options: {
  /** One handler per operationId of the contract. */
  handlers: object;
  recorder: CallRecorder;
  mockRoutes: MockRoutes;
  /** Writes a line per request. */
  log: ((line: string) => void) | undefined;
}): Promise<FastifyInstance> {
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: errorHandler,
    serverFactory: (handle) =>
      createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
        if (options.log) logCall(request, response, options.log);
        if (options.mockRoutes(request, response)) return;
        void options.recorder.receive(request, response, () => {
          handle(request, response);
        });
      }),
  });

  app.addHook('preParsing', (request, _reply, _payload, done) => {
    done(null, Readable.from([options.recorder.bodyOf(request.raw)], { objectMode: false }));
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
    serviceHandlers: options.handlers,
    securityHandlers: { ...securityHandlers },
  });
  return app;
}
