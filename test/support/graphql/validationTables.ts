import { describe, expect, test } from 'vitest';
import { executeAndRecord, rejectedField, rejectedRequest } from '../gateway/executeAndRecord.js';
import type { TestGateway } from '../gateway/gateway.js';
import { withInvalidValue, asVariables, type FieldName } from './rootFields.js';

/** Path in the arguments, invalid value, error message, and the error's input path if it is not the same. */
export type Row = [path: string, value: unknown, message: string, inputPath?: string];

export interface ValidationTable {
  /** Values that the gateway's own rules reject. Literals pass the same rules (test/input/allInputErrors.test.ts). */
  rules: readonly Row[];
  /** Variables that cannot be coerced to their types. */
  coercionErrors?: readonly Row[];
}

/** Tests for every row that the response reports exactly this error and that no REST call is made. */
export function describeValidation(
  gateway: () => TestGateway,
  field: FieldName,
  { rules, coercionErrors = [] }: ValidationTable,
): void {
  describe(`${field} reports an invalid value without a REST call`, () => {
    test.each(rules)('%s is %j', async (path, value, message, inputPath = path) => {
      const operation = asVariables(field, withInvalidValue(field, path, value));
      expect(await executeAndRecord(gateway(), operation)).toEqual(
        rejectedField(field, [[inputPath, message]]),
      );
    });

    test.each(coercionErrors)(
      '%s is %j, which has the wrong type',
      async (path, value, message, inputPath = path) => {
        const operation = asVariables(field, withInvalidValue(field, path, value));
        expect(await executeAndRecord(gateway(), operation)).toEqual(
          rejectedRequest(field, [[inputPath, message]]),
        );
      },
    );
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

/** Rows for a required member that is missing or null. */
export function missing(path: string, type: string): Row[] {
  const [name = ''] = /\w+$/.exec(path) ?? [];
  return [
    [path, undefined, `Field "${name}" of required type "${type}" was not provided.`],
    [path, null, nullFor(type)],
  ];
}

export function nullFor(type: string): string {
  return `Expected non-nullable type "${type}" not to be null.`;
}

export function notAnObject(path: string, type: string): Row[] {
  return ['text', 5, true, []].map((value) => [path, value, `Expected type "${type}" to be an object.`]);
}

export function unknownMember(parent: string, type: string): Row {
  return [`${parent}.color`, 'red', `Field "color" is not defined by type "${type}".`];
}

/** Rows for a @oneOf input. */
export function notExactlyOne(path: string, type: string, values: readonly object[]): Row[] {
  return values.map((value) => [path, value, `Exactly one key must be specified for OneOf type "${type}".`]);
}

export function notAString(path: string): Row[] {
  return [5, true, {}, ['text']].map((value) => [
    path,
    value,
    `String cannot represent a non string value: ${JSON.stringify(value)}`,
  ]);
}

export function notABoolean(path: string): Row[] {
  return ['true', 1, 0, {}].map((value) => [
    path,
    value,
    `Boolean cannot represent a non boolean value: ${JSON.stringify(value)}`,
  ]);
}

/** Rows for the gateway's own scalars. */
export function notATextScalar(path: string, type: string): Row[] {
  return [3035550100, {}, ['text']].map((value) => [
    path,
    value,
    `${type} expected a string, got ${JSON.stringify(value)}`,
  ]);
}

/** The same rows for the only element of a list. */
export function inList(rows: readonly Row[]): Row[] {
  return rows.map(([path, value, message]) => [path, [value], message, `${path}[0]`]);
}
