import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, READ } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';

const { notification, envelope } = oneNotification('shipmentLevel');
const guid = notification.notificationGuid;
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

test('normalizes notations of the United States and with a country code to E.164', async () => {
  const notations = {
    '(303) 555-0100': '+13035550100',
    '3035550100': '+13035550100',
    '13035550100': '+13035550100',
    '+13035550100': '+13035550100',
    '303-555-0100': '+13035550100',
    '1 (303) 555 0100': '+13035550100',
    ' 303 555 0100 ': '+13035550100',
    '+44 (0)7911 123456': '+447911123456',
    '011 44 7911 123456': '+447911123456',
    '+81-90-1234-5678': '+819012345678',
    '+1 514 555 0112': '+15145550112',
  };
  const numbers = Object.values(notations);
  expect(await createWith(Object.keys(notations))).toEqual({ sent: numbers, returned: numbers });
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

test("returns the service's numbers in E.164 format, and accepts that as input", async () => {
  const stored = {
    '3035550102': '+13035550102',
    '13035550102': '+13035550102',
    '+13035550102': '+13035550102',
    '(303) 555-0102': '+13035550102',
    '447911123456': '+447911123456',
    '525512345678': '+525512345678',
    // Valid in Singapore, merely possible in the US.
    '6561234567': '+6561234567',
  };
  const numbers = Object.values(stored);
  expect(await readPhoneNumbers(Object.keys(stored))).toEqual(numbers);
  expect(await createWith(numbers)).toEqual({ sent: numbers, returned: numbers });
});

test('returns values that are not phone numbers unchanged', async () => {
  const notPhoneNumbers = ['call the dock', '911', '', '+', '3035550100 ext. 5', '3035550100, 3035550101'];
  expect(await readPhoneNumbers(notPhoneNumbers)).toEqual(notPhoneNumbers);
});
