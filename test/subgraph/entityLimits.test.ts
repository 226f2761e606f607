/** Requests with the subgraph token have limits of their own on what they read at once. */
import { describe, expect, test } from 'vitest';
import { readNotifications } from '../../src/mock/notifications.js';
import { startGateway, useGateway } from '../support/gateway/gateway.js';
import type { GraphQLResponse } from '../support/http/post.js';
import { forTest } from '../support/tools/useStarted.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN };
const [first, second] = readNotifications().map(({ notificationGuid }) => notificationGuid);
const unknownGuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
/** The first and the last one exist. */
const page = (length: number) =>
  Array.from({ length }, (_, index) =>
    index === 0 ? first : index === length - 1 ? second : unknownGuid(index),
  ) as string[];

const ENTITIES = `query ($all: [_Any!]!) { _entities(representations: $all) { ... on Notification { notificationGuid } } }`;
const BY_GUID = 'query ($all: [ID!]!) { notificationsByGuid(notificationGuids: $all) { notificationGuid } }';
const representations = (guids: readonly string[]) =>
  guids.map((notificationGuid) => ({ __typename: 'Notification', notificationGuid }));
/** Each way to read a list: its field, its document and its variables. */
const lists = [
  ['_entities', ENTITIES, (guids: readonly string[]) => ({ all: representations(guids) })],
  ['notificationsByGuid', BY_GUID, (guids: readonly string[]) => ({ all: guids })],
] as const;

const gateway = useGateway({ env: { SUBGRAPH_TOKEN }, config: { service: { retries: 0 } } });
/** Reads at most 5 notifications, and makes at most 3 other REST calls. */
const small = useGateway({
  env: { SUBGRAPH_TOKEN },
  config: { graphql: { maxRestCalls: 3 }, subgraph: { maxEntities: 5 } },
});

/** The elements of the only root field. */
function elementsOf({ data }: Pick<GraphQLResponse, 'data'>): unknown[] {
  return Object.values(data as Record<string, unknown[]>).flat();
}

const codeAndPath = ({ errors = [] }: Pick<GraphQLResponse, 'errors'>) =>
  errors.map(({ path, extensions }) => [extensions['code'], path?.join('.')]);

describe.each(lists)('%s', (field, query, variablesOf) => {
  const COUNT = field === '_entities' ? 1000 : 200; // both count in one place
  test(`reads ${COUNT} notifications for a router with the default limits, each of them once`, async () => {
    const guids = page(COUNT);
    guids.push(...guids.slice(-1));
    const response = await gateway.execute(query, { variables: variablesOf(guids), headers });
    expect([response.status, response.errors]).toEqual([200, undefined]);
    const elements = elementsOf(response);
    expect([elements.length, elements[0], elements.at(-1)]).toEqual([
      COUNT + 1,
      { notificationGuid: first },
      { notificationGuid: second },
    ]);
    expect(new Set(gateway.takeCalls().map(({ path }) => path)).size).toBe(COUNT);
  });

  test('returns what is within the limit, with an error for each element beyond', async () => {
    const guids = [...page(5), unknownGuid(6), unknownGuid(7)];
    const response = await small.execute(query, { variables: variablesOf(guids), headers });
    expect(response.status).toBe(200);
    expect(elementsOf(response)).toEqual([
      { notificationGuid: first },
      null,
      null,
      null,
      { notificationGuid: second },
      null,
      null,
    ]);
    expect(response.errors).toEqual(
      [5, 6].map((index): unknown =>
        expect.objectContaining({
          message: 'Expected at most 5 notifications, got more',
          path: [field, index],
          extensions: {
            code: 'QUERY_TOO_COMPLEX',
            retryable: false,
            requestId: expect.any(String) as string,
          },
        }),
      ),
    );
    expect(small.takeCalls().length).toBe(5);
  });

  test('counts equal identifiers once', async () => {
    const guids = [...page(5), ...page(5)];
    const response = await small.execute(query, { variables: variablesOf(guids), headers });
    expect([response.errors, elementsOf(response)[9]]).toEqual([undefined, { notificationGuid: second }]);
    expect(small.takeCalls().length).toBe(5);
  });

  test('has an error for each of 150 elements if the service rejects all reads', async () => {
    gateway.injectFaults(...Array.from({ length: 150 }, () => ({ status: 403 })));
    const response = await gateway.execute(query, { variables: variablesOf(page(150)), headers });
    expect(elementsOf(response)).toEqual(Array(150).fill(null));
    expect(new Set(response.errors?.map(({ path }) => path?.join('.'))).size).toBe(150);
    expect(response.extensions).toBe(undefined);
    gateway.takeCalls();
  });
});

