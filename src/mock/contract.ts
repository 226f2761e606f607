/** What the mock reads of its contract: the operations with their schemas, and how to validate them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchema, FastifySchemaCompiler, HTTPMethods } from 'fastify';
import { parse } from 'yaml';

// The relative path is the same from src/mock/ and dist/mock/.
export const contractFile = fileURLToPath(new URL('../../seeds/openapi.yaml', import.meta.url));

export interface MockOperation {
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
export function readContract() {
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
