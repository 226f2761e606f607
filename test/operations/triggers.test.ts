import { afterAll, beforeAll, expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';

const label = 'shipmentStatusChange';

/** The schema's statuses, and what the service calls them. */
const statuses = [
  ['EN_ROUTE', 'ShipmentStatusEnRoute'],
  ['AT_SHIPPER', 'ShipmentStatusAtShipper'],
  ['IN_TRANSIT', 'ShipmentStatusInTransit'],
  ['AT_CONSIGNEE', 'ShipmentStatusAtConsignee'],
  ['DELIVERED', 'ShipmentStatusDelivered'],
] as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

/** How the trigger reads in the terms of the service, and the statuses among it. */
interface Seen {
  label: string;
  types: string[];
  shipmentStatuses: string[];
}

test.each<[string, object, Seen]>([
  ...statuses.map(([status, type]): [string, object, Seen] => [
    status,
    { shipmentStatusChange: [status] },
    { label, types: [type], shipmentStatuses: [status] },
  ]),
  [
    'several statuses, in their order and as often as given',
    { shipmentStatusChange: ['DELIVERED', 'EN_ROUTE', 'DELIVERED'] },
    {
      label,
      types: ['ShipmentStatusDelivered', 'ShipmentStatusEnRoute', 'ShipmentStatusDelivered'],
      shipmentStatuses: ['DELIVERED', 'EN_ROUTE', 'DELIVERED'],
    },
  ],
  [
    'a single status without its list',
    { shipmentStatusChange: 'IN_TRANSIT' },
    { label, types: ['ShipmentStatusInTransit'], shipmentStatuses: ['IN_TRANSIT'] },
  ],
  [
    'a new label and new sub-types',
    {
      other: {
        notificationTypeLabel: 'temperatureChange',
        notificationTypes: ['TemperatureAboveRange', 'Température'],
      },
    },
    {
      label: 'temperatureChange',
      types: ['TemperatureAboveRange', 'Température'],
      shipmentStatuses: [],
    },
  ],
  [
    'a new sub-type beside known ones',
    {
      other: {
        notificationTypeLabel: label,
        notificationTypes: ['ShipmentStatusAtCustoms', 'ShipmentStatusDelivered', 'ShipmentStatusEnRoute'],
      },
    },
    {
      label,
      types: ['ShipmentStatusAtCustoms', 'ShipmentStatusDelivered', 'ShipmentStatusEnRoute'],
      shipmentStatuses: ['DELIVERED', 'EN_ROUTE'],
    },
  ],
  [
    'a known sub-type of another label',
    { other: { notificationTypeLabel: 'etaChange', notificationTypes: ['ShipmentStatusDelivered'] } },
    { label: 'etaChange', types: ['ShipmentStatusDelivered'], shipmentStatuses: [] },
  ],
  [
    'sub-types in another spelling, and names that JavaScript knows',
    {
      other: {
        notificationTypeLabel: label,
        notificationTypes: ['shipmentstatusdelivered', 'DELIVERED', 'constructor', '__proto__'],
      },
    },
    {
      label,
      types: ['shipmentstatusdelivered', 'DELIVERED', 'constructor', '__proto__'],
      shipmentStatuses: [],
    },
  ],
  [
    'space around the text',
    { other: { notificationTypeLabel: ' eta ', notificationTypes: [' Late\n'] } },
    { label: ' eta ', types: [' Late\n'], shipmentStatuses: [] },
  ],
])('A trigger is sent in the terms of the service and read again: %s', async (_name, trigger, seen) => {
  const input = { ...sampleDefinition.input, trigger };
  const document =
    'mutation ($input: NotificationInput!) { createNotification(input: $input) { notification { label: notificationTypeLabel types: notificationTypes shipmentStatuses } } }';
  expect(await gateway.data(document, { variables: { input } })).toEqual({
    createNotification: { notification: seen },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('POST', '/v1/customnotifications', {
      body: {
        ...sampleDefinition.request,
        notificationTypeLabel: seen.label,
        notificationTypes: seen.types,
      },
    }),
  ]);
});