test('the limit applies to the fields of an operation together, also those that read one notification each', async () => {
  const query = `query ($some: [ID!]!) {
    notificationsByGuid(notificationGuids: $some) { notificationGuid }
    a: notification(notificationGuid: "a") { notificationGuid }
    b: notification(notificationGuid: "b") { notificationGuid }
    again: notification(notificationGuid: "${first ?? ''}") { notificationGuid }
  }`;
  const response = await small.execute(query, { variables: { some: page(4) }, headers });
  expect(response.data).toEqual({
    notificationsByGuid: [{ notificationGuid: first }, null, null, { notificationGuid: second }],
    a: null,
    b: null,
    again: { notificationGuid: first },
  });
  expect(codeAndPath(response)).toEqual([['QUERY_TOO_COMPLEX', 'b']]);
  expect(small.takeCalls().length).toBe(5);
});

test('reads 200 notifications by as many aliases, each with a variable, a condition and an alias within', async () => {
  const guids = page(200);
  const variables = { on: true, ...Object.fromEntries(guids.map((guid, index) => [`g${index}`, guid])) };
  const query = `query (${guids.map((_guid, index) => `$g${index}: ID!`).join(' ')} $on: Boolean!) { ${guids
    .map(
      (_guid, index) =>
        `a${index}: notification(notificationGuid: $g${index}) @include(if: $on) { id: notificationGuid }`,
    )
    .join(' ')} }`;
  const { data, errors } = await gateway.execute(query, { variables, headers });
  expect([errors, (data as Record<string, unknown>)['a199']]).toEqual([undefined, { id: second }]);
  expect(gateway.takeCalls().length).toBe(200);
});

test('a router gets the first error of each field, and one more that says how many were left out', async () => {
  let next = 0;
  const newGuids = (count: number) => Array.from({ length: count }, () => unknownGuid((next += 1)));
  const variables = { one: newGuids(45), two: newGuids(80), three: newGuids(40), four: newGuids(1) };
  const names = Object.keys(variables);
  const query = `query (${names.map((name) => `$${name}: [ID!]!`).join(' ')}) { ${names
    .map((name) => `${name}: notificationsByGuid(notificationGuids: $${name}) { notificationGuid }`)
    .join(' ')} }`;
  const { errors = [] } = await small.execute(query, { variables, headers });
  const countOf = (name: string) =>
    errors.filter(({ path }) => path?.[0] === name && path.length === 2).length;
  // The first five are read; each field has its first error before one has its second.
  expect(names.map(countOf)).toEqual([40, 58, 1, 1]);
  expect(errors.slice(100).map(({ message }) => message)).toEqual([
    'Expected at most 100 errors, got 61 more',
  ]);
  expect(small.takeCalls().length).toBe(5);
});

test('a router gets the first error of each write', async () => {
  const config = { graphql: { maxMutationFields: 150, maxRestCalls: 150 }, subgraph: { maxEntities: 50 } };
  const writes = await forTest(startGateway({ env: { SUBGRAPH_TOKEN }, config }));
  const aliases = Array.from({ length: 110 }, (_, index) => `write${index}`);
  writes.injectFault({ status: 403 });
  const { errors = [] } = await writes.execute(
    `mutation { ${aliases.map((alias) => `${alias}: deleteNotification(notificationGuid: "${alias}") { messages }`).join(' ')} }`,
    { headers },
  );
  expect(errors.map(({ path, extensions }) => [path?.[0], extensions['outcome']])).toEqual(
    aliases.map((alias) => [alias, 'NOT_APPLIED']),
  );
});

describe('the token raises no limit on', () => {
  test('other REST calls', async () => {
    const query = `query ($all: [_Any!]!) {
      _entities(representations: $all) { __typename }
      ${['a', 'b', 'c', 'd'].map((alias) => `${alias}: notifications { messages }`).join(' ')}
    }`;
    const { errors } = await small.execute(query, { variables: { all: representations(page(5)) }, headers });
    expect(errors?.map(({ message }) => message)).toEqual(['Expected at most 3 REST calls, got 4']);
    expect(small.takeCalls()).toEqual([]);
  });

  test.each<[input: string, query: string, variables: Record<string, unknown>]>([
    [
      'the parameters of a query',
      'query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }',
      { p: { list: Array(1000).fill(1) } },
    ],
    [
      'the lists of a mutation',
      'mutation ($i: UpdateNotificationInput!) { updateNotification(notificationGuid: "a", input: $i) { notificationGuid } }',
      { i: { filters: Array(1001).fill(1) } },
    ],
  ])('%s', async (_input, query, variables) => {
    const { errors } = await gateway.execute(query, { variables, headers });
    expect(errors?.map(({ message }) => message)).toEqual([
      'Expected at most 1000 list elements and additional parameters, got more',
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  });
});
