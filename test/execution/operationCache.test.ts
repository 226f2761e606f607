import { parse } from 'graphql';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { GatewayContext } from '../../src/fields/context.js';
import { JIT_THRESHOLD } from '../../src/graphql/execution/executor.js';
import { createOperationFactory } from '../../src/graphql/operation.js';
import { createOperationCache, type OperationCache } from '../../src/graphql/operation.js';
import { createSchema } from '../../src/graphql/schema.js';
import { until } from '../support/tools/waiting.js';

/** The sources passed to the compiler, and those executed by compiled code, in their order. */
const compilations: string[] = [];
const compiledExecutions: string[] = [];
vi.mock(import('../../src/graphql/execution/jit.js'), async (importOriginal) => {
  const { compileOperation } = await importOriginal();
  return {
    compileOperation(schema, source, interpret) {
      compilations.push(source);
      const execute = compileOperation(schema, source, interpret);
      return (
        execute &&
        ((...parameters) => {
          compiledExecutions.push(source);
          return execute(...parameters);
        })
      );
    },
  };
});

// Vitest never settles some of many simultaneous imports of a module whose mock it is still creating.
beforeAll(() => import('../../src/graphql/execution/jit.js'));

const MAX_CHARS = 1000;
/** Room for all operations of the tests of compiled code. */
const ELIGIBLE_MAX_CHARS = 100_000;
/** Maximum compiled operations in the cache. */
const MAX_COMPILED = 100;
const context = {
  client: { ids: {}, marks: { readBack: [], replayed: [] } },
  telemetry: { operation: {} },
} as unknown as GatewayContext;
/** Runs operations without checks. */
const createPrepare = () =>
  createOperationFactory({
    schema: createSchema(),
    checks: [],
    reportInternalError: () => undefined,
    hideSuggestions: false,
  });
const prepare = createPrepare();

/** Operations of equal length that can be compiled; without a service they respond with null. */
const eligibleOf = (index: number) =>
  `query ($guid: ID!) { a${String(index).padStart(5, '0')}: notification(notificationGuid: $guid) { messages: filters } }`;

/** Runs operations once, and returns those that compiled code executed. */
async function runCompiled(cache: OperationCache, ...sources: string[]): Promise<string[]> {
  compiledExecutions.length = 0;
  for (const source of sources) await cache.find(source, undefined)?.run(context, { guid: 'REF-1' });
  return [...compiledExecutions];
}

/** Runs operations until they are hot, and waits until they are compiled. */
async function heat(cache: OperationCache, ...sources: string[]): Promise<void> {
  for (const source of sources) {
    compilations.length = 0;
    for (let time = 0; time < JIT_THRESHOLD; time += 1) await runCompiled(cache, source);
    await until(() => compilations.includes(source), 1);
  }
}

function cacheOf(...sources: string[]) {
  const cache = createOperationCache({ prepare, maxChars: MAX_CHARS });
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

  test('runs more operations than there is room for compiled code', async () => {
    const cache = createOperationCache({ prepare, maxChars: 100_000 });
    const sources = Array.from({ length: 150 }, (_, index) => documentOf(index));
    for (const source of sources) cache.add(source, parse(source));
    for (let time = 0; time < 45; time += 1)
      for (const source of sources) {
        const [, name = ''] = /(\w+):/.exec(source) ?? [];
        expect(await cache.find(source, undefined)?.run(context, {})).toEqual(dataOf(name));
      }
  });
});

describe('the compiled operations', () => {
  const sources = Array.from({ length: MAX_COMPILED + 1 }, (_, index) => eligibleOf(index));
  const [first = '', second = ''] = sources;
  const cacheOfEligible = () => {
    const cache = createOperationCache({ prepare: createPrepare(), maxChars: ELIGIBLE_MAX_CHARS });
    for (const source of sources) cache.add(source, parse(source));
    return cache;
  };

  test('are compiled once, after as many executions as make them hot', async () => {
    const cache = cacheOfEligible();
    for (let time = 0; time < JIT_THRESHOLD - 1; time += 1) await runCompiled(cache, first);
    expect(await runCompiled(cache, second)).toEqual([]);
    compilations.length = 0;
    await heat(cache, second);
    expect(compilations).toEqual([second]);
    for (let time = 0; time < 2 * JIT_THRESHOLD; time += 1)
      expect(await runCompiled(cache, second)).toEqual([second]);
    expect(compilations).toEqual([second]);
  });

  test('evict the least recently used one, which is compiled again once it is hot again', async () => {
    const cache = cacheOfEligible();
    await heat(cache, ...sources.slice(0, MAX_COMPILED));
    expect(await runCompiled(cache, ...sources.slice(0, MAX_COMPILED))).toHaveLength(MAX_COMPILED);
    await heat(cache, ...sources.slice(MAX_COMPILED));
    compilations.length = 0;
    expect(await runCompiled(cache, first, second)).toEqual([second]);
    expect(compilations).toEqual([]);
    await heat(cache, first);
    expect(compilations).toEqual([first]);
    expect(await runCompiled(cache, first)).toEqual([first]);
  });

  test('lose the code of a document that is evicted, which makes room for another one', async () => {
    const cache = cacheOfEligible();
    await heat(cache, ...sources.slice(0, MAX_COMPILED));
    const operation = cache.find(first, undefined);
    await runCompiled(cache, ...sources.slice(1));
    await operation?.run(context, { guid: 'REF-1' }); // now its code is the most recently used one, its document the least
    const unrelated = '{ __typename }'.padEnd(ELIGIBLE_MAX_CHARS - first.length * MAX_COMPILED);
    cache.add(unrelated, parse(unrelated));
    expect(cache.find(first, undefined)).toBeUndefined();
    await heat(cache, ...sources.slice(MAX_COMPILED));
    expect(await runCompiled(cache, ...sources.slice(1))).toEqual(sources.slice(1));
  });
});
