/** Validates environments against the JSON Schema of the configuration, as a platform team does before it deploys. */
import { Ajv } from 'ajv';
import { createConfigSchema } from '../../../src/config/jsonSchema.js';

// Strict mode rejects keywords that other validators could ignore; ours may be numbers as well as text.
const validate = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true }).compile(
  createConfigSchema(),
);

export function schemaProblems(environment: Readonly<Record<string, unknown>>): string[] {
  validate(environment);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(' '),
  );
}
