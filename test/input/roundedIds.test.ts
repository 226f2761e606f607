/** JSON rounds integers beyond 2^53: a number that is no exact ID must name nothing, least of all another notification. */
import { describe, expect, test } from 'vitest';
import { useGateway, TOKEN } from '../support/gateway/gateway.js';
import { untilCompiled } from '../support/execution/compiler.js';
import { bulkOperation } from '../support/graphql/bulkFields.js';
import { asVariables, guidFields, withInvalidValue, type Operation } from '../support/graphql/rootFields.js';
import { post } from '../support/http/post.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const gateway = useGateway({ env: { SUBGRAPH_TOKEN } });
/** As a client writes them in JSON, and as messages show them. */
const rounded = [
  ['12345678901234567891', '12345678901234567000'],
  ['9007199254740993', '9007199254740992'],
  ['-9007199254740993', '-9007199254740992'],
  ['1e21', '1e+21'],
  ['-0', '0'],
] as const;
const PLACEHOLDER = 'the number';

/** Sends an operation with a number as it is written in place of the placeholder. */
async function send(operation: Operation, written: string, headers: Record<string, string> = {}) {
  gateway.takeCalls();
  const body = JSON.stringify(operation).replaceAll(`"${PLACEHOLDER}"`, written);
  expect(body).toContain(written);
  const { data, errors = [] } = await post(gateway.url, body, { headers });
  const calls = gateway.takeCalls().map(({ method, path }) => `${method} ${path}`);
  return { data, calls, errors: errors.map(({ message, extensions }) => ({ message, ...extensions })) };
}

const rejection = (inputPath: string, shown: string) => ({
  code: 'BAD_USER_INPUT',
  rule: 'TYPE',
  inputPath: inputPath.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  message: `ID expected a string, or an integer of at most 9007199254740991, got ${shown}`,
});

const places = [
  ...guidFields.map(([field, place]) => [field, place] as const),
  ['deleteException', 'input.target.exceptionGuid'] as const,
];
describe.each(places)('%s', (field, place) => {
  const operation = asVariables(field, withInvalidValue(field, place, PLACEHOLDER));

  test.each(rounded)('rejects %s before any REST call', async (written, shown) => {
    expect(await send(operation, written)).toMatchObject({
      data: undefined,
      calls: [],
      errors: [rejection(place.replace('[0]', '.0'), shown)],
    });
  });

  test('takes an integer that JSON has not rounded', async () => {
    const { calls } = await send(operation, '9007199254740991');
    expect(calls.length).toBeGreaterThan(0);
  });
});

test.each(rounded)('an item of a list with %s is rejected, and no other is sent', async (written, shown) => {
  const items = [{ notificationGuid: 'a' }, { notificationGuid: PLACEHOLDER }];
  expect(await send(bulkOperation('deleteNotifications', items), written)).toMatchObject({
    data: undefined,
    calls: [],
    errors: [rejection('items.1.notificationGuid', shown)],
  });
});

test('a compiled operation rejects it, too', async () => {
  const query = 'query ($guid: ID!) { notification(notificationGuid: $guid) { notificationGuid } }';
  await untilCompiled(() => gateway.execute(query, { variables: { guid: 'a' } }));
  expect(await send({ query, variables: { guid: PLACEHOLDER } }, '12345678901234567891')).toMatchObject({
    data: undefined,
    calls: [],
    errors: [rejection('notificationGuid', '12345678901234567000')],
  });
  expect((await send({ query, variables: { guid: PLACEHOLDER } }, '123')).calls).toEqual([
    'GET /v1/customnotifications/123',
  ]);
});

test('a literal is exact, as its text is kept', async () => {
  const query = '{ notification(notificationGuid: 12345678901234567891) { notificationGuid } }';
  expect((await send({ query }, '12345678901234567891')).calls).toEqual([
    'GET /v1/customnotifications/12345678901234567891',
  ]);
});

test.each(rounded)('a representation of a router with %s is rejected', async (written) => {
  const query =
    'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }';
  const variables = { representations: [{ __typename: 'Notification', notificationGuid: PLACEHOLDER }] };
  const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN, authorization: `Bearer ${TOKEN}` };
  expect(await send({ query, variables }, written, headers)).toMatchObject({
    data: { _entities: [null] },
    calls: [],
    errors: [{ code: 'BAD_USER_INPUT', message: 'expected a string, got a number' }],
  });
});
