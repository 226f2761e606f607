import { describe, expect, test } from 'vitest';
import type { Notification } from '../../src/mock/notifications.js';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';
import { CREATE, READ, UPDATE } from '../support/graphql/documents.js';
import { oneNotification } from '../support/service/examples.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';

const { notification, envelope } = oneNotification('shipmentLevel');
const recipientFields = {
  notifyStopContactsByEmail: true,
  notifyStopContactsBySms: false,
  emailList: ['dock@example.com', 'no address'],
  smsList: ['13035550100'],
};
const shipmentLevel = {
  __typename: 'ShipmentLevelRecipient',
  emailList: recipientFields.emailList,
  smsList: ['+13035550100'],
};
const stopLevel = {
  __typename: 'StopLevelRecipient',
  notifyStopContactsByEmail: true,
  notifyStopContactsBySms: false,
};
const other = { __typename: 'OtherRecipient' };
const gateway = useGateway();

async function read(changes: Partial<Record<keyof Notification, unknown>>) {
  gateway.injectFaults({
    body: JSON.stringify({ ...envelope, data: [{ ...notification, ...changes }] }),
  });
  const { data, errors } = await gateway.execute(READ, {
    variables: { guid: notification.notificationGuid },
  });
  gateway.takeCalls();
  const { notification: result } = data as { notification: { recipient: unknown } | null };
  return { recipient: result?.recipient, errors };
}

describe('The recipient type is matched in any letter case and returned in the spelling of the service', () => {
  const spellings: [type: object, ...spellings: string[]][] = [
    [shipmentLevel, 'shipmentLevel', 'SHIPMENTLEVEL', 'shipmentlevel', 'ShipmentLevel', 'sHIPMENTlEVEL'],
    [stopLevel, 'stopLevel', 'stoplevel', 'STOPLEVEL', 'StopLevel'],
    [other, 'carrierLevel', 'stop level', 'stopLevel ', 'shipmentLevel2', ''],
    [other, 'ＳtopLevel', 'stopLeveł', '__proto__'],
  ];

  test.each(spellings.flatMap(([type, ...each]) => each.map((spelling) => [spelling, type] as const)))(
    'for "%s"',
    async (notificationRecipientType, type) => {
      expect(await read({ ...recipientFields, notificationRecipientType })).toEqual({
        recipient: { ...type, notificationRecipientType },
      });
    },
  );
});

test.each<[string, object, object]>([
  ['shipmentLevel', { notifyStopContactsByEmail: undefined, notifyStopContactsBySms: null }, shipmentLevel],
  ['stopLevel', { emailList: undefined, smsList: null }, stopLevel],
  ['carrierLevel', { emailList: null, smsList: undefined, notifyStopContactsByEmail: null }, other],
])(
  'accepts a %s notification without the fields of other recipient types',
  async (type, changes, recipient) => {
    expect(await read({ ...recipientFields, notificationRecipientType: type, ...changes })).toEqual({
      recipient: { notificationRecipientType: type, ...recipient },
    });
  },
);

describe('With STOP_LEVEL_RECIPIENT_TYPE=stoplevel', () => {
  const spelled = useGateway({ env: { STOP_LEVEL_RECIPIENT_TYPE: 'stoplevel' } });
  const flags = { notifyStopContactsByEmail: true, notifyStopContactsBySms: false };
  const recipient = { ...stopLevel, notificationRecipientType: 'stoplevel' };
  const fields = { notificationRecipientType: 'stoplevel', ...flags };
  const guid = notification.notificationGuid;

  test('a creation and an update send that spelling, and return it', async () => {
    const input = { ...sampleDefinition.input, recipient: { stopLevel: flags } };
    const { createNotification } = (await spelled.data(CREATE, { variables: { input } })) as {
      createNotification: { notification: { notificationGuid: string; recipient: unknown } };
    };
    const { notificationGuid } = createNotification.notification;
    expect(createNotification.notification.recipient).toEqual(recipient);
    expect(await spelled.data(UPDATE, { variables: { guid: notificationGuid, input } })).toMatchObject({
      updateNotification: { notification: { recipient } },
    });
    const body = { ...sampleDefinition.request, ...fields };
    expect(summariesOf(spelled.takeCalls())).toEqual([
      restCall('POST', '/v1/customnotifications', { body }),
      restCall('PUT', `/v1/customnotifications/${notificationGuid}`, { body: { ...body, notificationGuid } }),
    ]);
  });

  test('an update that keeps the recipient sends the spelling that was read', async () => {
    const read = {
      ...notification,
      ...stopLevel,
      emailList: [],
      smsList: [],
      notificationRecipientType: 'StopLevel',
    };
    const responseWith = (data: object) => ({ body: JSON.stringify({ ...envelope, data: [data] }) });
    spelled.injectFaults(responseWith(read), responseWith({ ...read, notificationName: 'Any' }));
    await spelled.data(UPDATE, { variables: { guid, input: { notificationName: 'Any' } } });
    const [, put] = spelled.takeCalls();
    expect(JSON.parse(put?.body ?? '')).toMatchObject({ notificationRecipientType: 'StopLevel' });
  });
});
