/** Schemas for the variables of logs and traces. Names and formats of those that begin with OTEL_ are OpenTelemetry's. */
import { z } from 'zod';
import { expected } from './variableSchemas.js';

/** A share such as 0.25. */
export const Share = z
  .string()
  .regex(/^(?:0(?:\.\d{1,15})?|1(?:\.0{1,15})?)$/, { error: expected('a number from 0 to 1') })
  .transform(Number)
  .meta({ type: ['number', 'string'], minimum: 0, maximum: 1 });

/** In any letter case, as OpenTelemetry defines booleans. */
export const AnyCaseBoolean = z
  .string()
  .regex(/^(?:true|false)$/i, { error: expected('true or false') })
  .transform((text) => text.toLowerCase() === 'true')
  .meta({ type: ['boolean', 'string'], pattern: '^(?:[Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee])$' });

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export const TracesSampler = z.enum(samplers, { error: expected(`one of ${samplers.join(', ')}`) });

/** Pairs with commas between them, any of which may be missing. */
const listPattern = (pair: string) => `^(?:\\s*|${pair})(?:,(?:\\s*|${pair}))*$`;
const ATTRIBUTE_CHARACTER = '(?:[^=,%]|%[0-9A-Fa-f]{2})';

export const ResourceAttributes = z
  .string()
  .transform((text, context) => {
    const pairs = parsePairs(text);
    const isValid = pairs.every(({ key, value, text }) => key && value !== undefined && !/=.*=/s.test(text));
    if (isValid) return recordOf(pairs);
    context.addIssue({
      code: 'custom',
      message: `expected pairs such as deployment.environment.name=production, separated by commas, with other commas, equals signs and percent signs percent-encoded, got ${JSON.stringify(text)}`,
    });
    return z.NEVER;
  })
  .meta({
    pattern: listPattern(`\\s*(?:[^=,%\\s]|%[0-9A-Fa-f]{2})${ATTRIBUTE_CHARACTER}*=${ATTRIBUTE_CHARACTER}*`),
  });

const VISIBLE_CHARACTER = '(?:[!-$&-+\\--~]|%(?:2[1-9A-Fa-f]|[3-6][0-9A-Fa-f]|7[0-9A-Ea-e]))';

/** Field names and values of HTTP (RFC 9110 §5.1, §5.5). The value is not in the message because it may contain a secret. */
export const Headers = z
  .string()
  .transform((text, context) => {
    const pairs = parsePairs(text);
    const isValid = pairs.every(
      ({ key = '', value = '' }) =>
        /^[!#$%&'*+.^_`|~\w-]+$/.test(key) && /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value),
    );
    if (isValid) return recordOf(pairs);
    context.addIssue({
      code: 'custom',
      message: 'expected headers such as api-key=secret, separated by commas, with percent-encoded values',
    });
    return z.NEVER;
  })
  .meta({
    pattern: listPattern(
      `\\s*[!#$%&'*+.^_\`|~\\w-]+\\s*=\\s*${VISIBLE_CHARACTER}(?:${VISIBLE_CHARACTER}|[\\t ]|%09|%20)*`,
    ),
  });

interface Pair {
  text: string;
  /** Undefined if they cannot be decoded. */
  key?: string;
  value?: string;
}

/** Splits a list in the format of W3C Baggage, without its properties: percent-encoded, and separated by commas. */
function parsePairs(list: string): Pair[] {
  return list
    .split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const [, key = '', value = ''] = /^(.*?)=(.*)$/s.exec(text) ?? [];
      try {
        return { text, key: decodeURIComponent(key.trim()), value: decodeURIComponent(value.trim()) };
      } catch {
        return { text };
      }
    });
}

function recordOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ key = '', value = '' }) => [key, value]));
}
