import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createOperationCache, createOperationFactory } from '../../src/graphql/operation.js';
import { createSchema } from '../../src/graphql/schema.js';

const MAX_CHARS = 1000;
const prepare = createOperationFactory(createSchema(), {
  reportInternalError: () => undefined,
  hideSuggestions: false,
  maxRestCalls: 1,
  maxMutationFields: 1,
  maxBulkItems: 1,
});

function cacheOf(...sources: string[]) {
  const cache = createOperationCache(prepare, MAX_CHARS);
  for (const source of sources) cache.add(source, parse(source));
  return cache;
}

/** Documents of equal length. */
const documentOf = (index: number) => `{ a${String(index).padStart(5, '0')}: __typename }`;

describe('the operation cache', () => {
  test('evicts the least recently used documents beyond its size', () => {
    const cache = cacheOf(...Array.from({ length: 500 }, (_, index) => documentOf(index)));
    const capacity = Math.floor(MAX_CHARS / documentOf(0).length);
    const cached = Array.from({ length: 500 }, (_, index) => index).filter(
      (index) => cache.find(documentOf(index), undefined) !== undefined,
    );
    expect(cached).toEqual(Array.from({ length: capacity }, (_, index) => 500 - capacity + index));
  });

  test('does not keep a document that exceeds its size, and evicts no other for it', () => {
    const long = `{ __typename }${' '.repeat(MAX_CHARS)}`;
    const cache = cacheOf('{ __typename }', long);
    expect(cache.find(long, undefined)).toBeUndefined();
    expect(cache.find('{ __typename }', undefined)).toBeDefined();
  });
});
