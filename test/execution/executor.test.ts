/** Which hot operations are compiled, and when. */
import { setImmediate } from 'node:timers/promises';
import { Kind, parse, validate } from 'graphql';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { GatewayContext } from '../../src/fields/context.js';
import {
  compileOperation,
  createExecutorFactory,
  JIT_THRESHOLD,
  type Execute,
} from '../../src/graphql/executor.js';
import { prepareOperation } from '../../src/graphql/checks.js';
import { createSchema, createSubgraphSchema } from '../../src/graphql/schema.js';
import { compiler } from '../support/execution/compiler.js';
import { repeated } from '../support/graphql/creations.js';

beforeEach(() => Object.assign(compiler, { compilations: 0, executions: 0 }));

const schema = createSchema();

function prepared(text: string, inSchema = schema) {
  const document = parse(text);
  expect(validate(inSchema, document)).toEqual([]);
  const [definition] = document.definitions.flatMap((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? [each] : [],
  );
  if (!definition) throw new Error(`Expected an operation, got ${text}`);
  return prepareOperation(inSchema, document, definition);
}

async function isCompiled(text: string, inSchema = schema): Promise<boolean> {
  return (await compileOperation(prepared(text, inSchema), text, () => ({}))) !== undefined;
}

const READ = 'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids)';
describe('an operation is not compiled if it has', () => {
  /** The selection of a list in a `NotificationList`. */
  const LIST = '{ notifications { filters } }';
  test.each(
    Object.entries<string>({
      'a condition':
        'query ($if: Boolean!) { notifications { messages @include(if: $if) notifications { filters } } }',
      'a condition on a fragment': `query ($if: Boolean!) { ... @skip(if: $if) { notifications ${LIST} } }`,
      'several operations': `query A { notifications ${LIST} } query B { notifications ${LIST} }`,
      'several root fields': `{ a: notifications ${LIST} b: notifications ${LIST} }`,
      '__typename next to its root field': `{ __typename notifications ${LIST} }`,
      introspection: '{ __schema { types { kind } } }',
      'introspection of a type': 'query ($name: String!) { __type(name: $name) { fields { name } } }',
      'an alias __proto__': `${READ} { __proto__: notificationName } }`,
      'an alias constructor': `{ constructor: notifications ${LIST} }`,
      'a variable toString': `query ($toString: JSONObject) { notifications(additionalParameters: $toString) ${LIST} }`,
      'a fragment valueOf': `${READ} { ...valueOf } } fragment valueOf on Notification { filters }`,
      '51 fields': `${READ} { ${repeated(50, () => 'filters')} } }`,
      '51 fields through fragments': `${READ} { ...A ...A } } fragment A on Notification { ${repeated(50, () => 'filters')} }`,
      'a long name': `${READ} { ${'a'.repeat(65)}: notificationName } }`,
      'a long comment': `${READ} { notificationName } } # ${'a'.repeat(5000)}`,
      // Literals would become part of the generated code.
      'a string': '{ notificationsByGuid(notificationGuids: "REF-1") { filters } }',
      'a block string': '{ notificationsByGuid(notificationGuids: """REF-1""") { filters } }',
      'a number': '{ notificationsByGuid(notificationGuids: 5) { filters } }',
      'a default value':
        'query ($guids: [ID!]! = "REF-1") { notificationsByGuid(notificationGuids: $guids) { filters } }',
      'a list literal': 'query ($guid: ID!) { notificationsByGuid(notificationGuids: [$guid]) { filters } }',
      null: `{ notifications(additionalParameters: null) ${LIST} }`,
      'an empty object': `{ notifications(additionalParameters: {}) ${LIST} }`,
      'an object': `query ($value: JSON) { notifications(additionalParameters: { key: $value }) ${LIST} }`,
    }),
  )('%s', async (_feature, text) => {
    expect(await isCompiled(text)).toBe(false);
  });

  test('a field for supergraph gateways', async () => {
    const text = 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }';
    expect(await isCompiled(text, createSubgraphSchema())).toBe(false);
  });
});

describe('an operation', () => {
  const context = {} as GatewayContext;
  const variables = { guids: ['REF-1'] };
  const textOf = (index: number) => `${READ} { a${String(index).padStart(5, '0')}: filters } }`;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const run = async (executor: Execute, times = 1) => {
    for (let time = 0; time < times; time += 1) await executor(context, variables);
  };
  /** Lets a compilation that has begun come to its end; it imports the compiler, for which Vitest asks another process each time. */
  const settle = async () => {
    await import('graphql-jit');
    for (let tick = 0; tick < 20; tick += 1) await setImmediate();
  };
  /** Has the event loop looked at, as after some time. */
  const look = async (times = 1) => {
    for (let time = 0; time < times; time += 1) {
      vi.advanceTimersToNextTimer();
      await settle();
    }
  };
  const create = createExecutorFactory();
  const executorOf = (text: string, factory = create) => factory(prepared(text), text);

  test('is compiled after its twentieth execution, not at once, and once', async () => {
    const executor = executorOf(textOf(0));
    await run(executor, JIT_THRESHOLD - 1);
    expect(vi.getTimerCount()).toBe(0);
    await run(executor);
    await settle();
    expect(compiler).toEqual({ compilations: 0, executions: 0 });
    await look();
    expect(compiler).toEqual({ compilations: 1, executions: 0 });
    await run(executor, 2 * JIT_THRESHOLD);
    expect(compiler).toEqual({ compilations: 1, executions: 2 * JIT_THRESHOLD });
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a literal that resembles generated code is never evaluated', async () => {
  const literal = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d(globalThis.wasEvaluated=true)';
  const text = `{ notificationsByGuid(notificationGuids: ["${literal}"]) { filters } }`;
  const executor = createExecutorFactory()(prepared(text), text);
  for (let time = 0; time <= JIT_THRESHOLD; time += 1) await executor({} as GatewayContext, {});
  expect(await isCompiled(text)).toBe(false);
  expect(globalThis).not.toHaveProperty('wasEvaluated');
});
