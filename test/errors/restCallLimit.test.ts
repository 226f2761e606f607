import { describe, expect, test } from 'vitest';
import { executeAndRecord, badInput, tooComplex } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { asLiterals, asVariables, type Operation } from '../support/graphql/rootFields.js';
const gateway = useGateway({ config: { graphql: { maxRestCalls: 100 }, subgraph: { maxEntities: 1000 } } });
const lenientGateway = useGateway({
  config: { graphql: { maxRestCalls: 500 }, subgraph: { maxEntities: 5000 } },
});
const strictGateway = useGateway({ config: { graphql: { maxRestCalls: 3 }, subgraph: { maxEntities: 30 } } });

const guids = (count: number) => Array.from({ length: count }, (_, index) => `guid-${index}`);
const reads = (notificationGuids: string[]) =>
  notificationGuids.map((guid) => `GET /v1/customnotifications/${guid}`);
const exceeds = (limit: number, cost: number, isMutation = false) =>
  tooComplex(`Expected at most ${limit} REST calls, got ${cost}`, {
    hasOutcome: isMutation,
  });

describe.each([
  ['variables', asVariables],
  ['literals', asLiterals],
])('notificationsByGuid with %s', (_form, toOperation) => {
  test('reads up to 100 notifications', async () => {
    const notificationGuids = guids(100);
    const { calls, ...response } = await executeAndRecord(
      gateway,
      toOperation('notificationsByGuid', { notificationGuids }),
    );
    expect(response).toEqual({
      status: 200,
      data: { notificationsByGuid: notificationGuids.map(() => null) },
      errors: undefined,
    });
    expect(calls.sort()).toEqual(reads(notificationGuids).sort());
  });

  test('rejects more of them than an operation may make', async () => {
    const operation = toOperation('notificationsByGuid', { notificationGuids: guids(101) });
    expect(await executeAndRecord(gateway, operation)).toEqual(exceeds(100, 101));
  });

  test.each([
    ['if the limit is higher', () => lenientGateway, guids(101)],
    ['if one of them is repeated', () => gateway, [...guids(100), 'guid-7']],
  ])('rejects more than 100 identifiers even %s', async (_condition, gatewayOf, notificationGuids) => {
    const operation = toOperation('notificationsByGuid', { notificationGuids });
    const error = badInput(
      'notificationsByGuid',
      'notificationGuids',
      'expected at most 100 identifiers, got 101',
      { path: ['notificationsByGuid'] },
    );
    expect(await executeAndRecord(gatewayOf(), operation)).toEqual({
      status: 200,
      data: { notificationsByGuid: null },
      errors: [error],
      calls: [],
    });
  });

  test('counts and reads a repeated identifier once', async () => {
    const notificationGuids = guids(100).map(() => 'guid-7');
    const { errors, calls } = await executeAndRecord(
      strictGateway,
      toOperation('notificationsByGuid', { notificationGuids }),
    );
    expect([errors, calls]).toEqual([undefined, reads(['guid-7'])]);
  });
});

const read = (name: string) => `${name}: notification(notificationGuid: "${name}") { notificationGuid }`;
const readAll = (...names: string[]) => names.map(read).join(' ');
const remove = (name: string) => `${name}: deleteNotification(notificationGuid: "${name}") { messages }`;
const several = (value: string) => `notificationsByGuid(notificationGuids: ${value}) { notificationGuid }`;

