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

/** Field names and values of HTTP (RFC 9110 §5.1, §5.5). The value is not in the message because it may contain a secret. */
export const Headers = z.string().transform((text, context) => {
  const headers = parseHeaders(text);
  if (headers.every(({ name, value }) => FIELD_NAME.test(name) && FIELD_VALUE.test(value)))
    return Object.fromEntries(headers.map(({ name, value }) => [name, value]));
  context.addIssue({
    code: 'custom',
    message: 'expected headers such as api-key=secret, separated by commas, with percent-encoded values',
  });
  return z.NEVER;
});

const FIELD_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const FIELD_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Splits a list in the format of W3C Baggage, without its properties: percent-encoded, and separated by commas. */
function parseHeaders(list: string): { name: string; value: string }[] {
  return list
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      const [, name = '', value = ''] = /^(.*?)=(.*)$/s.exec(pair) ?? [];
      try {
        return { name: decodeURIComponent(name.trim()), value: decodeURIComponent(value.trim()) };
      } catch {
        return { name: '', value: '' }; // no valid header
      }
    });
}
