import { expect, test } from 'vitest';
import { READ } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const PATH = '/v1/customnotifications';
const seeded = {
  id: '37585015-39b8-4520-af7a-4f3f9405ba8a',
  notificationGuid: '37585015-39b8-4520-af7a-4f3f9405ba8a',
  notificationName: 'Customer EXAMPLE-1',
  recipient: {
    __typename: 'ShipmentLevelRecipient',
    notificationRecipientType: 'shipmentLevel',
    emailList: ['customer-one@example.com'],
    smsList: ['+13035550106'],
  },
  notificationTypeLabel: 'shipmentStatusChange',
  notificationTypes: ['ShipmentStatusDelivered'],
  shipmentStatuses: ['DELIVERED'],
  filters: [{ field: 'customerCode', values: ['EXAMPLE-1'] }],
  notificationMetaData: null,
  lastUpdateUserName: 'api.integration',
  lastUpdateDate: '2024-03-10T03:00:00.000000-05:00',
};
const gateway = useGateway();

test.each(['shipmentLevel', 'stopLevel'] as const)(
  'maps the documented %s response to the notification',
  async (name) => {
    const { notification, envelope } = oneNotification(name);
    const guid = notification.notificationGuid;
    gateway.injectFaults({ body: JSON.stringify(envelope) });
    expect(await gateway.data(READ, { variables: { guid } })).toEqual({
      notification: expectedNotification(notification),
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', `${PATH}/${guid}`)]);
  },
);

test.each([seeded.notificationGuid, seeded.notificationGuid.toUpperCase()])(
  'reads the notification %s regardless of letter case',
  async (guid) => {
    expect(await gateway.data(READ, { variables: { guid } })).toEqual({ notification: seeded });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('GET', `${PATH}/${guid}`)]);
  },
);
