import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSeeds } from '../../src/reference-service/seeds.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { NOTIFICATION_FIELDS } from '../support/graphql/documents.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { startGateway, TOKEN, type GraphQLResponse, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN };
const ENTITIES = `query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ... on Notification { ${NOTIFICATION_FIELDS} } } }`;

const unknown = '00000000-0000-4000-8000-000000000000';
const seeds = readSeeds().notifications.slice(0, 4);
const guids = seeds.map(({ notificationGuid }) => notificationGuid);
const [one, two, three, four] = seeds.map((seed) => ({
  __typename: 'Notification',
  ...expectedNotification(seed),
}));
const [guidOne = '', guidTwo = '', guidThree = '', guidFour = ''] = guids;
const refer = (notificationGuid: unknown) => ({ __typename: 'Notification', notificationGuid });
const readOf = (guid: string) => restCall('GET', `/v1/customnotifications/${guid}`);

let gateway: TestGateway;
let strict: TestGateway;
beforeAll(async () => {
  // One connection, so that the calls arrive in the order in which they are made.
  const env = { SUBGRAPH_TOKEN, SERVICE_CONNECTIONS: '1', SERVICE_RETRIES: '0' };
  gateway = await startGateway({ env });
  strict = await startGateway({ env: { SUBGRAPH_TOKEN, MAX_REST_CALLS: '3' } });
});
afterAll(async () => {
  await gateway.stop();
  await strict.stop();
});

test('Entities come in the order asked for, with null for each that the service does not have', async () => {
  const representations = [guidThree, unknown, guidOne, guidFour, guidTwo].map(refer);
  expect(await gateway.data(ENTITIES, { variables: { representations }, headers })).toEqual({
    _entities: [three, null, one, four, two],
  });
  expect(summariesOf(gateway.takeCalls())).toEqual(
    [guidThree, unknown, guidOne, guidFour, guidTwo].map(readOf),
  );
});

test('Equal ones are read once, wherever they stand in the operation', async () => {
  const document =
    'query ($representations: [_Any!]!, $guid: ID!) { _entities(representations: $representations) { ... on Notification { notificationGuid } } notification(notificationGuid: $guid) { notificationGuid } }';
  const variables = { representations: [guidOne, guidTwo, guidOne].map(refer), guid: guidTwo };
  expect(await gateway.data(document, { variables, headers })).toEqual({
    _entities: [guidOne, guidTwo, guidOne].map((notificationGuid) => ({ notificationGuid })),
    notification: { notificationGuid: guidTwo },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([guidOne, guidTwo].map(readOf));
});

test('Ones that fail leave the others, and each has an error with its place', async () => {
  gateway.injectFaults({ delayMs: 0 }, { status: 500 }, { delayMs: 0 }, { status: 403 });
  const variables = { representations: guids.map(refer) };
  const { data, errors } = await gateway.execute(ENTITIES, { variables, headers });
  expect({ data, errors }).toEqual({
    data: { _entities: [one, null, three, null] },
    errors: [
      fieldError(ENTITIES, ['_entities', 1], serviceErrorMessages.failed, {
        code: 'SERVICE_ERROR',
        retryable: true,
        status: 500,
      }),
      fieldError(ENTITIES, ['_entities', 3], serviceErrorMessages.forbidden, {
        code: 'FORBIDDEN',
        retryable: false,
        status: 403,
      }),
    ],
  });
  expect(summariesOf(gateway.takeCalls())).toEqual(guids.map(readOf));
});

test('Representations that break rules have an error for each of them, and leave the others', async () => {
  const representations = [
    refer(guidOne),
    { __typename: 'Load', notificationGuid: guidTwo },
    { notificationGuid: guidTwo },
    { __typename: 'Notification' },
    { __typename: 'Trailer' },
    refer(7),
    refer('..'),
    'Notification',
    [refer(guidTwo)],
  ];
  const problems: [index: number, member: string, message: string][] = [
    [1, '.__typename', 'expected "Notification", got "Load"'],
    [2, '.__typename', 'Invalid input: expected string, received undefined'],
    [3, '.notificationGuid', 'Invalid input: expected string, received undefined'],
    [4, '.__typename', 'expected "Notification", got "Trailer"'],
    [4, '.notificationGuid', 'Invalid input: expected string, received undefined'],
    [5, '.notificationGuid', 'Invalid input: expected string, received number'],
    [6, '.notificationGuid', 'expected an identifier that is not a dot segment, got ".."'],
    [7, '', 'Invalid input: expected object, received string'],
    [8, '', 'Invalid input: expected object, received array'],
  ];
  const answer = await executeAndRecord(
    gateway,
    { query: ENTITIES, variables: { representations } },
    { headers },
  );
  const inOrder = answer.errors?.toSorted((a, b) => Number(a.path?.[1]) - Number(b.path?.[1]));
  expect({ ...answer, errors: inOrder }).toEqual({
    status: 200,
    data: { _entities: [one, ...Array<null>(8).fill(null)] },
    errors: problems.map(([index, member, message]) => {
      const inputPath = `representations[${index}]${member}`;
      return {
        message: `${inputPath}: ${message}`,
        path: ['_entities', index],
        extensions: { code: 'BAD_USER_INPUT', inputPath, retryable: false },
      };
    }),
    calls: [`GET /v1/customnotifications/${guidOne}`],
  });
});

test('One that is nested deeper than JavaScript can write it is a broken rule like any other', async () => {
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const variables = { representations: [refer('DEEP'), refer(guidOne)] };
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ query: ENTITIES, variables }).replace('"DEEP"', deep),
  });
  const { data, errors } = (await response.json()) as GraphQLResponse;
  expect({ data, messages: errors?.map(({ message }) => message) }).toEqual({
    data: { _entities: [null, one] },
    messages: ['representations[0].notificationGuid: Invalid input: expected string, received array'],
  });
  gateway.takeCalls();
});

