import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { useGateway } from '../support/gateway/gateway.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { asVariables, validArguments } from '../support/graphql/rootFields.js';
import { oneNotification } from '../support/service/examples.js';

const { notification } = oneNotification('shipmentLevel');
const guid = notification.notificationGuid;
const path = `/v1/customnotifications/${guid}`;
const LAST_UPDATE = '2024-01-08T07:15:30.1234567-05:00';
const gateway = useGateway({ config: { service: { retries: 0 } } });

const lastUpdatedAt = (lastUpdateDate: string | null | undefined): Fault => ({
  body: JSON.stringify({ data: [{ ...notification, lastUpdateDate }], messages: [] }),
});

describe.each([
  ['updateNotification', 'PUT', 'a whole definition', validArguments('updateNotification')],
  ['updateNotification', 'PUT', 'a name', { input: { notificationName: 'Renamed' } }],
  ['deleteNotification', 'DELETE', 'no input', {}],
] as const)('ifLastUpdateDate of %s (%s) with %s', (field, method, _input, args) => {
  const confirmed: Fault = method === 'DELETE' ? { status: 204 } : lastUpdatedAt('2024-01-08T07:15:31-05:00');
  const execute = (ifLastUpdateDate: unknown) =>
    executeAndRecord(gateway, asVariables(field, { ...args, notificationGuid: guid, ifLastUpdateDate }));
  const failed = (message: string, extensions: object) => ({
    status: 200,
    data: { [field]: null },
    errors: [
      { message, path: [field], extensions: { ...extensions, outcome: 'NOT_APPLIED', retryable: false } },
    ],
  });

  test.each([
    LAST_UPDATE,
    '2024-01-08T12:15:30.1234567Z',
    '2024-01-08T12:15:30.123456700+00:00',
    '2024-01-08T17:45:30.1234567+05:30',
  ])('is met by the same instant, whatever its offset: %s', async (date) => {
    gateway.injectFaults(lastUpdatedAt(LAST_UPDATE), confirmed);
    expect(await execute(date)).toEqual({
      status: 200,
      data: { [field]: { messages: [] } },
      errors: undefined,
      calls: [`GET ${path}`, `${method} ${path}`],
    });
  });

  test.each<[date: string, actual: string | null | undefined]>([
    ['2024-01-08T07:15:30.1234568-05:00', LAST_UPDATE],
    ['2024-01-08T07:15:30.123-05:00', LAST_UPDATE],
    ['2024-01-08T07:15:30-05:00', LAST_UPDATE],
    ['2024-01-08T07:15:30.1234567Z', LAST_UPDATE],
    [LAST_UPDATE, '2024-01-08T07:15:31.1234567-05:00'],
    [LAST_UPDATE, null],
    [LAST_UPDATE, undefined],
  ])(
    'fails with CONFLICT, and nothing is sent, if it is %s and the last update was at %s',
    async (date, actual) => {
      gateway.injectFaults(lastUpdatedAt(actual));
      expect(await execute(date)).toEqual({
        ...failed(`The notification was last updated at ${actual ?? 'an unknown time'}, not ${date}`, {
          code: 'CONFLICT',
        }),
        calls: [`GET ${path}`],
      });
    },
  );

  test('fails with NOT_FOUND if the service has no such notification', async () => {
    const { errors, calls } = await execute(LAST_UPDATE);
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND', outcome: 'NOT_APPLIED' } }]);
    expect(calls).toEqual([`GET ${path}`]);
  });

  test.each(['2024-01-08', 'yesterday', '2024-01-08T07:15:30', '2024-02-30T07:15:30Z', ''])(
    'is rejected without a REST call if it is %j',
    async (date) => {
      expect(await execute(date)).toEqual({
        ...failed(`expected a date and time in ISO 8601 format with a UTC offset, got "${date}"`, {
          code: 'BAD_USER_INPUT',
          inputPath: ['ifLastUpdateDate'],
          rule: 'DATE_TIME',
        }),
        calls: [],
      });
    },
  );
});

test('ifLastUpdateDate that is null is the same as none', async () => {
  const operation = asVariables('deleteNotification', { notificationGuid: guid, ifLastUpdateDate: null });
  gateway.injectFaults({ status: 204 });
  const { errors, calls } = await executeAndRecord(gateway, operation);
  expect([errors, calls]).toEqual([undefined, [`DELETE ${path}`]]);
});
