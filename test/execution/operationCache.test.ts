/** Documents are known from their first valid time on, as long as there is room for them. */
import { parse } from 'graphql';
import { expect, test } from 'vitest';
import type { GatewayContext } from '../../src/context.js';
import { createOperationCache } from '../../src/graphql/execution/operationCache.js';
import { createSchema } from '../../src/graphql/schema.js';

const ROOM_CHARACTERS = 1000;
const schema = createSchema();
const noContext = {} as GatewayContext;

function knowing(...texts: string[]) {
  const known = createOperationCache({ schema, maxCharacters: ROOM_CHARACTERS });
  for (const text of texts) known.add(text, parse(text));
  return known;
}

/** Documents of one length. */
const documentOf = (index: number) => `{ a${String(index).padStart(5, '0')}: __typename }`;

test('a document is found by its text alone, to the letter', () => {
  const known = knowing('{ __typename }');
  expect(known.find('{ __typename }', undefined)?.operation.operation).toBe('query');
  for (const text of ['{__typename}', '{ __typename } ', '', '__proto__', 'constructor'])
    expect(known.find(text, undefined)).toBeUndefined();
});

test('an operation is found by its name, or where it is the only one', () => {
  const [one, several] = ['query A { __typename }', 'query A { a: __typename } query B { b: __typename }'];
  const known = knowing(one, several);
  const nameOf = (text: string, name?: string) => known.find(text, name)?.operation.name?.value;
  expect([nameOf(one), nameOf(one, 'A'), nameOf(one, 'B')]).toEqual(['A', 'A', undefined]);
  expect([nameOf(several), nameOf(several, 'A'), nameOf(several, 'B')]).toEqual([undefined, 'A', 'B']);
  for (const name of ['a', 'C', '__proto__', 'toString']) expect(nameOf(several, name)).toBeUndefined();
});

test('each operation of a document is executed by itself', async () => {
  const text = 'query A { a: __typename } query B { b: __typename }';
  const known = knowing(text);
  for (let time = 0; time < 50; time += 1)
    for (const [name, data] of Object.entries({ A: { a: 'Query' }, B: { b: 'Query' } }))
      expect(await known.find(text, name)?.execute(noContext, {})).toEqual({ data });
});

test('of very many documents only the latest are kept, as far as there is room', () => {
  const known = knowing(...Array.from({ length: 500 }, (_, index) => documentOf(index)));
  const room = Math.floor(ROOM_CHARACTERS / documentOf(0).length);
  const kept = Array.from({ length: 500 }, (_, index) => index).filter(
    (index) => known.find(documentOf(index), undefined) !== undefined,
  );
  expect(kept).toEqual(Array.from({ length: room }, (_, index) => 500 - room + index));
});

test('a document that is in use stays', () => {
  const known = knowing('{ __typename }');
  for (let index = 0; index < 500; index += 1) {
    known.add(documentOf(index), parse(documentOf(index)));
    expect(known.find('{ __typename }', undefined)).toBeDefined();
  }
});

test('a document that takes more than all the room is not kept, and others stay', () => {
  const long = `{ __typename }${' '.repeat(ROOM_CHARACTERS)}`;
  const known = knowing('{ __typename }', long);
  expect(known.find(long, undefined)).toBeUndefined();
  expect(known.find('{ __typename }', undefined)).toBeDefined();
});

test('more operations than are kept compiled are executed all the same', async () => {
  const known = createOperationCache({ schema, maxCharacters: 100_000 });
  const all = Array.from({ length: 150 }, (_, index) => documentOf(index));
  for (const text of all) known.add(text, parse(text));
  for (let time = 0; time < 45; time += 1)
    for (const text of all) {
      const [, name = ''] = /(\w+):/.exec(text) ?? [];
      expect(await known.find(text, undefined)?.execute(noContext, {})).toEqual({
        data: { [name]: 'Query' },
      });
    }
});
