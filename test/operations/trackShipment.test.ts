import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fault } from '../../src/reference-service/referenceService.js';
import { TRACK } from '../support/graphql/documents.js';
import { answerExample, requestExample } from '../support/service/examples.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';

const PATH = '/atlas/frexapi/shipment/track/';

/** The contract's examples as GraphQL; their `3035550111` goes on in E.164 format. */
const examples = [
  {
    name: 'haulerAndScac',
    input: {
      shipment: {
        hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' },
      },
      carrier: { scac: 'EXMA' },
      driverPhoneNumber: '+13035550110',
      shipmentTrackingType: 'Mobile',
    },
    request: requestExample('trackShipment', 'haulerAndScac'),
    shipment: {
      freightProviderReferenceNumber: 'REF-1001',
      freightHaulerProviderXid: 'XID-2001',
      portalLicensePlate: null,
    },
  },
  {
    name: 'licensePlateAndMc',
    input: {
      shipment: {
        licensePlate: { freightProviderReferenceNumber: 'REF-1002', portalLicensePlate: 'PLATE-3002' },
      },
      carrier: { mc: '900002' },
      driverPhoneNumber: '3035550111',
      shipmentTrackingType: 'Mobile',
    },
    request: {
      ...requestExample('trackShipment', 'licensePlateAndMc'),
      DriverPhoneNumber: '+13035550111',
    },
    shipment: {
      freightProviderReferenceNumber: 'REF-1002',
      freightHaulerProviderXid: null,
      portalLicensePlate: 'PLATE-3002',
    },
  },
] as const;
const [{ input, request, shipment }] = examples;
const call = restCall('POST', PATH, { body: request });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

test.each(examples)(
  'The documented call $name is sent as documented, and the service confirms it',
  async (example) => {
    expect(await gateway.data(TRACK, { variables: { input: example.input } })).toEqual({
      trackShipment: { tracked: true, shipment: example.shipment },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('POST', PATH, { body: example.request })]);
  },
);

test.each<[string, Fault]>([
  ['the documented answer', { body: JSON.stringify(answerExample('trackShipment', '200', 'tracked')) }],
  ['another 2xx', { status: 201, body: 'true' }],
  ['space around it', { body: '\r\n true \n' }],
  ['a charset', { body: 'true', headers: { 'content-type': 'application/json; charset=utf-8' } }],
])('The value true confirms the tracking: %s', async (_name, interference) => {
  gateway.injectFaults(interference);
  expect(await gateway.data(TRACK, { variables: { input } })).toEqual({
    trackShipment: { tracked: true, shipment },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([call]);
});

const NOT_TRUE = serviceErrorMessages.misshapen('the whole body: Invalid input: expected true');
const NO_JSON_TYPE = serviceErrorMessages.notJsonType;

test.each<[string, Fault, string]>([
  ['false', { body: 'false' }, NOT_TRUE],
  ['null', { body: 'null' }, NOT_TRUE],
  ['1', { body: '1' }, NOT_TRUE],
  ['the text "true"', { body: '"true"' }, NOT_TRUE],
  ['a list', { body: '[true]' }, NOT_TRUE],
  ['an envelope', { body: '{"data":true,"messages":[]}' }, NOT_TRUE],
  ['no body', { status: 200 }, NOT_TRUE],
  ['202 without a body', { status: 202 }, NOT_TRUE],
  ['204', { status: 204 }, NOT_TRUE],
  ['no JSON', { body: 'True' }, serviceErrorMessages.notJson],
  ['plain text', { body: 'true', headers: { 'content-type': 'text/plain' } }, NO_JSON_TYPE],
  ['HTML', { body: '<p>true</p>', headers: { 'content-type': 'text/html' } }, NO_JSON_TYPE],
])('Any other 2xx leaves open whether the shipment is tracked: %s', async (_name, interference, message) => {
  gateway.injectFaults(interference);
  const { data, errors } = await gateway.execute(TRACK, { variables: { input } });
  expect({ data, errors }).toEqual({
    data: { trackShipment: null },
    errors: [
      fieldError(TRACK, ['trackShipment'], message, {
        code: 'SERVICE_RESPONSE_INVALID',
        outcome: 'UNKNOWN',
        retryable: false,
        status: interference.status ?? 200,
      }),
    ],
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([call]);
});

test('A shipment that the service does not have is NOT_FOUND', async () => {
  const { data, errors } = await gateway.execute(TRACK, {
    variables: { input: { ...input, carrier: { scac: 'EXMB' } } },
  });
  expect({ data, errors }).toEqual({
    data: { trackShipment: null },
    errors: [
      fieldError(TRACK, ['trackShipment'], serviceErrorMessages.notFound, {
        code: 'NOT_FOUND',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 404,
        serviceMessages: [{ message: 'There is no shipment with these identifiers.' }],
      }),
    ],
  });
  expect(gateway.takeCalls()).toHaveLength(1);
});
