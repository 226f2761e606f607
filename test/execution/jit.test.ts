/** Operations are compiled only if the compiler treats them exactly like graphql-js, and quickly. */
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { compileOperation } from '../../src/graphql/execution/jit.js';
import { createSchema } from '../../src/graphql/schema.js';
import { createSubgraphSchema } from '../../src/graphql/subgraph.js';

const [schema, subgraphSchema] = [createSchema(), createSubgraphSchema()];

function isCompiled(text: string, inSchema = schema): boolean {
  expect(validate(inSchema, parse(text))).toEqual([]);
  return compileOperation(inSchema, text, () => ({})) !== undefined;
}

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid)';
const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
/** Fragments that each spread the next one twice, so the number of uses is a power of two. */
const doubling = (count: number) =>
  `${READ} { ...F0 } } ${repeat(count, (index) => `fragment F${index} on Notification { ...F${index + 1} ...F${index + 1} }`)} fragment F${count} on Notification { notificationName }`;

test.each<[operation: string, text: string]>([
  ['a read', `${READ} { notificationGuid } }`],
  [
    'a read with an alias',
    'query ($guid: ID!) { it: notification(notificationGuid: $guid) { name: notificationName } }',
  ],
  [
    'several reads',
    'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { __typename } }',
  ],
  ['a list', '{ notifications { notifications { recipient { __typename } } } }'],
  ['a write', 'mutation M($input: TrackShipmentInput!) { trackShipment(input: $input) { tracked } }'],
  [
    'fragments',
    `${READ} { ...A } } fragment A on Notification { ...B ...B } fragment B on Notification { filters }`,
  ],
  ['a root field in a fragment', '{ ...Q } fragment Q on Query { notifications { messages } }'],
  ['a repeated root field', '{ notifications { messages } notifications { totalPossibleCount } }'],
  ['50 fields', `${READ} { ${repeat(49, () => 'filters')} } }`],
])('%s is compiled', (_what, text) => {
  expect(isCompiled(text)).toBe(true);
});

describe('an operation is not compiled if it has', () => {
  test.each<[feature: string, text: string]>([
    ['a condition', 'query ($if: Boolean!) { notifications { messages @include(if: $if) } }'],
    [
      'a condition on a fragment',
      'query ($if: Boolean!) { ... @skip(if: $if) { notifications { messages } } }',
    ],
    ['several operations', 'query A { notifications { messages } } query B { notifications { messages } }'],
    ['several root fields', '{ a: notifications { messages } b: notifications { messages } }'],
    ['__typename next to its root field', '{ __typename notifications { messages } }'],
    [
      'several writes',
      'mutation ($guid: ID!) { ...M } fragment M on Mutation { a: deleteNotification(notificationGuid: $guid) { messages } b: deleteNotification(notificationGuid: $guid) { messages } }',
    ],
    ['introspection', '{ __schema { queryType { kind } } }'],
    ['introspection of a type', 'query ($name: String!) { __type(name: $name) { kind } }'],
    ['an alias __proto__', `${READ} { __proto__: notificationName } }`],
    ['an alias constructor', '{ constructor: notifications { messages } }'],
    [
      'a variable toString',
      'query ($toString: JSONObject) { notifications(additionalParameters: $toString) { messages } }',
    ],
    ['a fragment valueOf', `${READ} { ...valueOf } } fragment valueOf on Notification { filters }`],
    ['51 fields', `${READ} { ${repeat(50, () => 'filters')} } }`],
    [
      '51 fields through fragments',
      `${READ} { ...A ...A } } fragment A on Notification { ${repeat(50, () => 'filters')} }`,
    ],
    ['doubling fragments', doubling(90)],
    ['a long name', `${READ} { ${'a'.repeat(65)}: notificationName } }`],
    ['a long comment', `${READ} { notificationName } } # ${'a'.repeat(5000)}`],
  ])('%s', (_what, text) => {
    expect(isCompiled(text)).toBe(false);
  });

  // Literals would become part of the generated code.
  test.each([
    '{ notification(notificationGuid: "REF-1") { filters } }',
    '{ notification(notificationGuid: """REF-1""") { filters } }',
    '{ notification(notificationGuid: 5) { filters } }',
    'query ($guid: ID! = "REF-1") { notification(notificationGuid: $guid) { filters } }',
    'query ($guid: ID!) { notificationsByGuid(notificationGuids: [$guid]) { filters } }',
    '{ notifications(additionalParameters: null) { messages } }',
    '{ notifications(additionalParameters: {}) { messages } }',
    'query ($value: JSON) { notifications(additionalParameters: { key: $value }) { messages } }',
  ])('a literal: %s', (text) => {
    expect(isCompiled(text)).toBe(false);
  });

  test.each([
    'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }',
    '{ _service { sdl } }',
    '{ _sdl }',
  ])('a field for supergraph gateways: %s', (text) => {
    expect(isCompiled(text, subgraphSchema)).toBe(false);
  });

  // The compiler recurses until the stack overflows, which takes seconds.
  test('a variable of a recursive type', { timeout: 60_000 }, () => {
    const recursive = buildSchema('input Tree { child: Tree } type Query { field(of: Tree): Int }');
    expect(isCompiled('query ($of: Tree) { field(of: $of) }', recursive)).toBe(false);
  });
});
