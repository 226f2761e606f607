import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import {
  describeValidation,
  blankMessage,
  blankStrings,
  characterMessage,
  type Row,
} from '../support/graphql/validationTables.js';
import { withInvalidValue, asVariables } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const NAME = 'input.notificationName';
const BY_NAME = 'input.recipient.shipmentLevel';
const EMAILS = 'input.recipient.shipmentLevel.emailList';
const PHONES = 'input.recipient.shipmentLevel.smsList';
const STATUSES = 'input.trigger.shipmentStatusChange';
const LABEL = 'input.trigger.other.notificationTypeLabel';
const TYPES = 'input.trigger.other.notificationTypes';
const FILTERS = 'input.filters';

const noRecipientMessage =
  'expected at least one email address or phone number, got {"emailList":[],"smsList":[]}';
const rules: Row[] = [
  ...blankStrings(NAME),
  [EMAILS, [], noRecipientMessage, BY_NAME],
  [STATUSES, [], 'expected at least one status, got []'],
  ...blankStrings(LABEL),
  [TYPES, [], 'expected at least one subtype, got []'],
  [TYPES, ['Storm', ''], blankMessage(''), `${TYPES}[1]`],
  [TYPES, [' '], blankMessage(' '), `${TYPES}[0]`],
  [NAME, 'a\ud800', characterMessage('lone surrogate U+D800 at position 2', 'a\ud800')],
  [LABEL, '\udc00', characterMessage('lone surrogate U+DC00 at position 1', '\udc00')],
  [
    TYPES,
    ['\udc00\ud800'],
    characterMessage('lone surrogate U+DC00 at position 1', '\udc00\ud800'),
    `${TYPES}[0]`,
  ],
];
describeValidation(() => gateway, 'createNotification', rules);
describeValidation(() => gateway, 'updateNotification', [
  ...rules,
  ['input', {}, 'expected at least one field, got {}'],
  ['input', { filters: null }, 'expected at least one field, got {"filters":null}'],
]);

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
