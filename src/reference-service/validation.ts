import addFormats from 'ajv-formats';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import type { Message } from './httpError.js';

/** OpenAPI 3.1 uses JSON Schema 2020-12, which Fastify's default validator does not support. */
export function createValidatorCompiler(): FastifySchemaCompiler<FastifySchema> {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strictTypes: false });
  addFormats.default(ajv);
  return ({ schema }) => ajv.compile(schema);
}

/** One message per violated rule. */
export function violations(errors: ErrorObject[]): Message[] {
  return errors.filter(isRootCause).map((error) => ({ field: fieldOf(error), message: messageOf(error) }));
}

/** Drops errors that only repeat another one: those of single `oneOf` alternatives, and the summary of an `if`. */
function isRootCause({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && !/\/oneOf\/\d/.test(schemaPath);
}

/** Reports a missing or unexpected property at its own path rather than its parent's. */
function fieldOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const property = missingProperty ?? unevaluatedProperty;
  if (property === undefined) return instancePath;
  return `${instancePath}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function messageOf({ keyword, message, schema }: ErrorObject): string {
  if (keyword !== 'oneOf') return message ?? `violates the rule ${keyword}`;
  const alternatives = (schema as { required: string[] }[]).flatMap(({ required }) => required);
  return `must have exactly one of the properties ${alternatives.join(', ')}`;
}
