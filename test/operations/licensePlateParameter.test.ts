import { expect, test } from 'vitest';
import type { RestCall } from '../../src/mock/mockService.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import {
  licensePlateCalls,
  shipmentCalls,
  reservedNameError,
} from '../support/graphql/shipmentOperations.js';

const NAME = 'Brand_LicensePlate';
const gateway = useGateway({
  env: { LICENSE_PLATE_PARAMETER: NAME },
  toDocumentedForm: (call: RestCall) => ({
    ...call,
    body: call.body.replace(`"${NAME}"`, '"PortalLicensePlate"'),
  }),
});

test.each(shipmentCalls)('$name sends the license plate under the configured name', async (call) => {
  gateway.injectFaults(call.success);
  expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
  const body = Object.fromEntries(
    Object.entries(call.parameters).map(([name, value]) => [
      name === 'PortalLicensePlate' ? NAME : name,
      value,
    ]),
  );
  expect(summariesOf(gateway.takeCalls())).toEqual([restCall(call.method, call.path, { body })]);
});

test.each(licensePlateCalls)(
  '$name rejects additional parameters with the configured or the documented name of the license plate',
  async (call) => {
    const names = [NAME, NAME.toLowerCase(), 'PortalLicensePlate', 'portallicenseplate'];
    const additionalParameters = Object.fromEntries(names.map((name) => [name, 'x']));
    const variables = { input: { ...call.input, additionalParameters } };
    const { data, errors } = await gateway.execute(call.document, { variables });
    expect({ data, errors }).toEqual({
      data: { [call.field]: null },
      errors: names.map((name) => reservedNameError(call.document, call.field, name)),
    });
    expect(gateway.takeCalls()).toEqual([]);
  },
);
