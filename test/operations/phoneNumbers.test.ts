import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, READ, TRACK } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';

const { notification, envelope } = oneNotification('shipmentLevel');
const guid = notification.notificationGuid;
const SEED = 20240501;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** The phone numbers that the service has, as a query shows them. */
async function shown(smsList: readonly string[]): Promise<readonly string[]> {
  gateway.injectFaults({ body: JSON.stringify({ ...envelope, data: [{ ...notification, smsList }] }) });
  const { notification: read } = (await gateway.data(READ, { variables: { guid } })) as {
    notification: { recipient: { smsList: string[] } };
  };
  return read.recipient.smsList;
}

/** The phone numbers that the service is sent, and those that the caller is shown for its real answer. */
async function created(smsList: readonly string[]): Promise<{ sent: string[]; shown: string[] }> {
  gateway.takeCalls();
  const { createNotification } = (await gateway.data(CREATE, {
    variables: {
      input: { ...sampleDefinition.input, recipient: { shipmentLevel: { emailList: [], smsList } } },
    },
  })) as { createNotification: { notification: { recipient: { smsList: string[] } } } };
  const [call] = gateway.takeCalls();
  const body = JSON.parse(call?.body ?? '') as { smsList: string[] };
  return { sent: body.smsList, shown: createNotification.notification.recipient.smsList };
}

test.each([
  '(303) 555-0100',
  '3035550100',
  '13035550100',
  '+13035550100',
  '303-555-0100',
  '303.555.0100',
  '1 (303) 555 0100',
  '+1 303-555-0100',
  ' 303 555 0100 ',
])('One number in the notations of the United States: "%s"', async (notation) => {
  expect(await created([notation])).toEqual({ sent: ['+13035550100'], shown: ['+13035550100'] });

  const input = {
    shipment: {
      hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' },
    },
    carrier: { scac: 'EXMA' },
    driverPhoneNumber: notation,
    shipmentTrackingType: 'Mobile',
  };
  await gateway.data(TRACK, { variables: { input } });
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('POST', '/atlas/frexapi/shipment/track/', {
      body: {
        FreightProviderReferenceNumber: 'REF-1001',
        FreightHaulerProviderXID: 'XID-2001',
        CarrierSCAC: 'EXMA',
        DriverPhoneNumber: '+13035550100',
        ShipmentTrackingType: 'Mobile',
      },
    }),
  ]);
});

test.each([
  ['+44 7911 123456', '+447911123456'],
  ['+44 (0)7911 123456', '+447911123456'],
  ['011 44 7911 123456', '+447911123456'],
  ['+49 1511 2345678', '+4915112345678'],
  ['+81-90-1234-5678', '+819012345678'],
  ['+1 514 555 0112', '+15145550112'],
])('A number of another country is sent in E.164 format: %s', async (notation, e164) => {
  expect(await created([notation])).toEqual({ sent: [e164], shown: [e164] });
});

test('The mobile numbers of all countries, but for those of ten digits, come back as they were sent', async () => {
  const mobileNumbers = getCountries()
    .map((country) => getExampleNumber(country, examples)?.number)
    // Ten digits can be a number of the United States as well: the service's digits do not tell which.
    .filter((number) => number !== undefined && number.length !== '+3035550100'.length);
  expect(mobileNumbers.length).toBeGreaterThan(200);
  expect(await created(mobileNumbers as string[])).toEqual({ sent: mobileNumbers, shown: mobileNumbers });
});

test.each([
  ['3035550102', '+13035550102'],
  ['13035550102', '+13035550102'],
  ['+13035550102', '+13035550102'],
  ['(303) 555-0102', '+13035550102'],
  ['447911123456', '+447911123456'],
  ['4915112345678', '+4915112345678'],
  ['819012345678', '+819012345678'],
  ['525512345678', '+525512345678'],
  ['15145550112', '+15145550112'],
  // In use in Singapore, and only possible in the United States.
  ['6561234567', '+6561234567'],
  // In use nowhere, and possible in the United States.
  ['1235550100', '+11235550100'],
])("The service's %s comes out as %s, and can be sent back", async (held, e164) => {
  expect(await shown([held])).toEqual([e164]);
  expect(await created([e164])).toEqual({ sent: [e164], shown: [e164] });
});

test('What cannot be read as a phone number comes out verbatim', async () => {
  const unreadable = [
    'call the dock',
    '12',
    '911',
    '',
    '+',
    '1234567',
    '3035550100 ext. 5',
    '1-800-FLOWERS',
    '3035550100, 3035550101',
    '00000000000000000000',
    '+1 303 555 01000000',
  ];
  expect(await shown(unreadable)).toEqual(unreadable);
});

// country that has ten digits, once a zero is taken away, comes back as one of the United States.
test(`What comes out as a phone number can be sent back unchanged, whatever digits the service holds (seed ${SEED})`, async () => {
  const held = ['820057680', '6100245181406', '23109385400', '0114742345678', ...randomDigits(500)];
  const numbers = (await shown(held)).filter((number) => number.startsWith('+'));
  expect(numbers.length).toBeGreaterThan(100);
  const { sent, shown: again } = await created(numbers);
  expect(numbers.filter((number, index) => sent[index] !== number || again[index] !== number)).toEqual([]);
});

/** Texts of 7 to 15 digits, by a multiplicative congruential generator. */
function randomDigits(count: number): string[] {
  let state = SEED;
  const below = (bound: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % bound;
  };
  return Array.from({ length: count }, () => Array.from({ length: 7 + below(9) }, () => below(10)).join(''));
}
