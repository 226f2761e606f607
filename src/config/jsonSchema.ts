/** A JSON Schema of the environment variables, for tools that validate environments before they are deployed. */
import { z } from 'zod';
import { derivedDefaults, descriptions } from './descriptions.js';
import { fileVariables } from './fileVariables.js';
import { variables } from './variables.js';

type VariableName = keyof typeof variables;

/** What the schema says about a variable. */
export interface VariableSchema {
  description: string;
  type?: string | string[];
  default?: boolean | number | string;
  enum?: (boolean | string)[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
  /** Whether the value is a secret. */
  writeOnly?: boolean;
}

export interface ConfigSchema {
  $schema: string;
  title: string;
  description: string;
  type: 'object';
  properties: Record<string, VariableSchema> & Record<VariableName, VariableSchema>;
  patternProperties: Record<string, VariableSchema>;
  additionalProperties: false;
}

/** Variables of Node.js itself, which the environment of a gateway may have. */
const NODE_VARIABLES =
  '^(?:NODE_(?:COMPILE_CACHE|DEBUG|EXTRA_CA_CERTS|NO_WARNINGS|OPTIONS|USE_SYSTEM_CA)|OPENSSL_CONF|SSL_CERT_(?:DIR|FILE)|TZ|UV_THREADPOOL_SIZE)$';

/** Variables that the OpenTelemetry SDK reads itself. */
const SDK_VARIABLES =
  '^OTEL_(?:(?:ATTRIBUTE|BSP|SPAN)_[A-Z_]+|EXPORTER_OTLP_(?:CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY|COMPRESSION|TIMEOUT)|RESOURCE_ATTRIBUTES|SERVICE_NAME|TRACES_SAMPLER(?:_ARG)?)$';

export function createConfigSchema(): ConfigSchema {
  // Draft 7: later ones are unknown to older versions of Helm.
  const { $schema = '', properties = {} } = z.toJSONSchema(z.object(variables), {
    io: 'input',
    target: 'draft-7',
  });
  const names = Object.keys(variables) as VariableName[];
  const values = names.map((name) => [name, variableSchema(name, properties[name] as Facts)]);
  const files = [...fileVariables].map(([fileVariable, name]) => [
    fileVariable,
    { description: `path of a file with the value of \`${name}\``, type: 'string' },
  ]);
  return {
    $schema,
    title: 'Configuration of shipment-graphql-gateway',
    description:
      'Environment variables. An empty one counts as unset. Numbers and booleans are valid as such and as text. Rules that involve several variables are not in this schema: --check-config verifies them.',
    type: 'object',
    properties: Object.fromEntries([...values, ...files]) as ConfigSchema['properties'],
    patternProperties: {
      [NODE_VARIABLES]: { description: 'variable of Node.js', type: 'string' },
      [SDK_VARIABLES]: { description: 'variable of the OpenTelemetry SDK', type: ['number', 'string'] },
    },
    additionalProperties: false,
  };
}

/** What zod, and the metadata of variableSchemas.ts, say about a value. */
type Facts = Omit<VariableSchema, 'default' | 'description'>;

function variableSchema(name: VariableName, { pattern, enum: values, ...facts }: Facts): VariableSchema {
  const { data: byDefault } = variables[name].safeParse(undefined);
  const derived = derivedDefaults[name];
  return {
    description: derived === undefined ? descriptions[name] : `${descriptions[name]}. Default: ${derived}`,
    ...(byDefault !== undefined && { default: defaultValue(byDefault) }),
    ...facts,
    // Numbers and booleans may be given as such instead of as text.
    ...(/number|boolean/.test(typeof byDefault) &&
      facts.type === 'string' && { type: [typeof byDefault, 'string'] }),
    ...(values && { enum: [...values, ''] }),
    ...(pattern !== undefined && { pattern: orEmpty(pattern) }),
  };
}

function orEmpty(pattern: string): string {
  return `^$|${pattern}`;
}

function defaultValue(value: unknown): boolean | number | string {
  const isScalar = typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
  return isScalar ? value : JSON.stringify(value);
}
