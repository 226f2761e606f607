import { describe, expect, test } from 'vitest';
import { executeAndRecord, rejectedField } from '../gateway/executeAndRecord.js';
import type { TestGateway } from '../gateway/gateway.js';
import { withInvalidValue, asVariables, type FieldName } from './rootFields.js';

/** Path in the arguments, invalid value, error message, and the error's input path if it is not the same. */
export type Row = [path: string, value: unknown, message: string, inputPath?: string];

/**
 * Tests for every row, which a rule of the gateway rejects, that the response reports exactly this error and that no REST call is
 * made. Literals pass the same rules (test/input/allInputErrors.test.ts).
 */
export function describeValidation(
  gateway: () => TestGateway,
  field: FieldName,
  rules: readonly Row[],
): void {
  describe(`${field} reports an invalid value without a REST call`, () => {
    test.each(rules)('%s is %j', async (path, value, message, inputPath = path) => {
      const operation = asVariables(field, withInvalidValue(field, path, value));
      expect(await executeAndRecord(gateway(), operation)).toEqual(
        rejectedField(field, [[inputPath, message]]),
      );
    });
  });
}

export function blankMessage(text: string): string {
  return `expected a non-empty string, got ${quoted(text)}`;
}

/** The message for the first character that no text may have, such as `control character U+0000 at position 4`. */
export function characterMessage(character: string, text: string): string {
  return `expected a string without the ${character}, got ${quoted(text)}`;
}

/** As messages quote a text. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u00a0\u2028\u3000\ufeff]/g, (character) => {
    return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

export function blankStrings(path: string): Row[] {
  return ['', ' ', '\t\n \u00a0\u3000'].map((text) => [path, text, blankMessage(text)]);
}

export function nullFor(type: string): string {
  return `Expected non-nullable type "${type}" not to be null.`;
}
