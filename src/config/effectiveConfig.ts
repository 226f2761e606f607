/** The values that are in effect, for `--check-config`. */
import type { Values } from './config.js';
import type { GivenVariables } from './variableFiles.js';
import { rawValueOf, variableNames, variableOf, type VariableName } from './variables.js';

type Scalar = boolean | number | string;

const HIDDEN = '[hidden]';

/** Every variable with its value, or its default, as JSON with a line for each. Secrets are hidden. */
export function formatConfig(values: Values, given: GivenVariables): string {
  const lines = variableNames.map(
    (name) => `  ${JSON.stringify(name)}: ${JSON.stringify(describeVariable(name, values, given))}`,
  );
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** Its value, null if it is unset and has no default, and where that is from. */
function describeVariable(name: VariableName, values: Values, { environment, files }: GivenVariables) {
  const text = rawValueOf(name, environment);
  if (text === undefined) return { value: defaultOf(name, values), source: 'default' };
  const value = givenValue(name, values, text);
  const file = files.get(name);
  return file === undefined ? { value, source: 'environment' } : { value, source: 'file', file };
}

function givenValue(name: VariableName, values: Values, text: string): Scalar {
  const value = values[name];
  // May name several Sentinels. A password may have an @, too.
  if (name === 'REDIS_URL') return text.replace(/:\/\/.*@/, `://${HIDDEN}@`).replace(/[?#].*/, `?${HIDDEN}`);
  if (value instanceof URL) return redactedUrl(value);
  if (variableOf(name).secret) return HIDDEN;
  return typeof value === 'boolean' || typeof value === 'number' ? value : text;
}

function defaultOf(name: VariableName, values: Values): Scalar | null {
  if (name === 'SHIPMENT_SERVICE_URL') return values.SERVICE_URL?.href ?? null;
  if (name === 'CORS_ORIGINS') return values.CORS_ORIGINS.join(',') || null;
  const value: unknown = values[name];
  if (typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'object') return JSON.stringify(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Credentials may be in front of the host, or in the query. */
function redactedUrl({ protocol, username, password, host, pathname, search, hash }: URL): string {
  const user = username === '' && password === '' ? '' : `${HIDDEN}@`;
  const rest = search === '' && hash === '' ? '' : `?${HIDDEN}`;
  return `${protocol}//${user}${host}${pathname}${rest}`;
}