describe('The REST calls of an operation are counted before any of them is made:', () => {
  test.each<[content: string, operation: Operation, names: string[]]>([
    ['__typename, which needs none', { query: `{ ${readAll('a', 'b', 'c')} __typename }` }, ['a', 'b', 'c']],
    [
      'equal identifiers in several fields',
      { query: `{ ${readAll('a', 'b', 'c')} d: ${read('a').slice(3)} ${several('["a", "b", "c"]')} }` },
      ['a', 'b', 'c'],
    ],
    ['an empty list', { query: `{ ${several('[]')} }` }, []],
    [
      'a variable that overrides its default value',
      {
        query: `query ($guids: [ID!]! = ["a", "b", "c", "d"]) { ${several('$guids')} }`,
        variables: { guids: ['e'] },
      },
      ['e'],
    ],
    [
      'a single value that is coerced to a list',
      { query: `query ($guids: [ID!]!) { ${several('$guids')} }`, variables: { guids: 'abcd' } },
      ['abcd'],
    ],
  ])('accepts an operation with %s', async (_content, operation, names) => {
    const { errors, calls } = await executeAndRecord(strictGateway, operation);
    expect([errors, calls.sort()]).toEqual([undefined, reads(names)]);
  });

  test.each<[content: string, operation: Operation, cost: number]>([
    ['aliases and a list', { query: `{ ${readAll('a', 'b')} ${several('["c", "d", "c"]')} }` }, 4],
    [
      'fragments within fragments',
      {
        query: `
          { ...All }
          fragment All on Query { ${read('a')} ...Others ... { ${read('b')} } }
          fragment Others on Query { ... on Query { ${readAll('c', 'd')} } }
        `,
      },
      4,
    ],
    [
      'fields that conditions include',
      {
        query: `
          query ($yes: Boolean!, $no: Boolean = false) {
            ... @include(if: $yes) { ${readAll('a', 'b')} }
            ... @skip(if: $no) { ${readAll('c', 'd')} }
          }
        `,
        variables: { yes: true },
      },
      4,
    ],
    [
      'the list of all notifications',
      { query: `{ ${readAll('a', 'b', 'c')} notifications { messages } }` },
      4,
    ],
  ])('rejects an operation with %s', async (_content, operation, cost) => {
    expect(await executeAndRecord(strictGateway, operation)).toEqual(exceeds(3, cost));
  });

  test.each([
    [
      'an update as three',
      ['updateNotification(notificationGuid: "a", input: { filters: [] })', remove('b')],
    ],
    [
      'a deletion with ifLastUpdateDate as two',
      [
        `deleteNotification(notificationGuid: "a", ifLastUpdateDate: "2024-01-08T07:15:30Z")`,
        remove('b'),
        remove('c'),
      ],
    ],
  ])('counts %s', async (_cost, [first = '', ...others]) => {
    const query = `mutation { ${first} { messages } ${others.join(' ')} }`;
    expect(await executeAndRecord(strictGateway, { query })).toEqual(exceeds(3, 4, true));
  });

  test('counts again for other variables of the same operation', async () => {
    const query = `
      query ($all: Boolean!) {
        ${read('a')}
        ... @include(if: $all) { ${readAll('b', 'c', 'd')} }
      }
    `;
    const execute = (all: boolean) => executeAndRecord(strictGateway, { query, variables: { all } });
    for (let round = 0; round < 2; round += 1) {
      expect((await execute(false)).calls).toEqual(reads(['a']));
      expect(await execute(true)).toEqual(exceeds(3, 4));
    }
    const mutation = `
      mutation ($all: Boolean!) {
        ${remove('a')}
        ...Others @include(if: $all)
      }
      fragment Others on Mutation { ${Array.from({ length: 10 }, (_, index) => remove(`b${index}`)).join(' ')} }
    `;
    const executeMutation = (all: boolean) =>
      executeAndRecord(gateway, { query: mutation, variables: { all } });
    for (let round = 0; round < 2; round += 1) {
      expect((await executeMutation(false)).calls).toEqual(['DELETE /v1/customnotifications/a']);
      expect(await executeMutation(true)).toMatchObject({
        status: 422,
        errors: [{ message: 'Expected at most 10 mutation fields, got 11' }],
        calls: [],
      });
    }
  });

  // Walking every spread would take 2^26 steps, longer than the timeout of the test.
  test('rejects fragments that double each other, without reading anything', async () => {
    const fragments = Array.from(
      { length: 26 },
      (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
    );
    const query = `
      { ...F0 }
      ${fragments.join('\n')}
      fragment F26 on Query { notification(notificationGuid: "a") { notificationGuid } }
    `;
    const { errors, calls } = await executeAndRecord(strictGateway, { query });
    const codes = errors?.map(({ extensions }) => extensions['code']);
    expect([codes, calls]).toEqual([['QUERY_TOO_COMPLEX'], []]);
  });
});
