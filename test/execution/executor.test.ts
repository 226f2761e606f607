/** Hot operations are compiled, and give the same results as graphql-js. */
import { setImmediate } from 'node:timers/promises';
import { execute, getNullableType, Kind, parse, validate, type ExecutionResult } from 'graphql';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isRecord } from '../../src/domain/json.js';
import type { GatewayContext } from '../../src/fields/context.js';
import { GatewayError } from '../../src/gatewayError.js';
import {
  compileOperation,
  createExecutorFactory,
  JIT_THRESHOLD,
  type Execute,
} from '../../src/graphql/executor.js';
import { prepareOperation } from '../../src/graphql/checks.js';
import { createSchema, createSubgraphSchema } from '../../src/graphql/schema.js';
import { compiler } from '../support/execution/compiler.js';
import { mutateValue } from '../support/graphql/mutateValue.js';
import { allValidArguments, fieldNames, isMutation } from '../support/graphql/rootFields.js';
import { seededRandom } from '../support/tools/seededRandom.js';

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
const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
/** Fragments that each spread the next one twice, so the number of uses is a power of two. */
const doubling = (count: number) =>
  `${READ} { ...F0 } } ${repeat(count, (index) => `fragment F${index} on Notification { ...F${index + 1} ...F${index + 1} }`)} fragment F${count} on Notification { notificationName }`;

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
      '51 fields': `${READ} { ${repeat(50, () => 'filters')} } }`,
      '51 fields through fragments': `${READ} { ...A ...A } } fragment A on Notification { ${repeat(50, () => 'filters')} }`,
      'doubling fragments': doubling(90),
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

/** A comparable form of a result, with the errors that the service threw: fields add functions to them, which are never equal. */
function comparable({ data, errors = [], ...others }: ExecutionResult) {
  const parts = errors.map((error) => ({ ...error.toJSON(), cause: firstOf(error.originalError) }));
  return { data: JSON.stringify(data), errors: parts, ...others };
}

function firstOf(error: unknown): unknown {
  return error instanceof GatewayError && error.cause !== undefined ? firstOf(error.cause) : error;
}

/** JSON values merged member by member; the second one replaces everything else. */
function merge(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return other;
  const added = Object.entries(other).map(([name, value]) => [name, merge(one[name], value)] as const);
  return { ...one, ...Object.fromEntries(added) };
}

describe('a compiled mutation gets the arguments that graphql-js would give it, or reports the same errors', () => {
  /** Arguments of every shape, and those of the last one within those of the first: of two members, `@oneOf` allows one. */
  const single = fieldNames.filter(isMutation).map((field) => {
    const shapes = allValidArguments(field);
    return [field, [...shapes, merge(shapes[0], shapes.at(-1)) as object]] as const;
  });
  const bulk = single.map(
    ([field, shapes]) =>
      [
        `${field}s`,
        [shapes, ...shapes].map((items) => ({ items, onInvalidItem: 'SEND_OTHERS' })), // one item may stand for a list
      ] as const,
  );
  test.each([...single, ...bulk])('%s', async (name, shapes) => {
    const echo = createSchema();
    const field = echo.getMutationType()?.getFields()[name];
    if (!field) throw new Error(`Expected a mutation field ${name}`);
    let received: object[] = [];
    field.resolve = (_parent, args: object) => {
      // Compiled code puts arguments with a default first.
      received.push(Object.fromEntries(Object.entries(args).sort()));
      return {};
    };
    const given = new Set(Object.keys(shapes[0]));
    const defaulted = field.args.filter(
      ({ name: arg, defaultValue }) => defaultValue !== undefined && !given.has(arg),
    );
    const args = field.args.filter(
      (arg) => given.has(arg.name) || arg.name === 'idempotencyKey' || defaulted.includes(arg),
    );
    const definitions = args
      .map(
        (arg) =>
          `$${arg.name}: ${(defaulted.includes(arg) ? getNullableType(arg.type) : arg.type).toString()}`,
      )
      .join(', ');
    const uses = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
    const text = `mutation (${definitions}) { ${name}(${uses}) { __typename } }`;
    const operation = prepared(text, echo);
    const interpret: Execute = (contextValue, variableValues) =>
      execute({ schema: echo, document: operation.document, contextValue, variableValues });
    const compiled = await compileOperation(operation, text, interpret);
    if (!compiled) throw new Error(`Expected ${name} to be compiled`);
    const run = async (executeOnce: Execute, variables: Record<string, unknown>) => {
      received = [];
      const result = comparable(await executeOnce({} as GatewayContext, variables));
      return { ...result, received, variables };
    };

    const random = seededRandom(`arguments of compiled ${name}`);
    const MUTATIONS = 60;
    let rejected = 0;
    for (let index = 0; index < MUTATIONS; index += 1) {
      const shape = shapes[index % shapes.length];
      const entries = Object.entries({ ...shape, idempotencyKey: random.pick([null, 'key']) });
      const changed = random.happens(0.7) ? random.below(entries.length) : undefined;
      // Nothing, null or its default for an argument that has one.
      const others = defaulted.map(
        (arg) => [arg.name, random.pick([undefined, null, arg.defaultValue])] as const,
      );
      const variables = Object.fromEntries([
        ...entries.map(
          ([key, value], at) => [key, at === changed ? mutateValue(random, value) : value] as const,
        ),
        ...others.filter(([, value]) => value !== undefined),
      ]);
      const result = await run(compiled, variables);
      expect(result).toEqual(await run(interpret, variables));
      if (result.errors.length > 0) rejected += 1;
    }
    expect(rejected).toBeGreaterThan(MUTATIONS / 10);
    expect(rejected).toBeLessThan(MUTATIONS * 0.9);
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
