/**
 * The configuration for people and tools: a JSON Schema of the environment variables, which validates an environment before it is
 * deployed, and the values that are in effect, for `--check-config`.
 */
import { z } from 'zod';
import { environmentSchema, type Config } from './config.js';
import type { RedisAddress } from '../redis/address.js';
import { SDK_VARIABLES } from './unknownVariables.js';
import { fileVariables, type GivenVariables } from './variableFiles.js';
import { lowerCaseNames, textOf, variableNames, variableOf, type VariableName } from './variables.js';

type Scalar = boolean | number | string;

/** What the schema says about a variable. */
export interface VariableSchema {
  description: string;
  type?: string | string[];
  default?: Scalar;
  examples?: string[];
  enum?: (boolean | string)[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
  /** Whether the value is a secret: a keyword of our own would fail in strict validators. */
  writeOnly?: boolean;
}

/** Variables of Node.js itself, which the environment of a gateway may have. */
const NODE_VARIABLES =
  '^(?:NODE_(?:COMPILE_CACHE|DEBUG|EXTRA_CA_CERTS|NO_WARNINGS|OPTIONS|USE_ENV_PROXY|USE_SYSTEM_CA)|OPENSSL_CONF|SSL_CERT_(?:DIR|FILE)|TZ|UV_THREADPOOL_SIZE)$';

export function createConfigSchema() {
  // Draft 7: later ones are unknown to older versions of Helm.
  const { $schema = '', properties = {} } = z.toJSONSchema(environmentSchema, {
    io: 'input',
    target: 'draft-7',
  });
  const values = variableNames.map((name) => [name, variableSchema(name, properties[name] as Facts)]);
  const files = [...fileVariables].map(([fileVariable, name]) => [
    fileVariable,
    { description: `path of a file with the value of \`${name}\``, type: 'string' },
  ]);
  return {
    $schema,
    title: 'Configuration of shipment-graphql-gateway',
    description:
      'Environment variables. An empty one counts as unset. Numbers and booleans are valid as such and as text. Rules that involve several variables, and ranges of numbers in text, are not in this schema: --check-config verifies them.',
    type: 'object',
    properties: Object.fromEntries([...values, ...files]) as Record<string, VariableSchema> &
      Record<VariableName, VariableSchema>,
    patternProperties: {
      [`^(?:${lowerCaseNames.join('|')})$`]: {
        description: 'as the variable in upper case, and before it',
        type: 'string',
      },
      [NODE_VARIABLES]: { description: 'variable of Node.js', type: 'string' },
      [SDK_VARIABLES]: { description: 'variable of the OpenTelemetry SDK', type: ['number', 'string'] },
    },
    additionalProperties: false,
  };
}

/** What zod, and the metadata of valueSchemas.ts, say about a value. */
type Facts = Omit<VariableSchema, 'default' | 'description'>;

function variableSchema(name: VariableName, { pattern, enum: values, ...facts }: Facts): VariableSchema {
  const { text, derivedDefault, example, schema, secret = false } = variableOf(name);
  const { data: byDefault } = schema.safeParse(undefined);
  return {
    description: derivedDefault === undefined ? text : `${text}. Default: ${derivedDefault}`,
    ...(byDefault !== undefined && { default: asScalar(byDefault) }),
    ...(example !== undefined && { examples: [example] }),
    ...facts,
    // Numbers and booleans may be given as such instead of as text.
    ...(/number|boolean/.test(typeof byDefault) &&
      facts.type === 'string' && { type: [typeof byDefault, 'string'] }),
    ...(values && { enum: [...values, ''] }),
    ...(pattern !== undefined && { pattern: `^$|${pattern}` }),
    ...(secret && { writeOnly: true }),
  };
}

function asScalar(value: unknown): Scalar {
  const isScalar = typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string';
  return isScalar ? value : JSON.stringify(value);
}

const HIDDEN = '[hidden]';

/** Every variable with its value, or its default, as JSON with a line for each. Secrets are hidden. */
export function formatConfig(config: Config, given: GivenVariables): string {
  const lines = variableNames.map(
    (name) => `  ${JSON.stringify(name)}: ${JSON.stringify(describeVariable(name, config, given))}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Its value, null if it is unset and has no default, and where that is from. */
function describeVariable(name: VariableName, config: Config, { environment, files }: GivenVariables) {
  const text = textOf(name, environment);
  if (text === undefined) return { value: defaultOf(name, config), source: 'default' };
  const value = givenValue(name, config, text);
  const file = files.get(name);
  return file === undefined ? { value, source: 'environment' } : { value, source: 'file', file };
}

function givenValue(name: VariableName, config: Config, text: string): Scalar {
  const value = valueOf(name, config);
  const { redisUrl } = config.http;
  if (name === 'REDIS_URL' && redisUrl) return redactedRedisUrl(redisUrl, text);
  if (value instanceof URL) return redactedUrl(value);
  if (variableOf(name).secret) return HIDDEN;
  return typeof value === 'boolean' || typeof value === 'number' ? value : text;
}

function defaultOf(name: VariableName, config: Config): Scalar | null {
  const { corsOrigins } = config.http;
  if (name === 'SHIPMENT_SERVICE_URL') return config.SERVICE_URL?.href ?? null;
  if (name === 'CORS_ORIGINS') return corsOrigins.join(',') || null;
  const value = valueOf(name, config);
  return value === undefined || value === '' ? null : asScalar(value);
}

function valueOf(name: VariableName, config: Config): unknown {
  const [path = ''] = variableOf(name).to;
  const keys = path.split('.');
  return keys.reduce((value: unknown, key) => (value as Record<string, unknown>)[key], config);
}

/** Credentials may be in front of the host, or in the query. */
function redactedUrl({ protocol, username, password, host, pathname, search, hash }: URL): string {
  const user = username === '' && password === '' ? '' : `${HIDDEN}@`;
  const rest = search === '' && hash === '' ? '' : `?${HIDDEN}`;
  return `${protocol}//${user}${host}${pathname}${rest}`;
}

/** The hosts of several are in the text alone. */
function redactedRedisUrl({ primaryName, hosts: [first] }: RedisAddress, text: string): string {
  if (primaryName === undefined) return redactedUrl(first);
  return text.replace(/:\/\/[^@]*@/, `://${HIDDEN}@`).replace(/\?.*/, `?${HIDDEN}`);
}
