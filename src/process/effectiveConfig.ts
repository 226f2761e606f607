/** The configuration as an operator reads it, for `--check-config`. */
import type { Config } from '../config/config.js';
import { createConfigSchema } from '../config/jsonSchema.js';
import { variables } from '../config/variables.js';
import { allowedOrigins } from '../http/browserPolicy.js';
import type { GivenVariables } from './variableFiles.js';

type VariableName = keyof typeof variables;
type Scalar = boolean | number | string;

interface EffectiveVariable {
  /** Null if the variable is unset and has no default. */
  value: Scalar | null;
  source: 'default' | 'environment' | 'file';
  /** Path of the file that has the value. */
  file?: string;
}

const HIDDEN = '[hidden]';

/** Every variable with its value, or its default, as JSON with a line for each. Secrets are hidden. */
export function formatConfig(config: Config, given: GivenVariables): string {
  const { properties } = createConfigSchema();
  const lines = (Object.keys(variables) as VariableName[]).map((name) => {
    const variable = describeVariable(name, config, given, properties[name].writeOnly === true);
    return `  ${JSON.stringify(name)}: ${JSON.stringify(variable)}`;
  });
  return `{\n${lines.join(',\n')}\n}\n`;
}

function describeVariable(
  name: VariableName,
  config: Config,
  { environment, files }: GivenVariables,
  isSecret: boolean,
): EffectiveVariable {
  const text = environment[name] ?? '';
  if (text === '') return { value: defaultOf(name, config), source: 'default' };
  const value = givenValue(config[name], text, isSecret);
  const file = files.get(name);
  return file === undefined ? { value, source: 'environment' } : { value, source: 'file', file };
}

function givenValue(value: Config[VariableName], text: string, isSecret: boolean): Scalar {
  if (value instanceof URL) return redactedUrl(value);
  if (isSecret) return HIDDEN;
  return typeof value === 'boolean' || typeof value === 'number' ? value : text;
}

function defaultOf(name: VariableName, config: Config): Scalar | null {
  const rate = config.RATE_LIMIT_PER_ADDRESS;
  if (name === 'RATE_LIMIT_PER_ADDRESS' && rate) return `${rate.requests}/${rate.windowMs / 1000}s`;
  if (name === 'SHIPMENT_SERVICE_URL') return config.SERVICE_URL?.href ?? null;
  if (name === 'CORS_ORIGINS')
    return allowedOrigins(undefined, config.NODE_ENV === 'production').join(',') || null;
  const value = config[name];
  if (value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : value;
}

/** Credentials may be in front of the host, or in the query. */
function redactedUrl({ protocol, username, password, host, pathname, search, hash }: URL): string {
  const user = username === '' && password === '' ? '' : `${HIDDEN}@`;
  const rest = search === '' && hash === '' ? '' : `?${HIDDEN}`;
  return `${protocol}//${user}${host}${pathname}${rest}`;
}
