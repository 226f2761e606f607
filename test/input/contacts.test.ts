import { expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import {
  blankMessage,
  characterMessage,
  describeValidation,
  type Row,
} from '../support/graphql/validationTables.js';
import { withInvalidValue, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const EMAILS = 'input.recipient.shipmentLevel.emailList';
const PHONES = 'input.recipient.shipmentLevel.smsList';

// prettier-ignore
const invalidEmails = [
  'dock', 'dock@', '@example.com', 'dock@@example.com', 'dock@example..com', 'dock@-example.com',
  `dock@${'x'.repeat(64)}.com`, 'do ck@example.com', 'dock@example.com, yard@example.com', 'Dock <dock@example.com>',
  'mailto:dock@example.com', 'dück@example.com', 'dock@exämple.com',
];

/** One of each kind; test/service/vocabulary.test.ts has more. */
const invalidPhoneNumbers = ['+', '911', '+1303555010', 'call me'];

const emailMessage = (text: string) => `expected an email address, got ${JSON.stringify(text)}`;
const phoneMessage = (text: string) =>
  `expected a phone number in E.164 format, or a US number, got ${JSON.stringify(text)}`;
const emailRow = (text: string, message = emailMessage(text)): Row => [
  EMAILS,
  ['yard@example.com', text],
  message,
  `${EMAILS}[1]`,
];
const phoneRow = (text: string, message = phoneMessage(text)): Row => [
  PHONES,
  [text],
  message,
  `${PHONES}[0]`,
];
const surrogate = '\ud800@example.com';
const surrogateMessage = characterMessage('lone surrogate U+D800 at position 1', surrogate);

describeValidation(() => gateway, 'createNotification', {
  rules: [
    ...invalidEmails.map((text) => emailRow(text)),
    ...invalidPhoneNumbers.map((text) => phoneRow(text)),
    ...['', ' '].flatMap((text) => [emailRow(text, blankMessage(text)), phoneRow(text, blankMessage(text))]),
  ],
  rulesOfVariables: [emailRow(surrogate, surrogateMessage), phoneRow(surrogate, surrogateMessage)],
  coercionErrors: [],
});

describeValidation(() => gateway, 'trackShipment', {
  rules: invalidPhoneNumbers.map((text) => ['input.driverPhoneNumber', text, phoneMessage(text)]),
  rulesOfVariables: [['input.driverPhoneNumber', surrogate, surrogateMessage]],
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
