import { describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { pathOf } from '../support/graphql/violations.js';
import { withInvalidValue, isMutation, asLiterals, type FieldName } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const RECIPIENT = 'input.recipient';
const EMAILS = 'input.recipient.shipmentLevel.emailList';
const STATUSES = 'input.trigger.shipmentStatusChange';
const PARAMETERS = 'input.additionalParameters';
const byName = { emailList: ['dock@example.com'], smsList: [] };
const byStop = { notifyStopContactsByEmail: true, notifyStopContactsBySms: true };

const notExactlyOne = (type: string) => `OneOf Input Object "${type}" must specify exactly one key.`;

describe('GraphQL validation rejects a literal of the wrong type and names its argument, without a REST call', () => {
  test.each<[field: FieldName, place: string, value: unknown, message: string]>([
    ['notification', 'notificationGuid', null, 'Expected value of type "ID!", found null.'],
    ['notification', 'notificationGuid', 1.5, 'ID cannot represent a non-string and non-integer value: 1.5'],
    ['notificationsByGuid', 'notificationGuids', ['a', null], 'Expected value of type "ID!", found null.'],
    ['notifications', 'additionalParameters', 'x', 'JSONObject expected an object, got "x"'],
    ['notifications', 'color', 'red', 'Unknown argument "color" on field "Query.notifications".'],
    [
      'createNotification',
      'input.notificationName',
      undefined,
      'Field "NotificationInput.notificationName" of required type "String!" was not provided.',
    ],
    ['createNotification', 'input.notificationName', 5, 'String cannot represent a non string value: 5'],
    ['createNotification', 'input.color', 'red', 'Field "color" is not defined by type "NotificationInput".'],
    ['createNotification', RECIPIENT, {}, notExactlyOne('NotificationRecipientInput')],
    [
      'createNotification',
      RECIPIENT,
      { shipmentLevel: byName, stopLevel: byStop },
      notExactlyOne('NotificationRecipientInput'),
    ],
    [
      'createNotification',
      RECIPIENT,
      { stopLevel: null },
      'Field "NotificationRecipientInput.stopLevel" must be non-null.',
    ],
    ['createNotification', EMAILS, [null], 'Expected value of type "EmailAddress!", found null.'],
    ['createNotification', EMAILS, [5], 'EmailAddress expected a string, got 5'],
    ['createNotification', STATUSES, ['LOST'], 'Value "LOST" does not exist in "ShipmentStatus" enum.'],
    ['createNotification', STATUSES, [null], 'Expected value of type "ShipmentStatus!", found null.'],
    [
      'createNotification',
      STATUSES,
      ['"DELIVERED"'],
      'Enum "ShipmentStatus" cannot represent non-enum value: "DELIVERED".',
    ],
    ['trackShipment', 'input.driverPhoneNumber', 3035550100, 'PhoneNumber expected a string, got 3035550100'],
    ['trackShipment', 'input.carrier', { mc: '900001', dot: '8000001' }, notExactlyOne('CarrierInput')],
    ['trackShipment', PARAMETERS, [1], 'JSONObject expected an object, got [1]'],
    [
      'deleteException',
      'input.target',
      { exceptionGuid: 'e', exceptionFileGuid: 'f' },
      notExactlyOne('ExceptionTargetInput'),
    ],
  ])('%s with %s set to %j', async (field, place, value, message) => {
    const operation = asLiterals(field, withInvalidValue(field, place, value));
    expect(await executeAndRecord(gateway, operation)).toEqual({
      status: 422,
      data: undefined,
      errors: [
        {
          message,
          extensions: {
            code: 'GRAPHQL_VALIDATION_FAILED',
            field,
            inputPath: pathOf(place).slice(0, 1),
            ...(isMutation(field) && { outcome: 'NOT_APPLIED' }),
            retryable: false,
          },
        },
      ],
      calls: [],
    });
  });
});
