import { describe, expect, test } from 'vitest';
import type { RestCall } from '../../src/mock/mockService.js';
import { LIST } from '../support/graphql/documents.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import {
  licensePlateCalls,
  parametersInBody,
  reservedNameError,
} from '../support/graphql/shipmentOperations.js';

const fixed = { AccountKey: 's3cr3t/é', Tenant: 7, Flags: ['a', true] };

describe.each(['body', 'query'])('Fixed parameters in the %s', (location) => {
  const gateway = useGateway({
    env: {
      SHIPMENT_PARAMETERS: JSON.stringify(fixed),
      TRACKING_PARAMETERS_IN: location,
      EXCEPTION_PARAMETERS_IN: location,
    },
    toDocumentedForm: parametersInBody,
  });

  const parametersOf = ({ query, body }: RestCall): unknown =>
    body === '' ? query.split('&').sort() : JSON.parse(body);
  const expected = (parameters: object): unknown =>
    location === 'body'
      ? { ...parameters, ...fixed }
      : [
          ...Object.entries(parameters).map(
            ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
          ),
          'AccountKey=s3cr3t%2F%C3%A9',
          'Tenant=7',
          'Flags=a',
          'Flags=true',
        ].sort();

  test.each(licensePlateCalls)('are sent with: $name', async (call) => {
    gateway.injectFaults(call.success);
    const variables = { input: { ...call.input, additionalParameters: { Note: 'n' } } };
    expect(await gateway.data(call.document, { variables })).toEqual(call.result);
    expect(gateway.takeCalls().map(parametersOf)).toEqual([expected({ Note: 'n', ...call.parameters })]);
  });

  test.each(licensePlateCalls)('cannot be overridden in any letter case: $name', async (call) => {
    const names = ['AccountKey', 'accountkey', 'ACCOUNTKEY', 'tENANT', 'flags'];
    const additionalParameters = Object.fromEntries(names.map((name) => [name, 'x']));
    const variables = { input: { ...call.input, additionalParameters } };
    const { data, errors } = await gateway.execute(call.document, { variables });
    expect({ data, errors }).toEqual({
      data: { [call.field]: null },
      errors: names.map((name) => reservedNameError(call.document, call.field, name)),
    });
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('are not sent with notification calls, where their names are available', async () => {
    await gateway.data(LIST, { variables: { parameters: { Tenant: 8 } } });
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall('GET', '/v1/customnotifications', { query: 'Tenant=8' }),
    ]);
  });
});
