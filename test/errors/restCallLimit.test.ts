import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeAndRecord, badInput } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { asLiterals, asVariables, type Operation } from '../support/graphql/rootFields.js';

let gateway: TestGateway;
let generous: TestGateway;
let strict: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { MAX_REST_CALLS: '100' } });
  generous = await startGateway({ env: { MAX_REST_CALLS: '500' } });
  strict = await startGateway({ env: { MAX_REST_CALLS: '3' } });
});
afterAll(async () => {
  await gateway.stop();
  await generous.stop();
  await strict.stop();
});

const guids = (count: number) => Array.from({ length: count }, (_, index) => `guid-${index}`);
const reads = (notificationGuids: string[]) =>
  notificationGuids.map((guid) => `GET /v1/customnotifications/${guid}`);
const tooComplex = (limit: number, cost: number, verdict = {}) => ({
  status: 400,
  data: undefined,
  errors: [
    {
      message: `Expected an operation of at most ${limit} REST calls, got one of ${cost}`,
      extensions: { code: 'QUERY_TOO_COMPLEX', ...verdict, retryable: false },
    },
  ],
  calls: [],
});

describe.each([
  ['variables', asVariables],
  ['literals', asLiterals],
])('notificationsByGuid, by %s,', (_means, through) => {
  test('reads a hundred notifications', async () => {
    const notificationGuids = guids(100);
    const { calls, ...answer } = await executeAndRecord(
      gateway,
      through('notificationsByGuid', { notificationGuids }),
    );
    expect(answer).toEqual({
      status: 200,
      data: { notificationsByGuid: notificationGuids.map(() => null) },
      errors: undefined,
    });
    expect(calls.sort()).toEqual(reads(notificationGuids).sort());
  });

  test('reads no more of them', async () => {
    const operation = through('notificationsByGuid', { notificationGuids: guids(101) });
    expect(await executeAndRecord(gateway, operation)).toEqual(tooComplex(100, 101));
  });

  test.each([
    ['where more REST calls are allowed', () => generous, guids(101)],
    ['where one of them is there twice', () => gateway, [...guids(100), 'guid-7']],
  ])('reads no more of them even %s', async (_where, which, notificationGuids) => {
    const operation = through('notificationsByGuid', { notificationGuids });
    const problem = badInput(
      'notificationsByGuid',
      'notificationGuids',
      'expected at most 100 identifiers, got 101',
      { path: ['notificationsByGuid'] },
    );
    expect(await executeAndRecord(which(), operation)).toEqual({
      status: 200,
      data: null,
      errors: [problem],
      calls: [],
    });
  });

  test('reads equal ones once', async () => {
    const notificationGuids = guids(100).map(() => 'guid-7');
    const { errors, calls } = await executeAndRecord(
      strict,
      through('notificationsByGuid', { notificationGuids }),
    );
    expect([errors, calls]).toEqual([undefined, reads(['guid-7'])]);
  });
});

const read = (name: string) => `${name}: notification(notificationGuid: "${name}") { notificationGuid }`;
const readAll = (...names: string[]) => names.map(read).join(' ');
const several = (value: string) => `notificationsByGuid(notificationGuids: ${value}) { notificationGuid }`;

describe('the REST calls of an operation are counted before any is made:', () => {
  test.each<[what: string, operation: Operation, names: string[]]>([
    ['aliases', { query: `{ ${readAll('a', 'b', 'c')} }` }, ['a', 'b', 'c']],
    ['no __typename', { query: `{ ${readAll('a', 'b', 'c')} __typename }` }, ['a', 'b', 'c']],
    ['none', { query: `{ ${several('[]')} }` }, []],
    [
      'what is included and not skipped',
      {
        query: `query ($yes: Boolean!, $no: Boolean!) { ${read('a')} ... @include(if: $no) { ${readAll('b', 'c', 'd')} } ...Others @skip(if: $yes) ... @skip(if: true) { ${read('h')} } } fragment Others on Query { ${readAll('e', 'f', 'g')} }`,
        variables: { yes: true, no: false },
      },
      ['a'],
    ],
    [
      'by the default value of a condition',
      {
        query: `query ($no: Boolean = false) { ${read('a')} ... @include(if: $no) { ${readAll('b', 'c', 'd')} } }`,
      },
      ['a'],
    ],
    [
      'by the value that goes before a default value',
      {
        query: `query ($guids: [ID!]! = ["a", "b", "c", "d"]) { ${several('$guids')} }`,
        variables: { guids: ['e'] },
      },
      ['e'],
    ],
    [
      'a single value as a list',
      { query: `query ($guids: [ID!]!) { ${several('$guids')} }`, variables: { guids: 'abcd' } },
      ['abcd'],
    ],
  ])('few, with %s', async (_what, operation, names) => {
    const { errors, calls } = await executeAndRecord(strict, operation);
    expect([errors, calls.sort()]).toEqual([undefined, reads(names)]);
  });

  test.each<[what: string, operation: Operation, cost: number]>([
    ['aliases', { query: `{ ${readAll('a', 'b', 'c', 'd')} }` }, 4],
    ['aliases and a list', { query: `{ ${readAll('a', 'b')} ${several('["c", "d", "c"]')} }` }, 4],
    [
      'fragments within fragments',
      {
        query: `{ ...All } fragment All on Query { ${read('a')} ...Others ... { ${read('b')} } } fragment Others on Query { ... on Query { ${readAll('c', 'd')} } }`,
      },
      4,
    ],
    [
      'what is included and not skipped',
      {
        query: `query ($yes: Boolean!, $no: Boolean = false) { ... @include(if: $yes) { ${readAll('a', 'b')} } ... @skip(if: $no) { ${readAll('c', 'd')} } }`,
        variables: { yes: true },
      },
      4,
    ],
    [
      'a default value',
      { query: `query ($guids: [ID!]! = ["a", "b", "c", "d"]) { ${several('$guids')} }` },
      4,
    ],
    [
      'variables in a list',
      {
        query: `query ($a: ID!, $b: ID!) { ${several('[$a, $b, "c", "d"]')} }`,
        variables: { a: 'a', b: 'b' },
      },
      4,
    ],
    ['a list of the service', { query: `{ ${readAll('a', 'b', 'c')} notifications { messages } }` }, 4],
  ])('too many, with %s', async (_what, operation, cost) => {
    expect(await executeAndRecord(strict, operation)).toEqual(tooComplex(3, cost));
  });

  test('too many changes are none', async () => {
    const deletions = ['a', 'b', 'c', 'd'].map(
      (name) => `${name}: deleteNotification(notificationGuid: "${name}") { messages }`,
    );
    expect(await executeAndRecord(strict, { query: `mutation { ${deletions.join(' ')} }` })).toEqual(
      tooComplex(3, 4, { outcome: 'NOT_APPLIED' }),
    );
  });

  test('a field is one however many fragments lead to it', async () => {
    const fragments = Array.from(
      { length: 12 },
      (_, index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`,
    );
    const query = `{ ...F0 } ${fragments.join(' ')} fragment F12 on Query { notification(notificationGuid: "a") { notificationGuid } }`;
    const { errors, calls } = await executeAndRecord(strict, { query });
    expect([errors, calls]).toEqual([undefined, reads(['a'])]);
  });
});
