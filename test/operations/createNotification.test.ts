import { afterAll, beforeAll, expect, test } from 'vitest';
import { CREATE } from '../support/graphql/documents.js';
import { oneNotification, requestExample } from '../support/service/examples.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const PATH = '/v1/customnotifications';

/** The contract's examples as GraphQL; its `3035550101` goes on in E.164 format. */
const examples = [
  {
    name: 'shipmentLevel',
    input: {
      notificationName: 'Dock team, arrivals',
      recipient: {
        shipmentLevel: {
          emailList: ['dock@example.com', 'planning@example.com'],
          smsList: ['+13035550100', '3035550101'],
        },
      },
      trigger: { shipmentStatusChange: ['AT_CONSIGNEE', 'DELIVERED'] },
    },
    request: {
      ...requestExample('createNotification', 'shipmentLevel'),
      smsList: ['+13035550100', '+13035550101'],
    },
    created: {
      notificationGuid: '3f0a7c1e-2b64-4e7f-9a55-0c8d1e2f3a01',
      notificationName: 'Dock team, arrivals',
      recipient: {
        __typename: 'ShipmentLevelRecipient',
        notificationRecipientType: 'shipmentLevel',
        emailList: ['dock@example.com', 'planning@example.com'],
        smsList: ['+13035550100', '+13035550101'],
      },
      notificationTypeLabel: 'shipmentStatusChange',
      notificationTypes: ['ShipmentStatusAtConsignee', 'ShipmentStatusDelivered'],
      shipmentStatuses: ['AT_CONSIGNEE', 'DELIVERED'],
      filters: [],
      notificationMetaData: null,
      lastUpdateUserName: 'robin.planner',
      lastUpdateDate: '2024-05-01T08:30:00.1234567-05:00',
    },
  },
  {
    name: 'stopLevel',
    input: {
      notificationName: 'Stop contacts, pick-up',
      recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } },
      trigger: { shipmentStatusChange: ['EN_ROUTE', 'AT_SHIPPER'] },
    },
    request: requestExample('createNotification', 'stopLevel'),
    created: {
      notificationGuid: '9d7cbb5e-5a4e-4d0c-8c0f-6f4e2d3b1a02',
      notificationName: 'Stop contacts, pick-up',
      recipient: {
        __typename: 'StopLevelRecipient',
        notificationRecipientType: 'stopLevel',
        notifyStopContactsByEmail: true,
        notifyStopContactsBySms: false,
      },
      notificationTypeLabel: 'shipmentStatusChange',
      notificationTypes: ['ShipmentStatusEnRoute', 'ShipmentStatusAtShipper'],
      shipmentStatuses: ['EN_ROUTE', 'AT_SHIPPER'],
      filters: [],
      notificationMetaData: null,
      lastUpdateUserName: 'robin.planner',
      lastUpdateDate: '2024-05-02T16:45:10.7654321-05:00',
    },
  },
] as const;

const [, { input: stopLevelInput, request: stopLevelRequest }] = examples;
const { notification, envelope } = oneNotification('stopLevel');

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

test.each(examples)(
  'The documented $name creation becomes the documented request, and its answer the notification',
  async ({ name, input, request, created }) => {
    gateway.injectFaults({ body: JSON.stringify(oneNotification(name).envelope) });
    expect(await gateway.data(CREATE, { variables: { input } })).toEqual({
      createNotification: { notification: created, messages: [] },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('POST', PATH, { body: request })]);
  },
);

test.each(examples)('The service creates the documented $name notification', async ({ input, created }) => {
  expect(await gateway.data(CREATE, { variables: { input } })).toEqual({
    createNotification: {
      notification: {
        ...created,
        notificationGuid: expect.any(String) as string,
        lastUpdateUserName: 'reference.user',
        lastUpdateDate: expect.any(String) as string,
      },
      messages: [],
    },
  });
  expect(gateway.takeCalls()).toHaveLength(1);
});

