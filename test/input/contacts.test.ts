import { expect, test } from 'vitest';
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

// oxfmt-ignore
const invalidEmails = [
  'dock', 'dock@', 'dock@example', '@example.com', 'dock@@example.com', 'dock@example..com', 'dock@-example.com',
  `dock@${'x'.repeat(64)}.com`, 'do ck@example.com', 'dück@example.com', 'dock@exämple.com', 'dock@example.com,',
  'mailto:', 'mailto:do%20ck@example.com', 'mailto:dock@example.com%00', 'mailto:dock%', 'tel:dock@example.com',
  'Dispatch <a@example.com>', 'a@example.com; b@example.com', 'mailto:a@example.com?subject=Load%201', 'mailto:?to=a@example.com',
];

/** One of each kind; test/service/vocabulary.test.ts has more. */
const invalidPhoneNumbers: [text: string, expectation?: string][] = [
  ...['+', '911', '+1303555010', 'call me', '(303) 555-0100 / (303) 555-0101'].map((text): [string] => [
    text,
  ]),
  [
    '1234567890',
    'a phone number whose area code and exchange start with 2 to 9, as all of country code 1 do (North American Numbering Plan)',
  ],
  ['(303) 555-0100 x12', 'a phone number without an extension or other parameters'],
  ['303555010.0', 'a phone number with all its digits, and without decimals'],
];

const emailMessage = (text: string) => `expected an email address, got ${JSON.stringify(text)}`;
const phoneMessage = (text: string, expectation = 'a phone number in E.164 format, or a US number') =>
  `expected ${expectation}, got ${JSON.stringify(text)}`;
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

describeValidation(() => gateway, 'createNotification', [
  ...invalidEmails.map((text) => emailRow(text)),
  ...invalidPhoneNumbers.map(([text, expectation]) => phoneRow(text, phoneMessage(text, expectation))),
  ...['', ' '].flatMap((text) => [emailRow(text, blankMessage(text)), phoneRow(text, blankMessage(text))]),
  emailRow(surrogate, surrogateMessage),
  phoneRow(surrogate, surrogateMessage),
]);

describeValidation(() => gateway, 'trackShipment', [
  ...invalidPhoneNumbers.map(([text, expectation]): Row => [
    'input.driverPhoneNumber',
    text,
    phoneMessage(text, expectation),
  ]),
  ['input.driverPhoneNumber', surrogate, surrogateMessage],
]);

test.each([
  ['mailto:ops@example.com', 'ops@example.com'],
  ['MailTo:%E2%80%AAops%2Bdock%40example.com', 'ops+dock@example.com'],
  ['\ufeff\u00a0ops@example\u200b.com\t\r\n', 'ops@example.com'],
  ['who?@example.com', 'who?@example.com'],
])('the email address %j is sent as %s', async (given, sent) => {
  const args = withInvalidValue('createNotification', EMAILS, [given]);
  gateway.takeCalls();
  await gateway.data(asVariables('createNotification', args));
  expect(gateway.takeCalls().map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { emailList: [sent] },
  ]);
});
