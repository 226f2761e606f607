import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import fastify, { type FastifyInstance } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { errorHandler, notFoundHandler } from './errorHandlers.js';
import { securityHandlers } from './security.js';
import { contractFile } from './seeds.js';
import type { CallRecorder } from './callRecorder.js';
import { createValidatorCompiler } from './validation.js';

// Longer than a client's pool keeps an idle connection, so that the client is the one who closes it.
const KEEP_ALIVE_MS = 72_000;

/** How the plugin describes a body: the contract has JSON bodies alone. */
interface JsonBody {
  content: { 'application/json': { schema: object } };
}

/** An HTTP server whose routes, validation and authentication come from the contract. */
export async function createReferenceServer(options: {
  /** One handler for each operationId of the contract. */
  handlers: object;
  recorder: CallRecorder;
}): Promise<FastifyInstance> {
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: errorHandler,
    serverFactory: (answer) =>
      createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
        void options.recorder.receive(request, response, () => {
          answer(request, response);
        });
      }),
  });

  app.addHook('preParsing', (request, _reply, _payload, done) => {
    done(null, Readable.from([options.recorder.bodyOf(request.raw)], { objectMode: false }));
  });
  app.addHook('onRoute', (route) => {
    // The plugin authenticates after validation. A caller without a token is told about the token first.
    const authenticate = route.preHandler as typeof route.onRequest;
    if (authenticate) Object.assign(route, { onRequest: authenticate, preHandler: undefined });
    // A schema for each media type would let a request without any media type pass unseen.
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
