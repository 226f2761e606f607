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

/** The contract, read for tests alone: nothing here is shared with the service that implements it. */
export const contract = parse(
  readFileSync(new URL('../../../seeds/openapi.yaml', import.meta.url), 'utf8'),
) as Contract;

const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
addFormats.default(ajv);
// Schemas are judged where they stand, so the words around them have to be known to the strict validator.
ajv.addVocabulary(Object.keys(contract));
ajv.addSchema(contract, 'contract');
const validators = new Map<string, ValidateFunction>();

/** What is wrong with a value; the schema is named by its JSON pointer inside the contract. */
export function schemaViolations(value: unknown, ...pointer: string[]): string[] {
  const validate = validatorFor(`contract#${pointer.map((each) => `/${escapeSegment(each)}`).join('')}`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message = '', params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trimStart(),
  );
}

/** The object itself, or the one that it refers to. */
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
