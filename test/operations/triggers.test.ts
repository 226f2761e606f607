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

/** A trigger in the service's terms, the statuses of it that the schema defines, and the trigger of the input. */
type Row = [content: string, label: string, types: string[], shipmentStatuses: string[], trigger?: object];

test.each<Row>([
  ...statuses.map(([status, type]): Row => [
    status,
    label,
    [type],
    [status],
    { shipmentStatusChange: [status] },
  ]),
  [
    'several statuses, in order and with duplicates',
    label,
    ['ShipmentStatusDelivered', 'ShipmentStatusEnRoute', 'ShipmentStatusDelivered'],
    ['DELIVERED', 'EN_ROUTE', 'DELIVERED'],
    { shipmentStatusChange: ['DELIVERED', 'EN_ROUTE', 'DELIVERED'] },
  ],
  [
    'a single status that is coerced to a list',
    label,
    ['ShipmentStatusInTransit'],
    ['IN_TRANSIT'],
    { shipmentStatusChange: 'IN_TRANSIT' },
  ],
  [
    'an unknown label and unknown subtypes',
    'temperatureChange',
    ['TemperatureAboveRange', 'Température'],
    [],
  ],
  [
    'an unknown subtype among known ones',
    label,
    ['ShipmentStatusAtCustoms', 'ShipmentStatusDelivered', 'ShipmentStatusEnRoute'],
    ['DELIVERED', 'EN_ROUTE'],
  ],
  ['a known subtype under another label', 'etaChange', ['ShipmentStatusDelivered'], []],
  ...[label.toUpperCase(), label.toLowerCase(), 'ShipmentStatusChange'].map((spelling): Row => [
    `the label as ${spelling}`,
    spelling,
    ['ShipmentStatusDelivered'],
    ['DELIVERED'],
  ]),
  ['a label that contains the documented one', `${label}s`, ['ShipmentStatusDelivered'], []],
  [
    'subtypes in another spelling and names found on Object.prototype',
    label,
    ['shipmentstatusdelivered', 'DELIVERED', 'constructor', '__proto__'],
    [],
  ],
])("translates the trigger to the service's terms and back: %s", async (_content, ...row) => {
  const [notificationTypeLabel, notificationTypes, shipmentStatuses, trigger] = row;
  const other = { notificationTypeLabel, notificationTypes };
  const input = { ...sampleDefinition.input, trigger: trigger ?? { other } };
  const document = `
    mutation ($input: NotificationInput!) {
      createNotification(input: $input) {
        notification { notificationTypeLabel notificationTypes shipmentStatuses }
      }
    }
  `;
  expect(await gateway.data(document, { variables: { input } })).toEqual({
    createNotification: { notification: { ...other, shipmentStatuses } },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('POST', '/v1/customnotifications', { body: { ...sampleDefinition.request, ...other } }),
  ]);
});
