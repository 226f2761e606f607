/** JSON that JSON.parse accepts and JSON.stringify does not: it is nested deeper than the stack allows. */
import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { post, type GraphQLResponse, type GraphQLResponseError } from '../support/http/post.js';
import { ENGINE_MESSAGE } from '../support/http/engineMessage.js';
import {
  asVariables,
  isMutation,
  SEED_GUID,
  validArguments,
  withInvalidValue,
  type FieldName,
} from '../support/graphql/rootFields.js';
import { violation } from '../support/graphql/violations.js';

const DEEP = '['.repeat(20_000) + ']'.repeat(20_000);
const gateway = useGateway({ readsBack: false });

const LEVELS = 'expected JSON nested at most 100 levels deep, with finite numbers and without enums';
const EMAILS = 'input.recipient.shipmentLevel.emailList';

describe('A deeply nested value is rejected the same way in every request of an operation', () => {
  const quoted = `${'['.repeat(100)}…`;
  /** As graphql-js shows a value. */
  const shown = '[[[Array]]]';

  test.each<[field: FieldName, place: string, message: string]>([
    ['notification', 'notificationGuid', `ID cannot represent value: ${shown}`],
    ['notificationsByGuid', 'notificationGuids[0]', `ID cannot represent value: ${shown}`],
    ['notifications', 'additionalParameters.a', LEVELS],
    ['createNotification', 'input.notificationName', `String cannot represent a non string value: ${shown}`],
    [
      'createNotification',
      `input.recipient.stopLevel.notifyStopContactsBySms`,
      `Boolean cannot represent a non boolean value: ${shown}`,
    ],
    ['createNotification', `${EMAILS}[0]`, `Expected a string, got ${quoted}`],
    [
      'createNotification',
      'input.trigger.shipmentStatusChange[0]',
      `Enum "ShipmentStatus" cannot represent non-string value: ${shown}.`,
    ],
    ['createNotification', 'input.filters[0]', LEVELS],
    ['trackShipment', 'input.driverPhoneNumber', `Expected a string, got ${quoted}`],
    ['deleteException', 'input.additionalParameters.a', LEVELS],
    ['notifications', 'additionalParameters', `Expected an object, got ${quoted}`],
    ['createNotification', 'input', 'Expected type "NotificationInput" to be an object.'],
  ])('%s with %s', async (field, place, message) => {
    const parent = place.replace(/(\.a|\[0\])$/, '');
    const value = place.endsWith('.a') ? { a: 'deep' } : place.endsWith('[0]') ? ['deep'] : 'deep';
    const operation = asVariables(field, withInvalidValue(field, parent, value));
    const body = JSON.stringify(operation).replace('"deep"', DEEP);
    // The first request goes through Apollo Server, the next ones past it, and those of a hot operation to the compiler.
    const requests = field === 'deleteException' ? 25 : 2;
    for (let request = 0; request < requests; request += 1) {
      const { status, errors } = await send(body);
      expect({
        status: status < 500,
        errors: errors?.map(({ message, extensions }) => [message, extensions]),
      }).toEqual({
        status: true,
        errors: [
          [
            message,
            {
              code: 'BAD_USER_INPUT',
              ...(status === 422 && { field }),
              ...violation(place, message),
              ...(isMutation(field) && { outcome: 'NOT_APPLIED' }),
              retryable: false,
              requestId: 'order-7',
            },
          ],
        ],
      });
    }
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('as a variable that no operation defines, which is ignored', async () => {
    const { status, data } = await send(`{ "query": "{ __typename }", "variables": { "a": ${DEEP} } }`);
    expect([status, data]).toEqual([200, { __typename: 'Query' }]);
  });

  test.each(['query', 'operationName', 'variables', 'extensions', 'id'])(
    'as the parameter %s',
    async (name) => {
      const { status, errors = [] } = await send(`{ "query": "{ a }", "${name}": ${DEEP} }`);
      expect(status).toBe(422);
      expect(errors.map(({ message }) => message).filter((message) => ENGINE_MESSAGE.test(message))).toEqual(
        [],
      );
    },
  );
});

test.each([
  ['no function to convert it to a string', '{ "toString": 1, "valueOf": 1 }'],
  ['a key named toJSON', '{ "toJSON": "x" }'],
  ['a key named constructor', '{ "constructor": { "name": "x" } }'],
])('describes an invalid value that has %s', async (_what, object) => {
  const { query } = asVariables('notifications', {});
  const { errors } = await send(
    `{ "query": "${query}", "variables": { "additionalParameters": [${object}] } }`,
  );
  const json = JSON.stringify(JSON.parse(object));
  expect(errors?.map(({ message }) => message)).toEqual([`Expected an object, got [${json}]`]);
});

describe('With a higher limit on tokens', () => {
  const lenient = useGateway({ readsBack: false, config: { graphql: { maxTokens: 1_000_000 } } });

  test.each([
    ['fields', `${'{a'.repeat(60_000)}${'}'.repeat(60_000)}`],
    ['list literals', `{ a(b: ${'['.repeat(60_000)}${']'.repeat(60_000)}) }`],
    ['object literals', `{ a(b: ${'{c:'.repeat(40_000)}1${'}'.repeat(40_000)}) }`],
    ['types', `query ($a: ${'['.repeat(60_000)}ID${']'.repeat(60_000)}) { a }`],
    ['fields that are never closed', '{a'.repeat(60_000)],
  ])('a document of deeply nested %s is too complex', async (_what, query) => {
    const { status, errors } = await send(JSON.stringify({ query }), lenient.url);
    expect({
      status,
      errors: errors?.map(({ message, extensions }) => [message, extensions['code']]),
    }).toEqual({
      status: 422,
      errors: [['Expected a less deeply nested document', 'QUERY_TOO_COMPLEX']],
    });
  });
});

test.each(['1e400', '-1e400', `[{ "a": 1e400 }]`, `[${'['.repeat(98)}1e400${']'.repeat(98)}]`])(
  'expects finite numbers in the filter %s',
  async (filter) => {
    const { errors } = await create(`{ "filters": [${filter}] }`);
    expect(errors?.map(withoutLocations)).toEqual([
      {
        message: LEVELS,
        path: ['createNotification'],
        extensions: {
          code: 'BAD_USER_INPUT',
          inputPath: ['input', 'filters', 0],
          rule: 'JSON',
          limit: 100,
          outcome: 'NOT_APPLIED',
          retryable: false,
          requestId: 'order-7',
        },
      },
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  },
);

test('keeps the error code of a rejection with deeply nested messages', async () => {
  gateway.injectFaults({ status: 422, body: `{ "messages": ${DEEP} }` });
  const { errors } = await create('{}');
  expect(errors?.map(withoutLocations)).toEqual([
    {
      message: 'The service rejected the request',
      path: ['createNotification'],
      extensions: {
        code: 'SERVICE_REJECTED',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 422,
        requestId: 'order-7',
      },
    },
  ]);
});

test.each([
  ['a deeply nested response', DEEP],
  ['a response with a number that is too large', '1e400'],
])('has null and SERVICE_RESPONSE_INVALID for the metadata of %s', async (_what, value) => {
  const problem = 'expected JSON nested at most 100 levels deep, with finite numbers';
  const record = {
    notificationGuid: SEED_GUID,
    notificationName: 'Dock team',
    notificationRecipientType: 'other',
    notificationTypeLabel: 'other',
    notificationTypes: [],
    notificationMetaData: 'here',
  };
  const body = JSON.stringify({ data: [record], messages: [] }).replace('"here"', value);
  gateway.logLines.length = 0;
  const read = `query { notification(notificationGuid: "${SEED_GUID}") { notificationGuid notificationMetaData } }`;
  gateway.injectFaults({ body });
  const { data, errors } = await send(JSON.stringify({ query: read }));
  expect(data).toEqual({ notification: { notificationGuid: SEED_GUID, notificationMetaData: null } });
  expect(errors?.map(withoutLocations)).toEqual([
    {
      message: `The response does not match the contract: /notificationMetaData: ${problem}`,
      path: ['notification', 'notificationMetaData'],
      extensions: { code: 'SERVICE_RESPONSE_INVALID', retryable: false, requestId: 'order-7' },
    },
  ]);
  expect(gateway.logLines).toMatchObject([
    { msg: 'REST call', error: 'InvalidResponseError' },
    { requestId: 'order-7', msg: 'Upstream response violates the contract' },
    { requestId: 'order-7', msg: 'Request', errorCodes: ['SERVICE_RESPONSE_INVALID'] },
  ]);
});

function withoutLocations({ message, path, extensions }: GraphQLResponseError) {
  return { message, path, extensions };
}

/** Creates a notification from the valid input extended by the members of a JSON object. */
async function create(members: string): Promise<Pick<GraphQLResponse, 'data' | 'errors'>> {
  const { query, variables } = asVariables('createNotification', validArguments('createNotification'));
  const input = JSON.stringify(variables?.['input']).replace(
    /}$/,
    members.replace(/^{/, ',').replace(/^, *}$/, '}'),
  );
  return send(`{ "query": ${JSON.stringify(query)}, "variables": { "input": ${input} } }`);
}

async function send(body: string, url = gateway.url) {
  const { status, headers, data, errors } = await post(url, body, { headers: { 'x-request-id': 'order-7' } });
  return { status, headers, data, errors };
}
