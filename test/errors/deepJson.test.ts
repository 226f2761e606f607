/** JSON that JavaScript can parse, but not write: it is nested deeper than the stack allows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, TOKEN, type GraphQLResponse, type TestGateway } from '../support/gateway/gateway.js';
import { SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';

const DEEP = '['.repeat(20_000) + ']'.repeat(20_000);
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

test('as input it is bad input', async () => {
  const { errors } = await post(`{ "filters": ${DEEP} }`);
  expect(errors?.map(({ extensions }) => extensions)).toEqual([
    expect.objectContaining({ code: 'BAD_USER_INPUT', outcome: 'NOT_APPLIED' }),
  ]);
  expect(gateway.takeCalls()).toEqual([]);
});

test('in the messages of a refusal it leaves the refusal what it is', async () => {
  gateway.injectFaults({ status: 422, body: `{ "messages": ${DEEP} }` });
  const { errors } = await post('{}');
  expect(errors?.map(({ extensions }) => extensions)).toEqual([
    expect.objectContaining({ code: 'SERVICE_REJECTED', outcome: 'NOT_APPLIED', status: 422 }),
  ]);
});

test('in an answer it is an error like any other', async () => {
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
  expect(errors?.map(({ extensions }) => extensions)).toEqual([
    expect.objectContaining({ outcome: 'UNKNOWN', retryable: false, requestId: 'order-7' }),
  ]);
  expect(gateway.logLines).toMatchObject([
    { msg: 'REST call', error: 'InvalidResponseError' },
    { requestId: 'order-7', msg: 'Upstream response violates the contract' },
    { requestId: 'order-7', msg: 'Request', errorCodes: ['SERVICE_RESPONSE_INVALID'] },
  ]);
});

/** Creates a notification, whose definition has some JSON text merged into it. */
async function post(
  more: string,
  selection = '{ messages }',
): Promise<Pick<GraphQLResponse, 'data' | 'errors'>> {
  const operation = asVariables('createNotification', validArguments('createNotification'));
  const { query, variables } = { ...operation, query: operation.query.replace('{ messages }', selection) };
  const input = JSON.stringify(variables?.['input']).replace(
    /}$/,
    more.replace(/^{/, ',').replace(/^, *}$/, '}'),
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
