/** JSON that JSON.parse accepts and JSON.stringify does not: it is nested deeper than the stack allows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startGateway,
  TOKEN,
  type GraphQLResponse,
  type GraphQLResponseError,
  type TestGateway,
} from '../support/gateway/gateway.js';
import { SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';

const DEEP = '['.repeat(20_000) + ']'.repeat(20_000);
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

test('rejects deeply nested input with BAD_USER_INPUT', async () => {
  const { errors } = await post(`{ "filters": ${DEEP} }`);
  expect(errors?.map(withoutLocations)).toEqual([
    {
      message: 'input.filters[0]: expected JSON nested at most 100 levels deep',
      path: ['createNotification'],
      extensions: {
        code: 'BAD_USER_INPUT',
        inputPath: 'input.filters[0]',
        outcome: 'NOT_APPLIED',
        retryable: false,
        requestId: 'order-7',
      },
    },
  ]);
  expect(gateway.takeCalls()).toEqual([]);
});

test('keeps the error code of a rejection with deeply nested messages', async () => {
  gateway.injectFaults({ status: 422, body: `{ "messages": ${DEEP} }` });
  const { errors } = await post('{}');
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

test('fails with SERVICE_RESPONSE_INVALID for a deeply nested response', async () => {
  const record = {
    notificationGuid: SEED_GUID,
    notificationName: 'Dock team',
    notificationRecipientType: 'other',
    notificationTypeLabel: 'other',
    notificationTypes: [],
    notificationMetaData: 'here',
  };
  const body = JSON.stringify({ data: [record], messages: [] }).replace('"here"', DEEP);
  gateway.injectFaults({ body });
  gateway.logLines.length = 0;
  const { errors } = await post('{}', '{ notification { notificationMetaData } }');
  expect(errors?.map(withoutLocations)).toEqual([
    {
      message:
        'The response does not match the contract: /data/0/notificationMetaData: expected JSON nested at most 100 levels deep',
      path: ['createNotification'],
      extensions: {
        code: 'SERVICE_RESPONSE_INVALID',
        outcome: 'UNKNOWN',
        retryable: false,
        status: 200,
        requestId: 'order-7',
      },
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
async function post(
  members: string,
  selection = '{ messages }',
): Promise<Pick<GraphQLResponse, 'data' | 'errors'>> {
  const operation = asVariables('createNotification', validArguments('createNotification'));
  const { query, variables } = { ...operation, query: operation.query.replace('{ messages }', selection) };
  const input = JSON.stringify(variables?.['input']).replace(
    /}$/,
    members.replace(/^{/, ',').replace(/^, *}$/, '}'),
  );
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-request-id': 'order-7',
      authorization: `Bearer ${TOKEN}`,
    },
    body: `{ "query": ${JSON.stringify(query)}, "variables": { "input": ${input} } }`,
  });
  return (await response.json()) as Pick<GraphQLResponse, 'data' | 'errors'>;
}
