import addFormats from 'ajv-formats';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import type { Message } from './httpError.js';

/** Schemas of OpenAPI 3.1 are JSON Schema 2020-12, which the framework's own validator does not know. */
export function createValidatorCompiler(): FastifySchemaCompiler<FastifySchema> {
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strictTypes: false });
  addFormats.default(ajv);
  return ({ schema }) => ajv.compile(schema);
}

/** One message for each broken rule. */
export function violations(errors: ErrorObject[]): Message[] {
  return errors.filter(isRule).map((error) => ({ field: fieldOf(error), message: messageOf(error) }));
}

/** False for what only repeats another error: a failed alternative of a choice, and "a then failed". */
function isRule({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && !/\/oneOf\/\d/.test(schemaPath);
}

/** A missing or unexpected property is reported at its own place, not at its parent's. */
function fieldOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  const property = missingProperty ?? unevaluatedProperty;
  if (property === undefined) return instancePath;
  return `${instancePath}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function messageOf({ keyword, message, schema }: ErrorObject): string {
  if (keyword !== 'oneOf') return message ?? `breaks the rule ${keyword}`;
  const alternatives = (schema as { required: string[] }[]).flatMap(({ required }) => required);
  return `must have exactly one of the properties ${alternatives.join(', ')}`;
}
