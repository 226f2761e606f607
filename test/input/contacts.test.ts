import { describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { describeValidation, type Row } from '../support/graphql/validationTables.js';
import { withInvalidValue, validArguments, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const EMAILS = 'input.recipient.shipmentLevel.emailList';
const PHONES = 'input.recipient.shipmentLevel.smsList';

// prettier-ignore
const invalidEmails = [
  '', ' ', 'dock', 'dock@', '@example.com', 'dock@@example.com', 'dock@example..com', 'dock@-example.com',
  `dock@${'x'.repeat(64)}.com`, 'do ck@example.com', ' dock@example.com', 'dock@example.com\n',
  'dock@example.com, yard@example.com', 'Dock <dock@example.com>', 'mailto:dock@example.com', 'dück@example.com',
  'dock@exämple.com',
];

/** One of each kind; test/service/vocabulary.test.ts has more. */
const invalidPhoneNumbers = ['', ' ', '+', '911', '+1303555010', 'call me', '3035550100x5', '3035550100\n'];

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

test('an error message truncates a long value, and never within a character', async () => {
  const values = ['x'.repeat(1000), `x${'\u{1f69a}'.repeat(200)}`];
  const args = withInvalidValue('createNotification', EMAILS, values);
  const { errors } = await executeAndRecord(gateway, asVariables('createNotification', args));
  expect(errors?.map(({ message }) => message)).toEqual([
    `expected an email address of at most 254 characters, got "${'x'.repeat(99)}…`,
    `expected an email address of at most 254 characters, got "x${'\u{1f69a}'.repeat(98)}…`,
  ]);
});

test('the phone number of a driver is sent to the service in E.164 format', async () => {
  for (const text of [' (303) 555.0100 ', '1 303 555 0100', '+1 303-555-0100']) {
    const operation = asVariables(
      'trackShipment',
      withInvalidValue('trackShipment', 'input.driverPhoneNumber', text),
    );
    expect(await gateway.data(operation.query, operation)).toEqual({ trackShipment: { tracked: true } });
    expect(gateway.takeCalls().map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        FreightProviderReferenceNumber: 'REF-1001',
        FreightHaulerProviderXID: 'XID-2001',
        CarrierMC: '900001',
        DriverPhoneNumber: '+13035550100',
        ShipmentTrackingType: 'Mobile',
      },
    ]);
  }
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
