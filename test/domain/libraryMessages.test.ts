/** What the gateway reads in the messages of libraries: an upgrade that words one differently fails here, or in graphql/fromApollo.test.ts. */
import { buildSchema, coerceInputValue, parse, validate, type GraphQLInputType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  coercionRuleOf,
  maxTokensIn,
  rewordTypeError,
  shortenMessage,
} from '../../src/domain/libraryMessages.js';

const schema = buildSchema(`
  enum Kind { RED GREEN }
  input Item { name: String!, count: Int, kind: Kind }
  input Choice @oneOf { one: String, other: String }
  type Query { read(item: Item!, choice: Choice): String }
`);

/** The messages of graphql-js for a value of an input type. */
function coercionErrors(typeName: string, value: unknown): string[] {
  const messages: string[] = [];
  const type = schema.getType(typeName) as GraphQLInputType;
  coerceInputValue(value, type, (_path, _value, { message }) => messages.push(message));
  return messages;
}

describe('Coercion errors of graphql-js', () => {
  test.each([
    ['Item', {}, { rule: 'REQUIRED', member: 'name' }],
    ['Item', { name: null }, { rule: 'REQUIRED' }],
    ['Item', { name: 'a', color: 'red' }, { rule: 'UNKNOWN_FIELD', member: 'color' }],
    ['Item', { name: 'a', kind: 'BLUE' }, { rule: 'ENUM' }],
    ['Item', { name: 'a', kind: 1 }, { rule: 'ENUM' }],
    ['Item', { name: 'a', count: 'one' }, { rule: 'TYPE' }],
    ['Item', 'a', { rule: 'TYPE' }],
    ['Choice', {}, { rule: 'ONE_OF' }],
    ['Choice', { one: null }, { rule: 'ONE_OF' }],
  ])('%s %j', (typeName, value, expected) => {
    const rules = coercionErrors(typeName, value).map(coercionRuleOf);
    expect(rules).toEqual(expect.arrayContaining([expect.objectContaining(expected)]));
    expect(new Set(rules.map(({ rule }) => rule)).size).toBe(1);
  });
});

test('the parser of graphql-js names the limit on tokens', () => {
  const overflow = () => parse('{ a b c d e }', { maxTokens: 5 });
  expect(overflow).toThrow();
  expect(maxTokensIn(messageOf(overflow))).toBe('5');
});

test('graphql-js prints values where shortenMessage finds them', () => {
  const long = 'x'.repeat(500);
  const [message = ''] = coercionErrors('Item', { name: 'a', kind: long });
  expect(message).toContain(long);
  expect(shortenMessage(message)).not.toContain(long);
  const invalid = messageOf(() => {
    throw validate(schema, parse(`{ read(item: { name: "a", count: "${long}" }) }`))[0] as Error;
  });
  expect(invalid).toContain(long);
  expect(shortenMessage(invalid).length).toBeLessThan(300);
});

test.each([
  [z.string(), 5, 'expected a string, got a number'],
  [z.int(), 1.5, 'expected an integer, got a number'],
  [z.object({}), undefined, 'expected an object, got nothing'],
  [z.array(z.string()), null, 'expected an array, got null'],
])('zod says what it expected and what it received', (type, value, expected) => {
  const [issue] = type.safeParse(value).error?.issues ?? [];
  expect(rewordTypeError(issue?.message ?? '')).toBe(expected);
});

function messageOf(run: () => unknown): string {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
