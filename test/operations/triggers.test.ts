import { expect, test } from 'vitest';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';

const label = 'shipmentStatusChange';

/** The statuses of the schema and of the service. */
const statuses = [
  ['EN_ROUTE', 'ShipmentStatusEnRoute'],
  ['AT_SHIPPER', 'ShipmentStatusAtShipper'],
  ['IN_TRANSIT', 'ShipmentStatusInTransit'],
  ['AT_CONSIGNEE', 'ShipmentStatusAtConsignee'],
  ['DELIVERED', 'ShipmentStatusDelivered'],
] as const;
const gateway = useGateway();

/** The trigger in the service's terms, and the statuses that the schema defines. */
interface QueriedTrigger {
  label: string;
  types: string[];
  shipmentStatuses: string[];
}

test.each<[string, object, QueriedTrigger]>([
  ...statuses.map(([status, type]): [string, object, QueriedTrigger] => [
    status,
    { shipmentStatusChange: [status] },
    { label, types: [type], shipmentStatuses: [status] },
  ]),
  [
    'several statuses, in order and with duplicates',
    { shipmentStatusChange: ['DELIVERED', 'EN_ROUTE', 'DELIVERED'] },
    {
      label,
      types: ['ShipmentStatusDelivered', 'ShipmentStatusEnRoute', 'ShipmentStatusDelivered'],
      shipmentStatuses: ['DELIVERED', 'EN_ROUTE', 'DELIVERED'],
    },
  ],
  [
    'a single status that is coerced to a list',
    { shipmentStatusChange: 'IN_TRANSIT' },
    { label, types: ['ShipmentStatusInTransit'], shipmentStatuses: ['IN_TRANSIT'] },
  ],
  [
    'an unknown label and unknown subtypes',
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
    'an unknown subtype among known ones',
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
    'a known subtype under another label',
    { other: { notificationTypeLabel: 'etaChange', notificationTypes: ['ShipmentStatusDelivered'] } },
    { label: 'etaChange', types: ['ShipmentStatusDelivered'], shipmentStatuses: [] },
  ],
  ...[label.toUpperCase(), label.toLowerCase(), 'ShipmentStatusChange'].map(
    (spelling): [string, object, QueriedTrigger] => [
      `the label in another case, ${spelling}`,
      { other: { notificationTypeLabel: spelling, notificationTypes: ['ShipmentStatusDelivered'] } },
      { label: spelling, types: ['ShipmentStatusDelivered'], shipmentStatuses: ['DELIVERED'] },
    ],
  ),
  [
    'a label that contains the documented one',
    { other: { notificationTypeLabel: `${label}s`, notificationTypes: ['ShipmentStatusDelivered'] } },
    { label: `${label}s`, types: ['ShipmentStatusDelivered'], shipmentStatuses: [] },
  ],
  [
    'subtypes in another spelling and names found on Object.prototype',
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
    'surrounding whitespace',
    { other: { notificationTypeLabel: ' eta ', notificationTypes: [' Late\n'] } },
    { label: ' eta ', types: [' Late\n'], shipmentStatuses: [] },
  ],
])("translates the trigger to the service's terms and back: %s", async (_content, trigger, queried) => {
  const input = { ...sampleDefinition.input, trigger };
  const document = `
    mutation ($input: NotificationInput!) {
      createNotification(input: $input) {
        notification { label: notificationTypeLabel types: notificationTypes shipmentStatuses }
      }
    }
  `;
  expect(await gateway.data(document, { variables: { input } })).toEqual({
    createNotification: { notification: queried },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('POST', '/v1/customnotifications', {
      body: {
        ...sampleDefinition.request,
        notificationTypeLabel: queried.label,
        notificationTypes: queried.types,
      },
    }),
  ]);
});
