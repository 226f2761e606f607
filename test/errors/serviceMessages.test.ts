/** What the service says about a call that it rejects, or confirms in a way that the contract does not have. */
import { expect, test, vi } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { useGateway } from '../support/gateway/gateway.js';
import { asVariables, validArguments, type FieldName } from '../support/graphql/rootFields.js';

const gateway = useGateway({
  readsBack: false,
  env: { SHIPMENT_PARAMETERS: '{"apiKey":"fixed-secret"}' },
  config: { service: { retries: 0 } },
});

async function extensionsOf(field: FieldName, fault: Fault) {
  gateway.takeCalls();
  gateway.logLines.length = 0;
  gateway.injectFaults(fault);
  const { query, variables = {} } = asVariables(field, validArguments(field));
  const { errors = [] } = await gateway.execute(query, { variables });
  return errors.map(({ extensions }) => extensions);
}

const requestId = expect.any(String) as string;

test.each<[field: FieldName, body: object]>([
  ['createNotification', { data: [], messages: ['The name is taken.'] }],
  ['trackShipment', { data: false, messages: ['The name is taken.'] }],
  ['notification', { data: [{}], messages: ['The name is taken.'] }],
  ['notification', { data: [{}], messages: 'The name is taken.' }],
])('an error of %s has the messages of a response that violates the contract', async (field, body) => {
  expect(await extensionsOf(field, { body: JSON.stringify(body) })).toEqual([
    {
      code: 'SERVICE_RESPONSE_INVALID',
      status: 200,
      retryable: false,
      ...(field !== 'notification' && { outcome: 'UNKNOWN' }),
      serviceMessages: ['The name is taken.'],
      requestId,
    },
  ]);
  expect(gateway.takeCalls()[0]).toMatchObject({ method: field === 'notification' ? 'GET' : 'POST' });
});

test.each<[body: object, serviceMessages: unknown[] | undefined]>([
  [{ message: 'No' }, ['No']],
  [{ messages: 'No' }, ['No']],
  [{ messages: [{ a: 1 }, null], message: 'No', error: 'No' }, [{ a: 1 }, 'No']],
  [{ error: 'invalid_request', error_description: 'No' }, ['invalid_request', 'No']],
  [{ type: 'about:blank', title: 'Bad', status: 400, detail: 'No' }, ['Bad', 'No']],
  [{ messages: ['by fixed-secret'], detail: 'No' }, ['[redacted]', 'No']],
  [{ message: ' ', error: { code: 1 }, title: 5 }, undefined],
])('an error for the rejection %j has its texts', async (body, serviceMessages) => {
  const fault = {
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify(body),
  };
  expect(await extensionsOf('trackShipment', fault)).toEqual([
    {
      code: 'SERVICE_REJECTED',
      status: 400,
      retryable: false,
      outcome: 'NOT_APPLIED',
      ...(serviceMessages && { serviceMessages }),
      requestId,
    },
  ]);
});

test('messages that are not sent are not searched for secrets: none of reads that find nothing', async () => {
  gateway.takeCalls();
  const search = vi.spyOn(String.prototype, 'toUpperCase');
  const text = 'é'.repeat(1000);
  gateway.injectFault({ status: 404, body: JSON.stringify({ messages: [text] }) });
  const notificationGuids = Array.from({ length: 50 }, (_, index) => `guid ${index}`);
  const query =
    'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationGuid } }';
  const { data, errors } = await gateway.execute(query, { variables: { guids: notificationGuids } });
  gateway.injectFault(undefined);
  expect([data, errors]).toEqual([{ notificationsByGuid: Array(50).fill(null) }, undefined]);
  expect(search.mock.contexts.filter((each) => String(each) === text)).toEqual([]);
  search.mockRestore();
  expect(gateway.takeCalls()).toHaveLength(50);
});