test('A representation that is null fails the operation', async () => {
  const variables = { representations: [refer(guidOne), null] };
  expect(await executeAndRecord(gateway, { query: ENTITIES, variables }, { headers })).toEqual({
    status: 400,
    data: undefined,
    errors: [
      {
        message: 'representations[1]: Expected non-nullable type "_Any!" not to be null.',
        extensions: { code: 'BAD_USER_INPUT', inputPath: 'representations[1]', retryable: false },
      },
    ],
    calls: [],
  });
});

test('Without a bearer token, no call is made', async () => {
  const variables = { representations: [refer(guidOne)] };
  const { data, errors } = await gateway.execute(ENTITIES, { variables, headers, token: null });
  expect({ data, errors }).toEqual({
    data: { _entities: [null] },
    errors: [
      fieldError(ENTITIES, ['_entities', 0], serviceErrorMessages.noToken, {
        code: 'UNAUTHENTICATED',
        retryable: false,
      }),
    ],
  });
  expect(gateway.takeCalls()).toEqual([]);
});

test.each<[what: string, query: string, guids: string[]]>([
  ['a list', '{ _entities(representations: [A, B, C, A]) { __typename } }', ['a', 'b', 'c']],
  ['a single one', '{ _entities(representations: A) { __typename } }', ['a']],
  ['none', '{ _entities(representations: []) { __typename } }', []],
  [
    'the SDL besides',
    '{ _entities(representations: [A, B, C]) { __typename } _sdl _service { sdl } }',
    ['a', 'b', 'c'],
  ],
])('Few enough REST calls are made: %s', async (_what, query, names) => {
  const { errors, calls } = await executeAndRecord(strict, { query: withNotifications(query) }, { headers });
  expect([errors, calls.sort()]).toEqual([
    undefined,
    names.map((name) => `GET /v1/customnotifications/${name}`),
  ]);
});

test.each([
  ['a list', '{ _entities(representations: [A, B, C, D]) { __typename } }'],
  ['several fields', '{ _entities(representations: [A, B, C]) { __typename } notifications { messages } }'],
])('Too many REST calls are refused before the first: %s', async (_what, query) => {
  expect(await executeAndRecord(strict, { query: withNotifications(query) }, { headers })).toEqual({
    status: 400,
    data: undefined,
    errors: [
      {
        message: 'Expected an operation of at most 3 REST calls, got one of 4',
        extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false },
      },
    ],
    calls: [],
  });
});

/** Letters stand for representations of notifications of that name. */
function withNotifications(query: string): string {
  return query.replaceAll(
    /\b[A-D]\b/g,
    (letter) => `{ __typename: "Notification", notificationGuid: "${letter.toLowerCase()}" }`,
  );
}
