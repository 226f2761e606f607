import { expect, test } from 'vitest';
import { readNotifications } from '../../src/mock/notifications.js';
import { LIST } from '../support/graphql/documents.js';
import { responseExample } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const PATH = '/v1/customnotifications';
const gateway = useGateway();

test.each([
  ['none', { notifications: [], totalPossibleCount: 0, messages: [] }],
  [
    'one',
    {
      notifications: [
        {
          id: '9d7cbb5e-5a4e-4d0c-8c0f-6f4e2d3b1a02',
          notificationGuid: '9d7cbb5e-5a4e-4d0c-8c0f-6f4e2d3b1a02',
          notificationName: 'Stop contacts, pick-up',
          recipient: {
            __typename: 'StopLevelRecipient',
            notificationRecipientType: 'stoplevel',
            notifyStopContactsByEmail: true,
            notifyStopContactsBySms: true,
          },
          notificationTypeLabel: 'shipmentStatusChange',
          notificationTypes: ['ShipmentStatusAtShipper'],
          shipmentStatuses: ['AT_SHIPPER'],
          filters: [{ field: 'originState', values: ['CO', 'UT'] }],
          notificationMetaData: null,
          lastUpdateUserName: 'robin.planner',
          lastUpdateDate: '2024-05-02T16:45:10.5-05:00',
        },
      ],
      totalPossibleCount: 1,
      messages: [],
    },
  ],
])('maps the documented response "%s" to the list', async (name, notifications) => {
  gateway.injectFaults({ body: JSON.stringify(responseExample('listNotifications', '200', name)) });
  expect(await gateway.data(LIST)).toEqual({ notifications });
  expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', PATH)]);
});

test.each([
  ['204', { status: 204 }],
  ['null', { body: 'null' }],
])('reads an empty list from %s', async (_what, fault) => {
  gateway.injectFaults(fault);
  expect(await gateway.data(LIST)).toEqual({
    notifications: { notifications: [], totalPossibleCount: null, messages: [] },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', PATH)]);
});

test.each([
  { data: [], messages: ['The token has expired'], totalPossibleCount: 0 },
  { data: [], messages: [{ type: 'ERROR', text: 'x' }] },
  { data: null, messages: ['Unauthorized'] },
  { data: null, code: 0, msg: 'No permission' },
])('takes no list that could not be read for an empty one: %j', async (body) => {
  const fault = { body: JSON.stringify(body) };
  gateway.injectFaults(fault, fault);
  const failed = {
    message: 'The response reports a failure, with the status 200',
    extensions: { code: 'SERVICE_RESPONSE_INVALID' },
  };
  expect(await gateway.execute(LIST)).toMatchObject({ data: { notifications: null }, errors: [failed] });
  const one = '{ notification(notificationGuid: "x") { id } }';
  expect(await gateway.execute(one)).toMatchObject({ data: { notification: null }, errors: [failed] });
  expect(gateway.takeCalls()).toHaveLength(2);
});

test.each([
  { data: [], messages: ['No notifications found', 'No errors', 'No error'], totalPossibleCount: 0 },
  { data: null, message: 'Not found' },
])('takes nothing that was found for an empty list: %j', async (body) => {
  const fault = { body: JSON.stringify(body) };
  gateway.injectFaults(fault, fault);
  expect(await gateway.data(LIST)).toMatchObject({ notifications: { notifications: [] } });
  expect(await gateway.data('{ notification(notificationGuid: "x") { id } }')).toEqual({
    notification: null,
  });
  expect(gateway.takeCalls()).toHaveLength(2);
});

test('lists all notifications in the order of the service', async () => {
  const seeds = readNotifications();
  expect(await gateway.data(LIST)).toEqual({
    notifications: {
      notifications: seeds.map(expectedNotification),
      totalPossibleCount: seeds.length,
      messages: [],
    },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', PATH)]);
});

test.each([
  ['null', null, ''],
  ['an empty object', {}, ''],
  ['numbers', { page: 2, ratio: -0.5, none: 0 }, 'page=2&ratio=-0.5&none=0'],
  ['booleans', { archived: false, mine: true }, 'archived=false&mine=true'],
  ['strings', { empty: '', plain: 'a-b_c.d*' }, 'empty=&plain=a-b_c.d*'],
  [
    'arrays',
    { scac: ['EXMA', 'EXMB'], mixed: [1, true, ''], nothing: [] },
    'scac=EXMA&scac=EXMB&mixed=1&mixed=true&mixed=',
  ],
  ['reserved characters', { q: '&=?#/+%;,: "' }, 'q=%26%3D%3F%23%2F%2B%25%3B%2C%3A+%22'],
  ['non-ASCII characters', { q: 'é 東京 🚚' }, 'q=%C3%A9+%E6%9D%B1%E4%BA%AC+%F0%9F%9A%9A'],
  ['names that need encoding', { 'a b&c=d': 1, 'sort[by]': 'name' }, 'a+b%26c%3Dd=1&sort%5Bby%5D=name'],
  ['the name of a parameter that other REST calls document', { CarrierMC: '900001' }, 'CarrierMC=900001'],
])('sends additional parameters in the query string: %s', async (_content, parameters, query) => {
  gateway.injectFaults({ body: JSON.stringify(responseExample('listNotifications', '200', 'none')) });
  await gateway.data(LIST, { variables: { parameters } });
  expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', PATH, { query })]);
});
