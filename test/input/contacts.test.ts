import { describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { describeValidation, type Row } from '../support/graphql/validationTables.js';
import { withInvalidValue, validArguments, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const EMAILS = 'input.recipient.shipmentLevel.emailList';
const PHONES = 'input.recipient.shipmentLevel.smsList';

const invalidEmails = [
  '',
  ' ',
  'dock',
  'dock@',
  '@example.com',
  'dock@@example.com',
  'dock@example..com',
  'dock@-example.com',
  `dock@${'x'.repeat(64)}.com`,
  'do ck@example.com',
  ' dock@example.com',
  'dock@example.com\n',
  'dock@example.com, yard@example.com',
  'Dock <dock@example.com>',
  'mailto:dock@example.com',
  'dück@example.com',
  'dock@exämple.com',
];

const invalidPhoneNumbers = [
  '',
  ' ',
  '+',
  '+1',
  '0',
  '911',
  '5550100',
  '303555010',
  '30355501000',
  '+1303555010',
  '+130355501000',
  '++13035550100',
  '+999123456789',
  'call me',
  '1-800-FLOWERS',
  'a3035550100',
  '3035550100a',
  '3035550100x5',
  '3035550100 ext. 5',
  '3035550100;ext=5',
  '3035550100#5',
  '(303) 555-0100 or 0101',
  '3035550100, 3035550101',
  'tel:+13035550100',
  '3035550100\n',
];

const emailMessage = (text: string) => `expected an email address, got ${JSON.stringify(text)}`;
const phoneMessage = (text: string) =>
  `expected a phone number in E.164 format, or a US number, got ${JSON.stringify(text)}`;
const emailRow = (text: string): Row => [
  EMAILS,
  ['yard@example.com', text],
  emailMessage(text),
  `${EMAILS}[1]`,
];
const phoneRow = (text: string): Row => [PHONES, [text], phoneMessage(text), `${PHONES}[0]`];

describeValidation(() => gateway, 'createNotification', {
  rules: [...invalidEmails.map(emailRow), ...invalidPhoneNumbers.map(phoneRow)],
  rulesOfVariables: [emailRow('\ud800@example.com'), phoneRow('\ud800')],
  coercionErrors: [],
});

describeValidation(() => gateway, 'trackShipment', {
  rules: invalidPhoneNumbers.map((text) => ['input.driverPhoneNumber', text, phoneMessage(text)]),
  rulesOfVariables: [['input.driverPhoneNumber', '\udc00', phoneMessage('\udc00')]],
  coercionErrors: [],
});

test('an error message truncates a long value', async () => {
  const args = withInvalidValue('createNotification', EMAILS, ['x'.repeat(1000)]);
  const { errors } = await executeAndRecord(gateway, asVariables('createNotification', args));
  expect(errors?.map(({ message }) => message)).toEqual([
    `expected an email address of at most 254 characters, got "${'x'.repeat(99)}…`,
  ]);
});

test('an error message does not truncate a value within a character', async () => {
  const args = withInvalidValue('createNotification', EMAILS, [
    `x${'\u{1f69a}'.repeat(100)}`,
    '\u{1f69a}'.repeat(100),
  ]);
  const { errors } = await executeAndRecord(gateway, asVariables('createNotification', args));
  expect(errors?.map(({ message }) => message.isWellFormed())).toEqual([true, true]);
});

describe('a phone number', () => {
  test.each([
    ['(303) 555-0100', '+13035550100'],
    [' 303.555.0100 ', '+13035550100'],
    ['1 303 555 0100', '+13035550100'],
    ['13035550100', '+13035550100'],
    ['+1 (303) 555-0100', '+13035550100'],
    ['+44 20 7946 0958', '+442079460958'],
    ['011 44 20 7946 0958', '+442079460958'],
  ])('%s is sent to the service as %s, in E.164 format', async (text, number) => {
    const args = withInvalidValue('trackShipment', 'input.driverPhoneNumber', text);
    const operation = asVariables('trackShipment', args);
    expect(await gateway.data(operation.query, operation)).toEqual({ trackShipment: { tracked: true } });
    const [call] = gateway.takeCalls();
    expect(JSON.parse(call?.body ?? '')).toEqual({
      FreightProviderReferenceNumber: 'REF-1001',
      FreightHaulerProviderXID: 'XID-2001',
      CarrierMC: '900001',
      DriverPhoneNumber: number,
      ShipmentTrackingType: 'Mobile',
    });
  });
});

describe('a list of phone numbers', () => {
  const send = async (count: number) => {
    const smsList = Array.from({ length: count }, (_, index) => `+1303555${1000 + index}`);
    const recipient = { shipmentLevel: { emailList: [], smsList } };
    const { input } = validArguments('createNotification');
    const operation = asVariables('createNotification', { input: { ...(input as object), recipient } });
    gateway.takeCalls();
    const { errors } = await gateway.execute(operation.query, operation);
    const sent = gateway.takeCalls().map(({ body }) => (JSON.parse(body) as { smsList: unknown }).smsList);
    return { messages: errors?.map(({ message }) => message), sent, smsList };
  };

  test('is sent if the input has 1,000 list elements', async () => {
    const { messages, sent, smsList } = await send(999); // and one shipment status
    expect({ messages, sent }).toEqual({ messages: undefined, sent: [smsList] });
  });

  test('is rejected if the input has 1,001 list elements', async () => {
    const { messages, sent } = await send(1000);
    expect({ messages, sent }).toEqual({
      messages: ['Expected an operation of at most 1000 list elements and additional parameters, got more'],
      sent: [],
    });
  });
});
