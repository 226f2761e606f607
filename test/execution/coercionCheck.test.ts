import { isDeepStrictEqual } from 'node:util';
import { assertInputType, buildSchema, coerceInputValue, type GraphQLInputType } from 'graphql';
import { describe, expect, test, vi } from 'vitest';
import { createCoercionCheck } from '../../src/graphql/execution/coercionCheck.js';
import { createSchema } from '../../src/graphql/schema.js';
import { mutateValue } from '../support/graphql/mutateValue.js';
import { allValidArguments, fieldNames, type FieldName } from '../support/graphql/rootFields.js';
import { seededRandom } from '../support/tools/seededRandom.js';

const schema = createSchema();

/** Whether graphql-js accepts a value and returns it unchanged. */
function isUnchangedByGraphQL(value: unknown, type: GraphQLInputType): boolean {
  const onError = vi.fn();
  const coerced: unknown = coerceInputValue(value, type, onError);
  return onError.mock.calls.length === 0 && isDeepStrictEqual(coerced, value);
}

test('the coercion check agrees with graphql-js on valid and mutated variables of every root field', () => {
  const random = seededRandom('coercion check');
  const counts = { unchanged: 0, others: 0 };
  const roots = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
  for (let index = 0; index < 5000; index += 1) {
    const field = random.pick(fieldNames as [FieldName]);
    let given: unknown = random.pick(allValidArguments(field));
    for (let times = random.below(3); times > 0; times -= 1) given = mutateValue(random, given);
    for (const { name, type } of roots[field]?.args ?? []) {
      const value = (given as Record<string, unknown> | null)?.[name];
      const isUnchanged = isUnchangedByGraphQL(value ?? null, type);
      expect({ field, value, isUnchanged: createCoercionCheck(type)(value) }).toEqual({
        field,
        value,
        isUnchanged,
      });
      counts[isUnchanged ? 'unchanged' : 'others'] += 1;
    }
  }
  console.log(`${counts.unchanged} unchanged values, ${counts.others} others`);
  expect(Math.min(counts.unchanged, counts.others)).toBeGreaterThan(1000);
});

describe('the coercion check', () => {
  const types = buildSchema(`
    enum Color { RED }
    input Deep { lists: [[Int!]], float: Float, on: Boolean, color: Color, colors: [Color!]! }
    input Defaults { given: Int = 5, always: Int! = 5 }
    input One @oneOf { deep: Deep, text: String }
    type Query { field(deep: Deep, defaults: Defaults, one: One): Int }
  `);
  test.each<[type: string, value: unknown]>([
    ['Deep', { colors: [] }],
    ['Deep', { lists: [[1], null, []], float: 1.5, on: false, color: 'RED', colors: ['RED'] }],
    ['Defaults', { given: 1, always: 2 }],
    ['One', { text: '' }],
    ['One', { deep: { colors: [] } }],
  ])('accepts for %s the value %j, which coercion leaves unchanged', (name, value) => {
    const type = assertInputType(types.getType(name));
    expect([createCoercionCheck(type)(value), isUnchangedByGraphQL(value, type)]).toEqual([true, true]);
  });

  test.each<[type: string, value: unknown]>([
    ['Deep', {}],
    ['Deep', []],
    ['Deep', 'text'],
    ['Deep', { colors: 'RED' }],
    ['Deep', { colors: [null] }],
    ['Deep', { colors: ['GREEN'] }],
    ['Deep', { colors: ['red'] }],
    ['Deep', { colors: [], lists: [1] }],
    ['Deep', { colors: [], lists: [[1.5]] }],
    ['Deep', { colors: [], lists: [[2 ** 31]] }],
    ['Deep', { colors: [], on: 'true' }],
    ['Deep', { colors: [], float: '1' }],
    ['Deep', { colors: [], other: null }],
    ['Defaults', {}],
    ['Defaults', { given: 1 }],
    ['Defaults', { always: 1 }],
    ['Defaults', { given: 1, always: null }],
    ['One', {}],
    ['One', { text: null }],
    ['One', { text: 'a', deep: null }],
    ['One', { text: 'a', deep: { colors: [] } }],
    ['One', { deep: {} }],
  ])('leaves to graphql-js for %s the value %j', (name, value) => {
    const type = assertInputType(types.getType(name));
    expect([createCoercionCheck(type)(value), isUnchangedByGraphQL(value, type)]).toEqual([false, false]);
  });
});
