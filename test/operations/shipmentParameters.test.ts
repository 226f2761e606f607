import { describe, expect, test } from 'vitest';
import { TRACK } from '../support/graphql/documents.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import {
  licensePlateCalls,
  shipmentCalls,
  reservedNameError,
} from '../support/graphql/shipmentOperations.js';

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
const reservedNames = [
  ...documented,
  ...documented.map((name) => name.toLowerCase()),
  ...documented.map((name) => name.toUpperCase()),
  'constructor',
  'prototype',
  'CONSTRUCTOR',
];
const gateway = useGateway();

test.each(shipmentCalls)('$name sends exactly its documented parameters', async (call) => {
  gateway.injectFaults(call.success);
  expect(await gateway.data(call.document, { variables: { input: call.input } })).toEqual(call.result);
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall(call.method, call.path, { body: call.parameters }),
  ]);
});

describe.each(licensePlateCalls)('$name', (call) => {
  test.each<[string, object | null]>([
    ['null', null],
    ['an empty object', {}],
    ['any JSON', { Note: 'é', Count: 0, Flag: false, Nothing: null, Deep: { a: [1, { b: null }] } }],
    ['unusual names', { 'with space': 1, 'Carrier MC': 2, toString: 3, hasOwnProperty: 4, '0': 5 }],
  ])(
    'sends additional parameters along with the documented ones: %s',
    async (_content, additionalParameters) => {
      gateway.injectFaults(call.success);
      const variables = { input: { ...call.input, additionalParameters } };
      expect(await gateway.data(call.document, { variables })).toEqual(call.result);
      expect(summariesOf(gateway.takeCalls())).toEqual([
        restCall(call.method, call.path, { body: { ...additionalParameters, ...call.parameters } }),
      ]);
    },
  );

  test('rejects all additional parameters with reserved names, in any letter case, before any REST call', async () => {
    const additionalParameters = Object.fromEntries([...reservedNames, 'Fine'].map((name) => [name, 'x']));
    const variables = { input: { ...call.input, additionalParameters } };
    const { data, errors } = await gateway.execute(call.document, { variables });
    expect({ data, errors }).toEqual({
      data: { [call.field]: null },
      errors: reservedNames.map((name) => reservedNameError(call.document, call.field, name)),
    });
    expect(gateway.takeCalls()).toEqual([]);
  });
});

describe('An additional parameter named __proto__ is rejected', () => {
  const rejection = (document: string) => ({
    data: { trackShipment: null },
    errors: [reservedNameError(document, 'trackShipment', '__proto__')],
  });

  test('as a literal', async () => {
    const document = `
      mutation {
        trackShipment(
          input: {
            shipment: { hauler: { freightProviderReferenceNumber: "R", freightHaulerProviderXid: "X" } }
            carrier: { mc: "1" }
            driverPhoneNumber: "3035550100"
            shipmentTrackingType: "Mobile"
            additionalParameters: { __proto__: { x: 1 } }
          }
        ) {
          tracked
        }
      }
    `;
    const { data, errors } = await gateway.execute(document);
    const {
      errors: [error],
    } = rejection(document);
    expect({ data, errors }).toEqual({
      data: { trackShipment: null },
      errors: [{ ...error, locations: [{ line: 3, column: 9 }] }],
    });
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('as a variable', async () => {
    const [{ input } = {}] = licensePlateCalls;
    const additionalParameters: unknown = JSON.parse('{"__proto__":{"x":1}}');
    const { data, errors } = await gateway.execute(TRACK, {
      variables: { input: { ...input, additionalParameters } },
    });
    expect({ data, errors }).toEqual(rejection(TRACK));
    expect(gateway.takeCalls()).toEqual([]);
  });
});
