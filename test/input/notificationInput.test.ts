import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import {
  describeValidation,
  blankMessage,
  blankStrings,
  characterMessage,
  inList,
  missing,
  notABoolean,
  notAnObject,
  notAString,
  notATextScalar,
  notExactlyOne,
  nullFor,
  unknownMember,
  type ValidationTable,
  type Row,
} from '../support/graphql/validationTables.js';
import { withInvalidValue, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const NAME = 'input.notificationName';
const RECIPIENT = 'input.recipient';
const BY_NAME = 'input.recipient.shipmentLevel';
const EMAILS = 'input.recipient.shipmentLevel.emailList';
const PHONES = 'input.recipient.shipmentLevel.smsList';
const BY_STOP = 'input.recipient.stopLevel';
const BY_EMAIL = 'input.recipient.stopLevel.notifyStopContactsByEmail';
const BY_SMS = 'input.recipient.stopLevel.notifyStopContactsBySms';
const TRIGGER = 'input.trigger';
const STATUSES = 'input.trigger.shipmentStatusChange';
const OTHER = 'input.trigger.other';
const LABEL = 'input.trigger.other.notificationTypeLabel';
const TYPES = 'input.trigger.other.notificationTypes';
const FILTERS = 'input.filters';

const byName = { emailList: ['dock@example.com'], smsList: [] };
const byStop = { notifyStopContactsByEmail: true, notifyStopContactsBySms: true };
const other = { notificationTypeLabel: 'weather', notificationTypes: ['Storm'] };

const noRecipientMessage =
  'expected at least one email address or phone number, got {"emailList":[],"smsList":[]}';
const invalidStatus = (value: unknown, message: string): Row => [
  STATUSES,
  ['DELIVERED', value],
  message,
  `${STATUSES}[1]`,
];
const requiredFields: Row[] = [
  ...missing(NAME, 'String!'),
  ...missing(RECIPIENT, 'NotificationRecipientInput!'),
  ...missing(TRIGGER, 'NotificationTriggerInput!'),
];
const noChanges: Row[] = [
  ['input', {}, 'expected at least one field, got {}'],
  ['input', { filters: null }, 'expected at least one field, got {"filters":null}'],
];
const unknownStatus = (status: string) =>
  invalidStatus(status, `Value "${status}" does not exist in "ShipmentStatus" enum.`);

const tableOf = (inputType: 'NotificationInput' | 'UpdateNotificationInput'): ValidationTable => ({
  rules: [
    ...blankStrings(NAME),
    [EMAILS, [], noRecipientMessage, BY_NAME],
    [STATUSES, [], 'expected at least one status, got []'],
    ...blankStrings(LABEL),
    [TYPES, [], 'expected at least one subtype, got []'],
    [TYPES, ['Storm', ''], blankMessage(''), `${TYPES}[1]`],
    [TYPES, [' '], blankMessage(' '), `${TYPES}[0]`],
    ...(inputType === 'UpdateNotificationInput' ? noChanges : []),
    [NAME, 'a\ud800', characterMessage('lone surrogate U+D800 at position 2', 'a\ud800')],
    [LABEL, '\udc00', characterMessage('lone surrogate U+DC00 at position 1', '\udc00')],
    [
      TYPES,
      ['\udc00\ud800'],
      characterMessage('lone surrogate U+DC00 at position 1', '\udc00\ud800'),
      `${TYPES}[0]`,
    ],
  ],
  coercionErrors: [
    ['input', undefined, nullFor(`${inputType}!`)],
    ['input', null, nullFor(`${inputType}!`)],
    ...notAnObject('input', inputType),
    unknownMember('input', inputType),
    ...(inputType === 'NotificationInput' ? requiredFields : []),
    ...notAString(NAME),
    ...notAnObject(RECIPIENT, 'NotificationRecipientInput'),
    ...notExactlyOne(RECIPIENT, 'NotificationRecipientInput', [
      {},
      { shipmentLevel: byName, stopLevel: byStop },
      { shipmentLevel: byName, stopLevel: null },
    ]),
    [RECIPIENT, { stopLevel: null }, 'Field "stopLevel" must be non-null.', BY_STOP],
    ...notAnObject(BY_NAME, 'ShipmentLevelRecipientInput'),
    unknownMember(BY_NAME, 'ShipmentLevelRecipientInput'),
    ...missing(EMAILS, '[EmailAddress!]!'),
    ...inList([[EMAILS, null, nullFor('EmailAddress!')], ...notATextScalar(EMAILS, 'EmailAddress')]),
    ...missing(PHONES, '[PhoneNumber!]!'),
    ...inList([[PHONES, null, nullFor('PhoneNumber!')], ...notATextScalar(PHONES, 'PhoneNumber')]),
    ...notAnObject(BY_STOP, 'StopLevelRecipientInput'),
    unknownMember(BY_STOP, 'StopLevelRecipientInput'),
    ...missing(BY_EMAIL, 'Boolean!'),
    ...notABoolean(BY_EMAIL),
    ...missing(BY_SMS, 'Boolean!'),
    ...notABoolean(BY_SMS),
    ...notAnObject(TRIGGER, 'NotificationTriggerInput'),
    ...notExactlyOne(TRIGGER, 'NotificationTriggerInput', [
      {},
      { shipmentStatusChange: ['EN_ROUTE'], other },
    ]),
    [TRIGGER, { other: null }, 'Field "other" must be non-null.', OTHER],
    invalidStatus(null, nullFor('ShipmentStatus!')),
    invalidStatus(5, 'Enum "ShipmentStatus" cannot represent non-string value: 5.'),
    ...['LOST', 'delivered', 'ShipmentStatusDelivered', ''].map(unknownStatus),
    ...notAnObject(OTHER, 'OtherTriggerInput'),
    unknownMember(OTHER, 'OtherTriggerInput'),
    ...missing(LABEL, 'String!'),
    ...notAString(LABEL),
    ...missing(TYPES, '[String!]!'),
    ...inList([[TYPES, null, nullFor('String!')], ...notAString(TYPES)]),
    [FILTERS, [{}, null], nullFor('JSON!'), `${FILTERS}[1]`],
  ],
});

describeValidation(() => gateway, 'createNotification', tableOf('NotificationInput'));
describeValidation(() => gateway, 'updateNotification', tableOf('UpdateNotificationInput'));

describe('input that only looks wrong is sent to the service', () => {
  const body = {
    notificationName: 'Dock team',
    notificationRecipientType: 'shipmentLevel',
    emailList: ['dock@example.com'],
    smsList: [],
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusEnRoute'],
  };

  test.each<[place: string, value: unknown, expected: object]>([
    [EMAILS, 'yard@example.com', { emailList: ['yard@example.com'] }],
    [PHONES, '3035550100', { smsList: ['+13035550100'] }],
    [STATUSES, 'DELIVERED', { notificationTypes: ['ShipmentStatusDelivered'] }],
    [FILTERS, null, {}],
    [FILTERS, [], { filters: [] }],
    [FILTERS, { state: null }, { filters: [{ state: null }] }],
    [FILTERS, [[null], 0, false, ''], { filters: [[null], 0, false, ''] }],
  ])('%s set to %j', async (place, value, expected) => {
    const args = withInvalidValue('createNotification', place, value);
    const operation = asVariables('createNotification', args);
    expect(await gateway.data(operation.query, operation)).toEqual({ createNotification: { messages: [] } });
    expect(gateway.takeCalls().map((call) => JSON.parse(call.body) as unknown)).toEqual([
      { ...body, ...expected },
    ]);
  });
});
