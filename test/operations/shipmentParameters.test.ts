import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TRACK } from '../support/graphql/documents.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { licensePlateCalls, shipmentCalls, takenName } from '../support/graphql/shipmentOperations.js';

const documented = [
  'FreightProviderReferenceNumber',
  'FreightHaulerProviderXID',
  'PortalLicensePlate',
  'CarrierMC',
  'CarrierDOT',
  'CarrierSCAC',
  'DriverPhoneNumber',
  'ShipmentTrackingType',
  'ExceptionGuid',
  'ExceptionFileGuid',
];
const takenNames = [
  ...documented,
  ...documented.map((name) => name.toLowerCase()),
  ...documented.map((name) => name.toUpperCase()),
  'constructor',
  'prototype',
  'CONSTRUCTOR',
];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

test.each(shipmentCalls)('$name has exactly its documented parameters', async (call) => {
  gateway.injectFaults(call.success);
  expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall(call.method, call.path, { body: call.parameters }),
  ]);
});

describe.each(licensePlateCalls)('Additional parameters of: $name', (call) => {
  test.each<[string, object | null]>([
    ['null', null],
    ['none', {}],
    ['any JSON', { Note: 'é', Count: 0, Flag: false, Nothing: null, Deep: { a: [1, { b: null }] } }],
    ['unusual names', { 'with space': 1, 'Carrier MC': 2, toString: 3, hasOwnProperty: 4, '0': 5 }],
  ])('%s is sent along', async (_name, additionalParameters) => {
    gateway.injectFaults(call.success);
    const variables = { input: { ...call.input, additionalParameters } };
    expect(await gateway.data(call.document, { variables })).toEqual(call.result);
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall(call.method, call.path, { body: { ...additionalParameters, ...call.parameters } }),
    ]);
  });

  test('taken names, in any letter case, are all refused at once and before any call', async () => {
    const additionalParameters = Object.fromEntries([...takenNames, 'Fine'].map((name) => [name, 'x']));
    const variables = { input: { ...call.input, additionalParameters } };
    const { data, errors } = await gateway.execute(call.document, { variables });
    expect({ data, errors }).toEqual({
      data: { [call.field]: null },
      errors: takenNames.map((name) => takenName(call.document, call.field, name)),
    });
    expect(gateway.takeCalls()).toEqual([]);
  });
});

describe('The name __proto__ of an additional parameter is refused', () => {
  const refused = (document: string) => ({
    data: { trackShipment: null },
    errors: [takenName(document, 'trackShipment', '__proto__')],
  });

  test('in the document', async () => {
    const document =
      'mutation { trackShipment(input: { shipment: { hauler: { freightProviderReferenceNumber: "R", freightHaulerProviderXid: "X" } }, carrier: { mc: "1" }, driverPhoneNumber: "3035550100", shipmentTrackingType: "Mobile", additionalParameters: { __proto__: { x: 1 } } }) { tracked } }';
    const { data, errors } = await gateway.execute(document);
    expect({ data, errors }).toEqual(refused(document));
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('in a variable', async () => {
    const [{ input } = {}] = licensePlateCalls;
    const additionalParameters: unknown = JSON.parse('{"__proto__":{"x":1}}');
    const { data, errors } = await gateway.execute(TRACK, {
      variables: { input: { ...input, additionalParameters } },
    });
    expect({ data, errors }).toEqual(refused(TRACK));
    expect(gateway.takeCalls()).toEqual([]);
  });
});
