import { describe, expect, test } from 'vitest';
import { executeAndRecord, refusedField, refusedRequest } from '../gateway/executeAndRecord.js';
import type { TestGateway } from '../gateway/gateway.js';
import { withInvalidValue, asLiterals, asVariables, type FieldName } from './rootFields.js';

/** Where in a field's arguments, what stands there, what is said of it, and the input path when it is another. */
export type Row = [place: string, value: unknown, message: string, inputPath?: string];

export interface ValidationTable {
  /** Rules for values; broken by variables and by literals. */
  rules: readonly Row[];
  /** The same for what no literal can hold. */
  rulesOfVariables: readonly Row[];
  /** Variables that do not fit their types. */
  coercionErrors: readonly Row[];
}

/** Tests that the field's whole answer names the broken rule, and that no REST call is made, for every row. */
export function describeValidation(
  gateway: () => TestGateway,
  field: FieldName,
  rows: ValidationTable,
): void {
  describe(`${field} calls no service`, () => {
    test.each([...rows.rules, ...rows.rulesOfVariables])(
      'for a variable with %s as %j',
      async (place, value, message, inputPath = place) => {
        const operation = asVariables(field, withInvalidValue(field, place, value));
        expect(await executeAndRecord(gateway(), operation)).toEqual(
          refusedField(field, [[inputPath, message]]),
        );
      },
    );

    test.each([...rows.rules])(
      'for a literal with %s as %j',
      async (place, value, message, inputPath = place) => {
        const operation = asLiterals(field, withInvalidValue(field, place, value));
        expect(await executeAndRecord(gateway(), operation)).toEqual(
          refusedField(field, [[inputPath, message]]),
        );
      },
    );

    test.each([...rows.coercionErrors])(
      'for a variable of another type, with %s as %j',
      async (place, value, message, inputPath = place) => {
        const operation = asVariables(field, withInvalidValue(field, place, value));
        expect(await executeAndRecord(gateway(), operation)).toEqual(
          refusedRequest(field, [[inputPath, message]]),
        );
      },
    );
  });
}

export function blankMessage(text: string): string {
  return `expected a non-empty string, got ${JSON.stringify(text)}`;
}

export function blankStrings(place: string): Row[] {
  return ['', ' ', '\t\n \u00a0\u3000'].map((text) => [place, text, blankMessage(text)]);
}

/** A required member that is not there, or null. */
export function missing(place: string, type: string): Row[] {
  const [, parent = '', name = ''] = /^(.+)\.(\w+)$/.exec(place) ?? [];
  return [
    [place, undefined, `Field "${name}" of required type "${type}" was not provided.`, parent],
    [place, null, nullFor(type)],
  ];
}

export function nullFor(type: string): string {
  return `Expected non-nullable type "${type}" not to be null.`;
}

export function notAnObject(place: string, type: string): Row[] {
  return ['text', 5, true, []].map((value) => [place, value, `Expected type "${type}" to be an object.`]);
}

export function unknownMember(parent: string, type: string): Row {
  return [`${parent}.colour`, 'red', `Field "colour" is not defined by type "${type}".`, parent];
}

/** Values for an input of which exactly one member has to be given. */
export function notExactlyOne(place: string, type: string, values: readonly object[]): Row[] {
  return values.map((value) => [place, value, `Exactly one key must be specified for OneOf type "${type}".`]);
}

export function notAString(place: string): Row[] {
  return [5, true, {}, ['text']].map((value) => [
    place,
    value,
    `String cannot represent a non string value: ${JSON.stringify(value)}`,
  ]);
}

export function notABoolean(place: string): Row[] {
  return ['true', 1, 0, {}].map((value) => [
    place,
    value,
    `Boolean cannot represent a non boolean value: ${JSON.stringify(value)}`,
  ]);
}

/** For the scalars that the gateway itself defines. */
export function notATextScalar(place: string, type: string): Row[] {
  return [3035550100, {}, ['text']].map((value) => [
    place,
    value,
    `${type} expected a string, got ${JSON.stringify(value)}`,
  ]);
}

/** The rows for the only element of a list. */
export function inList(rows: readonly Row[]): Row[] {
  return rows.map(([place, value, message]) => [place, [value], message, `${place}[0]`]);
}
