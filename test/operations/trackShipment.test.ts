import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { TRACK } from '../support/graphql/documents.js';
import { responseExample, requestExample } from '../support/service/examples.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';

const PATH = '/atlas/frexapi/shipment/track/';

/** The contract's examples as GraphQL input; `3035550111` is sent in E.164 format. */
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
    carrier: { mc: null, dot: null, scac: 'EXMA' },
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
    carrier: { mc: '900002', dot: null, scac: null },
  },
] as const;
const [{ input, request, shipment, carrier }] = examples;
const call = restCall('POST', PATH, { body: request });
const gateway = useGateway();

test.each(examples)(
  'maps the documented $name example to the documented request, which the service confirms',
  async (example) => {
    expect(await gateway.data(TRACK, { variables: { input: example.input } })).toEqual({
      trackShipment: { tracked: true, shipment: example.shipment, carrier: example.carrier },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('POST', PATH, { body: example.request })]);
  },
);

test.each<[string, Fault]>([
  [
    'in the documented response',
    { body: JSON.stringify(responseExample('trackShipment', '200', 'tracked')) },
  ],
  ['with another 2xx status', { status: 201, body: 'true' }],
  ['with surrounding whitespace', { body: '\r\n true \n' }],
  ...['text/plain', 'text/plain; charset=utf-8', 'application/octet-stream', ''].map(
    (type): [string, Fault] => [
      `with the content type "${type}"`,
      { body: ' true\n', headers: { 'content-type': type } },
    ],
  ),
  [
    'compressed, as plain text',
    { body: gzipSync('true'), headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' } },
  ],
  ...['True', 'TRUE', '"true"', '"True"'].map((body): [string, Fault] => [`as ${body}`, { body }]),
  ['with a charset', { body: 'true', headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ['as HTML', { body: 'true', headers: { 'content-type': 'text/html' } }],
  ['in an envelope', { body: '{"data":true,"messages":[]}' }],
  ['in a list', { body: '[true]' }],
])('accepts true as confirmation %s', async (_response, fault) => {
  gateway.injectFaults(fault);
  expect(await gateway.data(TRACK, { variables: { input } })).toEqual({
    trackShipment: { tracked: true, shipment, carrier },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([call]);
});

const { html: HTML, unproven: UNPROVEN } = serviceErrorMessages;
const REFUTED = serviceErrorMessages.refuted(200);

test.each<[string, Fault, string, string?]>([
  ['false', { body: 'false' }, REFUTED],
  ['1', { body: '1' }, UNPROVEN],
  ['0', { body: '0' }, UNPROVEN],
  ['the string "false"', { body: '"false"' }, REFUTED],
  ['the string "true story"', { body: '"true story"' }, UNPROVEN, 'true story'],
  ['an envelope with false', { body: '{"data":false,"messages":[]}' }, REFUTED],
  ['an envelope with a message', { body: '{"messages":["No driver"]}' }, UNPROVEN, 'No driver'],
  ['202 without a body', { status: 202 }, serviceErrorMessages.accepted],
  ['202 and true', { status: 202, body: 'true' }, serviceErrorMessages.accepted],
  ['206 and true', { status: 206, body: 'true' }, serviceErrorMessages.partial],
  ['207 and true', { status: 207, body: 'true' }, serviceErrorMessages.multiStatus],
  ['invalid JSON', { body: 'False' }, REFUTED],
  [
    'another plain text',
    { body: 'Assigned to driver 7', headers: { 'content-type': 'text/plain' } },
    UNPROVEN,
    'Assigned to driver 7',
  ],
  ['false as plain text', { body: 'false', headers: { 'content-type': 'text/plain' } }, REFUTED],
  ['HTML', { body: '<p>true</p>', headers: { 'content-type': 'text/html' } }, HTML],
])('reports outcome UNKNOWN for any other success response: %s', async (_response, fault, message, said) => {
  gateway.injectFaults(fault);
  const { data, errors } = await gateway.execute(TRACK, { variables: { input } });
  expect({ data, errors }).toEqual({
    data: { trackShipment: null },
    errors: [
      fieldError(TRACK, ['trackShipment'], message, {
        code: 'SERVICE_RESPONSE_INVALID',
        outcome: 'UNKNOWN',
        retryable: false,
        status: fault.status ?? 200,
        ...(said !== undefined && { serviceMessages: [said] }),
      }),
    ],
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([call]);
});

describe.each<[format: string, sent: Record<string, string>, rejected: Record<string, string>]>([
  [
    'e164',
    { '(303) 555-0110': '+13035550110', '+44 7911 123456': '+447911123456' },
    { 'ext. 5': 'PHONE_NUMBER', ' ': 'NOT_EMPTY' },
  ],
  [
    'digits',
    { '(303) 555-0110': '13035550110', '+13035550110': '13035550110', '+44 7911 123456': '447911123456' },
    { 'ext. 5': 'PHONE_NUMBER', ' ': 'NOT_EMPTY' },
  ],
  [
    'unchanged',
    {
      '(303) 555-0110': '(303) 555-0110',
      '3035550110': '3035550110',
      '+1 303 555 0110 ext. 5': '+1 303 555 0110 ext. 5',
      'dispatch desk': 'dispatch desk',
      ' 0110 ': '0110',
      '\u202adispatch\u200b desk\u202c': 'dispatch desk',
      'tel:+13035550110;ext=5': 'tel:+13035550110;ext=5',
      ['5'.repeat(101)]: '5'.repeat(101),
    },
    { '': 'NOT_EMPTY', ' \n': 'NOT_EMPTY', '\ud83d': 'CHARACTERS' },
  ],
])('With DRIVER_PHONE_FORMAT=%s', (format, sent, rejected) => {
  const formatted = useGateway({ env: { DRIVER_PHONE_FORMAT: format } });

  test.each(Object.entries(sent))('the phone number %j is sent as %j', async (driverPhoneNumber, number) => {
    const variables = { input: { ...input, driverPhoneNumber } };
    expect(await formatted.data(TRACK, { variables })).toEqual({
      trackShipment: { tracked: true, shipment, carrier },
    });
    expect(summariesOf(formatted.takeCalls())).toEqual([
      restCall('POST', PATH, { body: { ...request, DriverPhoneNumber: number } }),
    ]);
  });

  test.each(Object.entries(rejected))('%j is rejected by the rule %s', async (driverPhoneNumber, rule) => {
    const variables = { input: { ...input, driverPhoneNumber } };
    const { data, errors = [] } = await formatted.execute(TRACK, { variables });
    expect([
      data,
      errors.map(({ extensions }) => [extensions['code'], extensions['rule'], extensions['inputPath']]),
    ]).toEqual([{ trackShipment: null }, [['BAD_USER_INPUT', rule, ['input', 'driverPhoneNumber']]]]);
    expect(formatted.takeCalls()).toEqual([]);
  });

  test('a value that is no string is rejected', async () => {
    const variables = { input: { ...input, driverPhoneNumber: 3_035_550_110 } };
    const { errors = [] } = await formatted.execute(TRACK, { variables });
    expect(errors.map(({ message }) => message)).toEqual(['Expected a string, got 3035550110']);
    expect(formatted.takeCalls()).toEqual([]);
  });
});
