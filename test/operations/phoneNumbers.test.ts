import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, READ, TRACK } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';

const { notification, envelope } = oneNotification('shipmentLevel');
const guid = notification.notificationGuid;
const SEED = 20240501;
const gateway = useGateway();

/** What a query returns for phone numbers that the service holds. */
async function readPhoneNumbers(smsList: readonly string[]): Promise<readonly string[]> {
  gateway.injectFaults({ body: JSON.stringify({ ...envelope, data: [{ ...notification, smsList }] }) });
  const { notification: result } = (await gateway.data(READ, { variables: { guid } })) as {
    notification: { recipient: { smsList: string[] } };
  };
  return result.recipient.smsList;
}

/** The phone numbers that a creation sends to the service, and those that it returns for the service's real response. */
async function createWith(smsList: readonly string[]): Promise<{ sent: string[]; returned: string[] }> {
  gateway.takeCalls();
  const { createNotification } = (await gateway.data(CREATE, {
    variables: {
      input: { ...sampleDefinition.input, recipient: { shipmentLevel: { emailList: [], smsList } } },
    },
  })) as { createNotification: { notification: { recipient: { smsList: string[] } } } };
  const [call] = gateway.takeCalls();
  const body = JSON.parse(call?.body ?? '') as { smsList: string[] };
  return { sent: body.smsList, returned: createNotification.notification.recipient.smsList };
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
])('normalizes the US notation "%s" to E.164', async (notation) => {
  expect(await createWith([notation])).toEqual({ sent: ['+13035550100'], returned: ['+13035550100'] });

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
])('normalizes the international number %s to %s', async (notation, e164) => {
  expect(await createWith([notation])).toEqual({ sent: [e164], returned: [e164] });
});

test('round-trips the mobile numbers of all countries except ten-digit ones', async () => {
  const mobileNumbers = getCountries()
    .map((country) => getExampleNumber(country, examples)?.number)
    // The service stores bare digits, and ten of them could also be a US number.
    .filter((number) => number !== undefined && number.length !== '+3035550100'.length);
  expect(mobileNumbers.length).toBeGreaterThan(200);
  expect(await createWith(mobileNumbers as string[])).toEqual({
    sent: mobileNumbers,
    returned: mobileNumbers,
  });
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
  // Valid in Singapore, merely possible in the US.
  ['6561234567', '+6561234567'],
  // Valid nowhere, possible in the US.
  ['1235550100', '+11235550100'],
])("returns the service's %s as %s and accepts that as input", async (stored, e164) => {
  expect(await readPhoneNumbers([stored])).toEqual([e164]);
  expect(await createWith([e164])).toEqual({ sent: [e164], returned: [e164] });
});

test('returns values that are not phone numbers unchanged', async () => {
  const notPhoneNumbers = [
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
  expect(await readPhoneNumbers(notPhoneNumbers)).toEqual(notPhoneNumbers);
});

// The fixed numbers are ambiguous: without its trunk zero, a number of another country can have ten digits, and would
// come back as a US number.
test(`accepts every phone number that it returns for any digits of the service (seed ${SEED})`, async () => {
  const stored = ['820057680', '6100245181406', '23109385400', '0114742345678', ...randomDigits(500)];
  const numbers = (await readPhoneNumbers(stored)).filter((number) => number.startsWith('+'));
  expect(numbers.length).toBeGreaterThan(100);
  const { sent, returned } = await createWith(numbers);
  expect(numbers.filter((number, index) => sent[index] !== number || returned[index] !== number)).toEqual([]);
});

/** Strings of 7 to 15 digits from a multiplicative congruential generator. */
function randomDigits(count: number): string[] {
  let state = SEED;
  const nextBelow = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  return Array.from({ length: count }, () =>
    Array.from({ length: 7 + nextBelow(9) }, () => nextBelow(10)).join(''),
  );
}
