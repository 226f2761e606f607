/** What the service says about a call that it rejects, or confirms in a way that the contract does not have. */
import { expect, test } from 'vitest';
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
  const { errors = [] } = await gateway.execute(asVariables(field, validArguments(field)));
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
