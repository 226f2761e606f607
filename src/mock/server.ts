/** The mock's HTTP server: routes, validation and authentication are derived from the contract. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fastify, {
  type FastifyInstance,
  type FastifySchema,
  type FastifySchemaCompiler,
  type HTTPMethods,
  type onRequestHookHandler,
  type RouteHandlerMethod,
} from 'fastify';
import { parse } from 'yaml';
import { logCall, type CallRecorder } from './callLog.js';
import { errorHandler, HttpError, notFoundHandler } from './errors.js';
import { translateResponse } from './habits.js';

/** Longer than client pools keep idle connections: the client closes first, so no request hits a closing connection. */
const KEEP_ALIVE_MS = 72_000;

export function createMockServer(options: {
  /** One handler per operationId of the contract, whose schemas make sure of the types that it expects. */
  handlers: object;
  recorder: CallRecorder;
  reset: () => void;
  /** The response to `GET /writes`. */
  writes: () => object;
  /** Writes a line per request. */
  log: ((line: string) => void) | undefined;
}): FastifyInstance {
  const { recorder, log } = options;
  const handlers = options.handlers as Readonly<Record<string, RouteHandlerMethod>>;
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 1000 },
    frameworkErrors: errorHandler,
    serverFactory: (handle) =>
      createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
        if (log) logCall(request, response, log);
        if (respondOutsideContract(request, response, options)) return;
        void recorder.receive(request, response, () => handle(request, response));
      }),
  });

  app.addHook('preParsing', (request, _reply, _payload, done) => {
    done(null, Readable.from([recorder.bodyOf(request.raw)], { objectMode: false }));
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    const habits = recorder.habitsOf(request.raw);
    done(
      null,
      habits && typeof payload === 'string' ? translateResponse(payload, reply.statusCode, habits) : payload,
    );
  });
  app.removeContentTypeParser('text/plain');
  const { operations, validatorCompiler } = readContract();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler(errorHandler);
  app.setNotFoundHandler(notFoundHandler);

  for (const { id, method, url, needsToken, schema } of operations) {
    const handler = handlers[id];
    if (!handler) throw new Error(`Expected a handler of ${id}`);
    // Before the validation: a missing token must be reported first.
    app.route({ method, url, schema, handler, ...(needsToken && { onRequest: requireBearerToken }) });
  }
  return app;
}

/** Any token is accepted. */
const requireBearerToken: onRequestHookHandler = (request, reply, done) => {
  if (/^Bearer +\S+$/i.test(request.headers.authorization ?? '')) {
    done();
    return;
  }
  // A 401 response must name the expected scheme (RFC 9110 §11.6.1).
  void reply.header('www-authenticate', 'Bearer');
  done(new HttpError(401, [{ message: 'A bearer token is required.' }]));
};

/**
 * Responds to requests that the contract does not have, and returns false for all others. They are not recorded, never delayed,
 * and get no faults.
 */
function respondOutsideContract(
  request: IncomingMessage,
  response: ServerResponse,
  { reset, writes }: { reset: () => void; writes: () => object },
) {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'retry-after, www-authenticate');
  switch (`${request.method ?? ''} ${request.url ?? ''}`) {
    case 'GET /openapi.yaml':
      response.writeHead(200, { 'content-type': 'application/yaml' }).end(readFileSync(contractFile));
      return true;
    case 'GET /writes':
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(writes()));
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

// The relative path is the same from src/mock/ and dist/mock/.
const contractFile = fileURLToPath(new URL('../../seeds/openapi.yaml', import.meta.url));

interface MockOperation {
  id: string;
  method: HTTPMethods;
  /** As Fastify writes it: `/items/:id`. */
  url: string;
  needsToken: boolean;
  schema: FastifySchema;
}

interface Parameter {
  name: string;
  in: string;
  schema: object;
}

interface Operation {
  operationId: string;
  security?: object[];
  requestBody?: { content: { 'application/json': { schema: object } } };
}

interface Path extends Partial<Record<(typeof methods)[number], Operation>> {
  parameters?: Parameter[];
}

const methods = ['get', 'post', 'put', 'delete'] as const;

let contract: ReturnType<typeof parseContract> | undefined;

/** Reads it once per process, and compiles each schema once: tests start hundreds of mocks. */
function readContract() {
  return (contract ??= parseContract());
}

function parseContract() {
  return { operations: readOperations(), validatorCompiler: createValidatorCompiler() };
}

function readOperations(): MockOperation[] {
  const document: unknown = parse(readFileSync(contractFile, 'utf8'));
  const { paths } = withoutReferences(document, document) as { paths: Record<string, Path> };
  return Object.entries(paths).flatMap(([path, { parameters = [], ...operations }]) =>
    methods.flatMap((method) => {
      const operation = operations[method];
      if (!operation) return [];
      const { operationId: id, security = [], requestBody } = operation;
      return {
        id,
        method: method.toUpperCase(),
        url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
        needsToken: security.length > 0,
        schema: {
          params: schemaOf(parameters.filter((parameter) => parameter.in === 'path')),
          ...(requestBody && { body: requestBody.content['application/json'].schema }),
        },
      };
    }),
  );
}

function schemaOf(parameters: readonly Parameter[]): object {
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  };
}

/** Replaces each `$ref` by what it refers to, so that errors tell which alternative of a schema they are about. */
function withoutReferences(node: unknown, document: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((each) => withoutReferences(each, document));
  if ('$ref' in node) {
    const [, ...names] = String(node.$ref).split('/');
    const target = names.reduce<unknown>(
      (parent, name) => (parent as Record<string, unknown>)[name],
      document,
    );
    return withoutReferences(target, document);
  }
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, withoutReferences(value, document)]),
  );
}

/** OpenAPI 3.1 uses JSON Schema 2020-12, which Fastify's default validator does not support. */
function createValidatorCompiler(): FastifySchemaCompiler<FastifySchema> {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strictTypes: false });
  addFormats.default(ajv);
  return ({ schema }) => ajv.compile(schema); // it keeps what it compiled
}
