/** What is special about `_entities`: its representations. The tests of notificationsByGuid read both kinds of lists. */
import { expect, test } from 'vitest';
import { readNotifications } from '../../src/mock/notifications.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { NOTIFICATION_FIELDS } from '../support/graphql/documents.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
import { post } from '../support/http/post.js';
import { expectedNotification } from '../support/service/expectedNotification.js';
import { violation } from '../support/graphql/violations.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN };
/** The root field is on the first line, where `fieldError` expects the locations of errors. */
const ENTITIES = `query ($representations: [_Any!]!) { _entities(representations: $representations) {
  __typename
  ... on Notification { ${NOTIFICATION_FIELDS} }
} }`;

const [seed] = readNotifications();
const guidOne = seed?.notificationGuid ?? '';
const one = seed && { __typename: 'Notification', ...expectedNotification(seed) };
const representation = (notificationGuid: unknown) => ({ __typename: 'Notification', notificationGuid });
const gateway = useGateway({ env: { SUBGRAPH_TOKEN }, config: { service: { retries: 0 } } });
const strict = useGateway({
  env: { SUBGRAPH_TOKEN },
  config: { graphql: { maxRestCalls: 3 }, subgraph: { maxEntities: 3 } },
});

test('_entities reports every violation of a representation and returns the other entities', async () => {
  const representations = [
    representation(guidOne),
    { __typename: 'Load', notificationGuid: 'other' },
    { notificationGuid: 'other' },
    { __typename: 'Notification' },
    { __typename: 'Trailer' },
    representation(7),
    representation('..'),
    'Notification',
    [representation('other')],
  ];
  const violations: [index: number, field: string, message: string][] = [
    [1, '.__typename', 'expected "Notification", got "Load"'],
    [2, '.__typename', 'expected a string, got nothing'],
    [3, '.notificationGuid', 'expected a string, got nothing'],
    [4, '.__typename', 'expected "Notification", got "Trailer"'],
    [4, '.notificationGuid', 'expected a string, got nothing'],
    [5, '.notificationGuid', 'expected a string, got a number'],
    [6, '.notificationGuid', 'expected an identifier that is not a dot segment, got ".."'],
    [7, '', 'expected an object, got a string'],
    [8, '', 'expected an object, got an array'],
  ];
  const response = await executeAndRecord(
    gateway,
    { query: ENTITIES, variables: { representations } },
    { headers },
  );
  const sortedErrors = response.errors?.toSorted((a, b) => Number(a.path?.[1]) - Number(b.path?.[1]));
  expect({ ...response, errors: sortedErrors }).toEqual({
    status: 200,
    data: { _entities: [one, ...Array<null>(8).fill(null)] },
    errors: violations.map(([index, field, message]) => {
      return {
        message,
        path: ['_entities', index],
        extensions: {
          code: 'BAD_USER_INPUT',
          ...violation(`representations[${index}]${field}`, message),
          retryable: false,
        },
      };
    }),
    calls: [`GET /v1/customnotifications/${guidOne}`],
  });
});

test('_entities rejects a representation nested too deeply to be serialized, like any other invalid one', async () => {
  const deepArray = '['.repeat(20_000) + ']'.repeat(20_000);
  const variables = { representations: [representation('DEEP'), representation(guidOne)] };
  const body = JSON.stringify({ query: ENTITIES, variables }).replace('"DEEP"', deepArray);
  const { data, errors } = await post(gateway.url, body, { headers });
  expect({ data, messages: errors?.map(({ message }) => message) }).toEqual({
    data: { _entities: [null, one] },
    messages: ['expected a string, got an array'],
  });
  gateway.takeCalls();
});

test("_entities says to which representation the service's objection belongs", async () => {
  gateway.injectFaults({ status: 400, body: '{"errors":{"notificationGuid":["It is wrong."]}}' });
  const variables = { representations: [representation(guidOne), representation('b')] };
  const { errors = [] } = await gateway.execute(ENTITIES, { variables, headers });
  expect(errors.map(({ path, extensions }) => [path, extensions['inputPath']])).toEqual([
    [
      ['_entities', 0],
      ['representations', 0, 'notificationGuid'],
    ],
  ]);
  expect(gateway.takeCalls()).toHaveLength(2);
});

test('_entities fails the operation for a null representation', async () => {
  const variables = { representations: [representation(guidOne), null] };
  expect(await executeAndRecord(gateway, { query: ENTITIES, variables }, { headers })).toEqual({
    status: 200,
    data: undefined,
    errors: [
      {
        message: 'Expected non-nullable type "_Any!" not to be null.',
        extensions: {
          code: 'BAD_USER_INPUT',
          field: '_entities',
          inputPath: ['representations', 1],
          rule: 'REQUIRED',
          retryable: false,
        },
      },
    ],
    calls: [],
  });
});

test('_entities makes no call without a bearer token', async () => {
  const variables = { representations: [representation(guidOne)] };
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

test('a representation without an identifier counts as no REST call', async () => {
  const representations = [...['a', 'b', 'c'].map(representation), { __typename: 'Notification' }];
  const operation = { query: ENTITIES, variables: { representations } };
  const { data, calls } = await executeAndRecord(strict, operation, { headers });
  expect(data).toEqual({ _entities: [null, null, null, null] });
  expect(calls.sort()).toEqual(['a', 'b', 'c'].map((name) => `GET /v1/customnotifications/${name}`));
});
