/** JSON that JavaScript can parse, but not write: it is nested deeper than the stack allows. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, TOKEN, type GraphQLAnswer, type TestGateway } from '../support/gateway.js';
import { SEED_GUID, soundArguments, throughVariables } from '../support/rootFields.js';

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
  gateway.interfereOnce({ status: 422, body: `{ "messages": ${DEEP} }` });
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
  gateway.interfereOnce({ body });
  gateway.logLines.length = 0;
  const { errors } = await post('{}', '{ notification { notificationMetaData } }');
  expect(errors?.map(({ extensions }) => extensions)).toEqual([
    expect.objectContaining({ outcome: 'UNKNOWN', retryable: false, requestId: 'order-7' }),
  ]);
  expect(gateway.logLines).toMatchObject([
    { msg: 'REST call', error: 'InvalidAnswerError' },
    { requestId: 'order-7', msg: 'An answer of the service breaks its contract' },
    { requestId: 'order-7', msg: 'Request', errorCodes: ['SERVICE_RESPONSE_INVALID'] },
  ]);
});

/** Creates a notification, whose definition has some JSON text merged into it. */
async function post(
  more: string,
  selection = '{ messages }',
): Promise<Pick<GraphQLAnswer, 'data' | 'errors'>> {
  const operation = throughVariables('createNotification', soundArguments('createNotification'));
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
  return (await response.json()) as Pick<GraphQLAnswer, 'data' | 'errors'>;
}
