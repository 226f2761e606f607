import { describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { pathOf } from '../support/graphql/violations.js';
import { withInvalidValue, isMutation, asLiterals, type FieldName } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const STATUSES = 'input.trigger.shipmentStatusChange';

const notExactlyOne = (type: string) => `OneOf Input Object "${type}" must specify exactly one key.`;

describe('GraphQL validation rejects a literal of the wrong type and names its argument, without a REST call', () => {
  test.each<[field: FieldName, place: string, value: unknown, message: string]>([
    ['notification', 'notificationGuid', null, 'Expected value of type "ID!", found null.'],
    ['notificationsByGuid', 'notificationGuids', ['a', null], 'Expected value of type "ID!", found null.'],
    ['notifications', 'additionalParameters', 'x', 'Expected an object, got "x"'],
    ['notifications', 'color', 'red', 'Unknown argument "color" on field "Query.notifications".'],
    [
      'createNotification',
      'input.notificationName',
      undefined,
      'Field "NotificationInput.notificationName" of required type "String!" was not provided.',
    ],
    ['createNotification', 'input.notificationName', 5, 'String cannot represent a non string value: 5'],
    ['createNotification', 'input.color', 'red', 'Field "color" is not defined by type "NotificationInput".'],
    ['createNotification', STATUSES, ['LOST'], 'Value "LOST" does not exist in "ShipmentStatus" enum.'],
    ['trackShipment', 'input.carrier', { mc: '900001', dot: '8000001' }, notExactlyOne('CarrierInput')],
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