test('A stop-level creation is sent as stopLevel, and the spelling stoplevel is read as the same type', async () => {
  const { notificationRecipientType, ...rest } = requestExample('createNotification', 'stopLevelInLowerCase');
  const answered = { ...notification, ...rest, notificationRecipientType: 'stoplevel' };
  gateway.injectFaults({ body: JSON.stringify({ ...envelope, data: [answered] }) });
  const input = {
    notificationName: 'Stop contacts, every status',
    recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: true } },
    trigger: { shipmentStatusChange: ['EN_ROUTE', 'AT_SHIPPER', 'IN_TRANSIT', 'AT_CONSIGNEE', 'DELIVERED'] },
  };
  expect(await gateway.data(CREATE, { variables: { input } })).toEqual({
    createNotification: { notification: expectedNotification(answered), messages: [] },
  });
  expect(notificationRecipientType).toBe('stoplevel');
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('POST', PATH, { body: { ...rest, notificationRecipientType: 'stopLevel' } }),
  ]);
});

test('Arguments written into the document become the same request as variables', async () => {
  gateway.injectFaults({ body: JSON.stringify(envelope) });
  const document = `mutation { createNotification(input: {
    notificationName: "Stop contacts, pick-up"
    recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } }
    trigger: { shipmentStatusChange: [EN_ROUTE, AT_SHIPPER] }
    filters: [{ field: "weight", minimum: 20000.5, tags: ["a", null, true] }]
  }) { notification { notificationGuid } } }`;
  expect(await gateway.data(document)).toEqual({
    createNotification: { notification: { notificationGuid: notification.notificationGuid } },
  });
  const filters = [{ field: 'weight', minimum: 20000.5, tags: ['a', null, true] }];
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('POST', PATH, { body: { ...stopLevelRequest, filters } }),
  ]);
});

test.each([
  ['left out', {}, {}],
  ['null', { filters: null }, {}],
  ['empty', { filters: [] }, { filters: [] }],
  ['one', { filters: [{ mode: 'rail' }] }, { filters: [{ mode: 'rail' }] }],
])('Filters that are %s are sent as they came', async (_name, given, sent) => {
  await gateway.data(CREATE, { variables: { input: { ...stopLevelInput, ...given } } });
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('POST', PATH, { body: { ...stopLevelRequest, ...sent } }),
  ]);
});

test.each([200, 201, 202])('Any 2xx with a notification is a success: %i', async (status) => {
  gateway.injectFaults({ status, body: JSON.stringify(envelope) });
  expect(await gateway.data(CREATE, { variables: { input: stopLevelInput } })).toEqual({
    createNotification: { notification: expectedNotification(notification), messages: [] },
  });
  expect(gateway.takeCalls()).toHaveLength(1);
});

test.each([
  [
    'no body',
    { status: 204 },
    serviceErrorMessages.misshapen('the whole body: Invalid input: expected object, received undefined'),
  ],
  [
    'no notification',
    { body: '{"data":[],"messages":[],"totalPossibleCount":0}' },
    serviceErrorMessages.misshapen('/data/0: expected the created notification'),
  ],
  [
    'HTML',
    { body: '<p>Created</p>', headers: { 'content-type': 'text/html' } },
    serviceErrorMessages.notJsonType,
  ],
])('A 2xx with %s leaves open whether the notification was created', async (_name, interference, message) => {
  gateway.injectFaults(interference);
  const { data, errors } = await gateway.execute(CREATE, { variables: { input: stopLevelInput } });
  expect({ data, errors }).toEqual({
    data: { createNotification: null },
    errors: [
      fieldError(CREATE, ['createNotification'], message, {
        code: 'SERVICE_RESPONSE_INVALID',
        outcome: 'UNKNOWN',
        retryable: false,
        status: 'status' in interference ? interference.status : 200,
      }),
    ],
  });
  expect(gateway.takeCalls()).toHaveLength(1);
});

test('Of two creations in one operation, the second stands where the first fails', async () => {
  const document =
    'mutation ($input: NotificationInput!) { one: createNotification(input: $input) { notification { notificationGuid } } two: createNotification(input: $input) { notification { notificationGuid } } }';
  gateway.injectFaults({ status: 500 }, { body: JSON.stringify(envelope) });
  const { data, errors } = await gateway.execute(document, { variables: { input: stopLevelInput } });
  expect({ data, errors }).toEqual({
    data: { one: null, two: { notification: { notificationGuid: notification.notificationGuid } } },
    errors: [
      fieldError(document, ['one'], serviceErrorMessages.failed, {
        code: 'SERVICE_ERROR',
        outcome: 'UNKNOWN',
        retryable: false,
        status: 500,
      }),
    ],
  });
  const call = restCall('POST', PATH, { body: stopLevelRequest });
  expect(summariesOf(gateway.takeCalls())).toEqual([call, call]);
});
