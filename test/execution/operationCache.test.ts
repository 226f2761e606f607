import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { GatewayContext } from '../../src/fields/context.js';
import { createOperationCache, createOperationFactory } from '../../src/graphql/operation.js';
import { createSchema } from '../../src/graphql/schema.js';

const MAX_CHARS = 1000;
const context = {
  client: { ids: {} },
  telemetry: { operation: {} },
  failuresAsData: [],
} as unknown as GatewayContext;
/** Runs operations without checks. */
const prepare = createOperationFactory(createSchema(), [], {
  reportInternalError: () => undefined,
  hideSuggestions: false,
});

function cacheOf(...sources: string[]) {
  const cache = createOperationCache(prepare, MAX_CHARS);
  for (const source of sources) cache.add(source, parse(source));
  return cache;
}

/** Documents of equal length. */
const documentOf = (index: number) => `{ a${String(index).padStart(5, '0')}: __typename }`;
const dataOf = (name: string) => ({ data: { [name]: 'Query' } });

describe('the operation cache', () => {
  test('finds a document only by its exact text', () => {
    const cache = cacheOf('{ __typename }');
    expect(cache.find('{ __typename }', undefined)?.definition.operation).toBe('query');
    for (const source of ['{__typename}', '{ __typename } ', '', '__proto__', 'constructor'])
      expect(cache.find(source, undefined)).toBeUndefined();
  });

  test('finds an operation by its name, or without one if it is the only operation', () => {
    const [one, several] = ['query A { __typename }', 'query A { a: __typename } query B { b: __typename }'];
    const cache = cacheOf(one, several);
    const nameOf = (source: string, name?: string) => cache.find(source, name)?.definition.name?.value;
    expect([nameOf(one), nameOf(one, 'A'), nameOf(one, 'B')]).toEqual(['A', 'A', undefined]);
    expect([nameOf(several), nameOf(several, 'A'), nameOf(several, 'B')]).toEqual([undefined, 'A', 'B']);
    for (const name of ['a', 'C', '__proto__', 'toString']) expect(nameOf(several, name)).toBeUndefined();
  });

  test('prepares an operation once', () => {
    const cache = cacheOf('{ __typename }');
    expect(cache.find('{ __typename }', undefined)).toBe(cache.find('{ __typename }', undefined));
  });

  test('keeps the operations of one document apart', async () => {
    const source = 'query A { a: __typename } query B { b: __typename }';
    const cache = cacheOf(source);
    for (let time = 0; time < 50; time += 1) {
      expect(await cache.find(source, 'A')?.run(context, {})).toEqual(dataOf('a'));
      expect(await cache.find(source, 'B')?.run(context, {})).toEqual(dataOf('b'));
    }
  });

  test('evicts the least recently used documents beyond its size', () => {
    const cache = cacheOf(...Array.from({ length: 500 }, (_, index) => documentOf(index)));
    const capacity = Math.floor(MAX_CHARS / documentOf(0).length);
    const cached = Array.from({ length: 500 }, (_, index) => index).filter(
      (index) => cache.find(documentOf(index), undefined) !== undefined,
    );
    expect(cached).toEqual(Array.from({ length: capacity }, (_, index) => 500 - capacity + index));
  });

  test('keeps a document that is in use', () => {
    const cache = cacheOf('{ __typename }');
    for (let index = 0; index < 500; index += 1) {
      cache.add(documentOf(index), parse(documentOf(index)));
      expect(cache.find('{ __typename }', undefined)).toBeDefined();
    }
  });

  test('does not keep a document that exceeds its size, and evicts no other for it', () => {
    const long = `{ __typename }${' '.repeat(MAX_CHARS)}`;
    const cache = cacheOf('{ __typename }', long);
    expect(cache.find(long, undefined)).toBeUndefined();
    expect(cache.find('{ __typename }', undefined)).toBeDefined();
  });
});
