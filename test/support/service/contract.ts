import { readFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

export interface Parameter {
  name: string;
  in: string;
  schema: object;
}

export interface Operation {
  operationId: string;
  security?: object[];
  parameters?: (Parameter | Reference)[];
  requestBody?: object;
  responses: Record<string, object>;
}

export type PathItem = Partial<Record<'get' | 'post' | 'put' | 'delete', Operation>> & {
  parameters?: (Parameter | Reference)[];
};

export interface Contract {
  paths: Record<string, PathItem>;
}

interface Reference {
  $ref: string;
}

/** The contract, read independently of the mock, which implements it. */
export const contract = parse(
  readFileSync(new URL('../../../seeds/openapi.yaml', import.meta.url), 'utf8'),
) as Contract;

const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
addFormats.default(ajv);
// Schemas are validated in place, so the strict validator must know the OpenAPI keywords around them.
ajv.addVocabulary(Object.keys(contract));
ajv.addSchema(contract, 'contract');
const validators = new Map<string, ValidateFunction>();

/** Violations of the contract's schema at a JSON pointer. */
export function schemaViolations(value: unknown, ...pointer: string[]): string[] {
  const validate = validatorFor(`contract#${pointer.map((each) => `/${escapeSegment(each)}`).join('')}`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '', params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trimStart(),
  );
}

/** Resolves a `$ref`. */
export function dereferenced(value: object): object {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value;
  const target = value.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, each) => (at as Record<string, unknown>)[each.replaceAll('~1', '/')], contract);
  return target as object;
}

function validatorFor($ref: string): ValidateFunction {
  const validate = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validate);
  return validate;
}

function escapeSegment(text: string): string {
  return encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
}
