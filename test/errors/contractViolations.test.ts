import { describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import {
  isMutation,
  SEED_GUID,
  validArguments,
  asVariables,
  type FieldName,
} from '../support/graphql/rootFields.js';
const gateway = useGateway();

/** A value in the responses that no error message may repeat. */
const SECRET = 'secret-of-the-service';
const byName = {
  notificationGuid: SEED_GUID,
  notificationName: SECRET,
  notificationRecipientType: 'shipmentLevel',
  notificationTypeLabel: SECRET,
  notificationTypes: [SECRET],
  emailList: [SECRET],
  smsList: [SECRET],
  notifyStopContactsByEmail: false,
  notifyStopContactsBySms: false,
  notificationMetaData: { SECRET },
  filters: [],
  lastUpdateUserName: SECRET,
  lastUpdateDate: '2024-01-08T07:15:30.1234567-05:00',
};
const byStop = { ...byName, notificationRecipientType: 'StopLevel', emailList: null, smsList: null };

const invalid = (expected: string, received: string) =>
  `Invalid input: expected ${expected}, received ${received}`;
const required = (type: string) => `expected a value because the recipient type is ${type}`;

/** Changes that make a notification violate the contract, and the errors that they cause. */
const violations: [change: object, pointer: string, expectation: string][] = [
  ...['notificationGuid', 'notificationName', 'notificationRecipientType', 'notificationTypeLabel'].flatMap(
    (name): typeof violations => [
      [{ [name]: undefined }, `/${name}`, invalid('string', 'undefined')],
      [{ [name]: null }, `/${name}`, invalid('string', 'null')],
      [{ [name]: { SECRET } }, `/${name}`, invalid('string', 'object')],
    ],
  ),
  [{ notificationGuid: '' }, '/notificationGuid', 'Too small: expected string to have >=1 characters'],
  [{ notificationGuid: SECRET }, '/notificationGuid', 'expected the requested identifier'],
  [{ notificationTypes: undefined }, '/notificationTypes', invalid('array', 'undefined')],
  [{ notificationTypes: SECRET }, '/notificationTypes', invalid('array', 'string')],
  [{ notificationTypes: [SECRET, null] }, '/notificationTypes/1', invalid('string', 'null')],
  [{ emailList: undefined }, '/emailList', required('shipmentLevel')],
  [{ emailList: null }, '/emailList', required('shipmentLevel')],
  [{ emailList: SECRET }, '/emailList', invalid('array', 'string')],
  [{ emailList: [5] }, '/emailList/0', invalid('string', 'number')],
  [{ smsList: null }, '/smsList', required('shipmentLevel')],
  [{ smsList: [SECRET, 13035550100] }, '/smsList/1', invalid('string', 'number')],
  [{ ...byStop, notifyStopContactsByEmail: null }, '/notifyStopContactsByEmail', required('stopLevel')],
  [
    { ...byStop, notifyStopContactsByEmail: SECRET },
    '/notifyStopContactsByEmail',
    invalid('boolean', 'string'),
  ],
  [{ ...byStop, notifyStopContactsBySms: undefined }, '/notifyStopContactsBySms', required('stopLevel')],
  [{ notifyStopContactsBySms: 1 }, '/notifyStopContactsBySms', invalid('boolean', 'number')],
  [{ filters: { SECRET } }, '/filters', invalid('array', 'object')],
  [{ lastUpdateUserName: 5 }, '/lastUpdateUserName', invalid('string', 'number')],
  [{ lastUpdateDate: 1704716130 }, '/lastUpdateDate', invalid('string', 'number')],
  ...['yesterday', '2024-01-08', '2024-01-08T07:15:30', '2024-02-30T07:15:30Z'].map(
    (date): (typeof violations)[number] => [
      { lastUpdateDate: date },
      '/lastUpdateDate',
      'Invalid ISO datetime',
    ],
  ),
];

const fields = ['notification', 'updateNotification'] as const;

describe.each(fields)('%s reports the path and the expectation, but no value,', (field) => {
  test.each(violations)('for %j', async (change, pointer, expectation) => {
    gateway.injectFaults({ body: JSON.stringify({ data: [{ ...byName, ...change }], messages: [] }) });
    expect(await send(field)).toEqual(contractViolation(field, `/data/0${pointer}: ${expectation}`));
  });

  test.each<[body: string, problem: string]>([
    ['"secret"', `the whole body: ${invalid('object', 'string')}`],
    ['null', `the whole body: ${invalid('object', 'null')}`],
    ['[]', `the whole body: ${invalid('object', 'array')}`],
    ['{}', `/data: ${invalid('array', 'undefined')}`],
    ['{"data":{}}', `/data: ${invalid('array', 'object')}`],
    ['{"data":[null]}', `/data/0: ${invalid('object', 'null')}`],
    ['{"data":["secret"]}', `/data/0: ${invalid('object', 'string')}`],
  ])('for %s', async (body, problem) => {
    gateway.injectFaults({ body });
    expect(await send(field)).toEqual(contractViolation(field, problem));
  });
});

test('notification reports at most five violations', async () => {
  gateway.injectFaults({ body: JSON.stringify({ data: [{ emailList: [1, 2, 3, 4, 5, 6, 7, 8] }] }) });
  const { errors } = await send('notification');
  expect(errors?.map(({ message }) => message.split('; ').length)).toEqual([5]);
});

test.each<[body: object, problem: string]>([
  [{ data: [] }, '/data/0: expected the created notification'],
  [
    { data: [{ ...byName, notificationName: 5 }] },
    `/data/0/notificationName: ${invalid('string', 'number')}`,
  ],
])('createNotification reports the path for %j', async (body, problem) => {
  gateway.injectFaults({ body: JSON.stringify(body) });
  expect(await send('createNotification')).toEqual(contractViolation('createNotification', problem));
});

test.each<[total: unknown, expectation: string]>([
  [undefined, invalid('number', 'undefined')],
  [null, invalid('number', 'null')],
  ['1', invalid('number', 'string')],
  [1.5, invalid('int', 'number')],
  [2 ** 31, 'Too big: expected number to be <=2147483647'],
])('notifications reports the path for a total of %j', async (totalPossibleCount, expectation) => {
  gateway.injectFaults({ body: JSON.stringify({ data: [byName], totalPossibleCount }) });
  expect(await send('notifications')).toEqual({
    ...contractViolation('notifications', `/totalPossibleCount: ${expectation}`),
    data: { notifications: null },
  });
});

test.each(['false', 'null', '"true"', '1', '{}', '[true]', '{"data":true}'])(
  'trackShipment accepts no body but true: %s',
  async (body) => {
    gateway.injectFaults({ body });
    expect(await send('trackShipment')).toEqual(
      contractViolation('trackShipment', 'the whole body: Invalid input: expected true'),
    );
  },
);

test.each(['notification', 'createNotification', 'trackShipment'] as const)(
  '%s requires a body',
  async (field) => {
    gateway.injectFaults({ status: 200 });
    const expected = field === 'trackShipment' ? 'expected true' : 'expected object, received undefined';
    expect(await send(field)).toEqual(contractViolation(field, `the whole body: Invalid input: ${expected}`));
  },
);

async function send(field: FieldName) {
  const { data, errors, calls } = await executeAndRecord(gateway, asVariables(field, validArguments(field)));
  return { data, errors, restCalls: calls.length };
}

/** The result of an operation whose REST call got a response that violates the contract. */
function contractViolation(field: FieldName, problem: string) {
  const effect = { ...(isMutation(field) && { outcome: 'UNKNOWN' }), retryable: false };
  const extensions = { code: 'SERVICE_RESPONSE_INVALID', ...effect, status: 200 };
  const message = `The response does not match the contract: ${problem}`;
  return { data: { [field]: null }, errors: [{ message, path: [field], extensions }], restCalls: 1 };
}
