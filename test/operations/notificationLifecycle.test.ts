import { expect, test } from 'vitest';
import {
  CREATE,
  DELETE,
  DELETE_EXCEPTION,
  LIST,
  READ,
  READ_SEVERAL,
  TRACK,
  UPDATE,
} from '../support/graphql/documents.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
const gateway = useGateway();

function takePaths(): string[] {
  return gateway.takeCalls().map(({ method, path }) => `${method} ${path}`);
}

function notFound(document: string, field: string, message: string) {
  return {
    data: { [field]: null },
    errors: [
      fieldError(document, [field], serviceErrorMessages.notFound, {
        code: 'NOT_FOUND',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 404,
        serviceMessages: [{ message }],
      }),
    ],
  };
}

test('creates, reads, lists, updates and deletes a notification', async () => {
  const trigger = { shipmentStatusChange: ['EN_ROUTE', 'DELIVERED'] };
  const filters = [{ field: 'weight', minimum: 20000 }];
  const { createNotification } = (await gateway.data(CREATE, {
    variables: {
      input: {
        notificationName: 'Lifecycle',
        recipient: { shipmentLevel: { emailList: ['lifecycle@example.com'], smsList: ['(303) 555-0199'] } },
        trigger,
        filters,
      },
    },
  })) as { createNotification: { notification: { notificationGuid: string } } };
  const created = {
    notificationGuid: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    notificationName: 'Lifecycle',
    recipient: {
      __typename: 'ShipmentLevelRecipient',
      notificationRecipientType: 'shipmentLevel',
      emailList: ['lifecycle@example.com'],
      smsList: ['+13035550199'],
    },
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusEnRoute', 'ShipmentStatusDelivered'],
    shipmentStatuses: ['EN_ROUTE', 'DELIVERED'],
    filters,
    notificationMetaData: null,
    lastUpdateUserName: 'mock.user',
    lastUpdateDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}-05:00$/) as string,
  };
  expect(createNotification).toEqual({ notification: created, messages: [] });

  const guid = createNotification.notification.notificationGuid;
  const path = `/v1/customnotifications/${guid}`;
  expect(await gateway.data(READ, { variables: { guid } })).toEqual({
    notification: createNotification.notification,
  });
  const { notifications } = (await gateway.data(LIST)) as {
    notifications: { notifications: unknown[]; totalPossibleCount: number };
  };
  expect(notifications.notifications.at(-1)).toEqual(createNotification.notification);
  expect(notifications.totalPossibleCount).toBe(37);
  expect(takePaths()).toEqual(['POST /v1/customnotifications', `GET ${path}`, 'GET /v1/customnotifications']);

  const recipient = { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } };
  const input = { notificationName: 'Lifecycle, updated', recipient };
  const { updateNotification } = (await gateway.data(UPDATE, { variables: { guid, input } })) as {
    updateNotification: { notification: unknown };
  };
  expect(updateNotification).toEqual({
    notification: {
      ...created,
      notificationGuid: guid,
      notificationName: 'Lifecycle, updated',
      recipient: {
        __typename: 'StopLevelRecipient',
        notificationRecipientType: 'stopLevel',
        ...recipient.stopLevel,
      },
    },
    messages: [],
  });
  expect(await gateway.data(READ_SEVERAL, { variables: { guids: [guid, guid] } })).toEqual({
    notificationsByGuid: [updateNotification.notification, updateNotification.notification],
  });
  expect(takePaths()).toEqual([`GET ${path}`, `PUT ${path}`, `GET ${path}`]);

  expect(await gateway.data(DELETE, { variables: { guid } })).toEqual({
    deleteNotification: { notificationGuid: guid, messages: [] },
  });
  expect(await gateway.data(READ, { variables: { guid } })).toEqual({ notification: null });
  const message = `There is no notification ${guid}.`;
  for (const [document, field] of [
    [DELETE, 'deleteNotification'],
    [UPDATE, 'updateNotification'],
  ] as const) {
    const { data, errors } = await gateway.execute(document, { variables: { guid, input } });
    expect({ data, errors }).toEqual(notFound(document, field, message));
  }
  expect(takePaths()).toEqual([`DELETE ${path}`, `GET ${path}`, `DELETE ${path}`, `GET ${path}`]);
});

test('tracks a shipment repeatedly and deletes an exception and an exception file only once', async () => {
  const shipment = {
    shipment: {
      licensePlate: { freightProviderReferenceNumber: 'REF-1010', portalLicensePlate: 'PLATE-3010' },
    },
    carrier: { dot: '8000002' },
  };
  const identity = {
    freightProviderReferenceNumber: 'REF-1010',
    freightHaulerProviderXid: null,
    portalLicensePlate: 'PLATE-3010',
  };
  const tracking = { ...shipment, driverPhoneNumber: '3035550177', shipmentTrackingType: 'Mobile' };
  for (const driverPhoneNumber of ['3035550177', '+447911123456']) {
    expect(await gateway.data(TRACK, { variables: { input: { ...tracking, driverPhoneNumber } } })).toEqual({
      trackShipment: { tracked: true, shipment: identity },
    });
  }
  expect(takePaths()).toEqual(['POST /atlas/frexapi/shipment/track/', 'POST /atlas/frexapi/shipment/track/']);

  const exceptionGuid = 'e0000000-0000-4000-8000-000000001001';
  const exceptionFileGuid = 'f0000000-0000-4000-8000-000000001010';
  for (const target of [{ exceptionGuid }, { exceptionFileGuid }]) {
    const input = { ...shipment, target };
    expect(await gateway.data(DELETE_EXCEPTION, { variables: { input } })).toEqual({
      deleteException: {
        deleted: true,
        exceptionGuid: null,
        exceptionFileGuid: null,
        messages: [],
        ...target,
        shipment: identity,
      },
    });
    const { data, errors } = await gateway.execute(DELETE_EXCEPTION, { variables: { input } });
    expect({ data, errors }).toEqual(
      notFound(DELETE_EXCEPTION, 'deleteException', 'The shipment has no such exception or exception file.'),
    );
  }
  expect(takePaths()).toEqual(Array(4).fill('DELETE /atlas/frexapi/shipment/exception'));
});
