import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { licensePlateCalls, parametersInBody } from '../support/graphql/shipmentOperations.js';

describe.each([
  { env: { TRACKING_PARAMETERS_IN: 'query' }, inQuery: 'trackShipment' },
  { env: { EXCEPTION_PARAMETERS_IN: 'query' }, inQuery: 'deleteException' },
])('With $env', ({ env, inQuery }) => {
  const gateway = useGateway({ env, toDocumentedForm: parametersInBody });

  test.each(licensePlateCalls)('$name sends its parameters where the configuration says', async (call) => {
    gateway.injectFaults(call.success);
    expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
    const used = gateway.takeCalls().map(({ query, body }) => ({ query: query !== '', body: body !== '' }));
    expect(used).toEqual([{ query: call.field === inQuery, body: call.field !== inQuery }]);
  });
});
