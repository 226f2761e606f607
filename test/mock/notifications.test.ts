import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readNotifications, type Notification } from '../../src/mock/notifications.js';
import { type MockService, startMockService } from '../../src/mock/mockService.js';
import { schemaViolations } from '../support/service/contract.js';
import { json, send } from './client.js';

const PATH = '/v1/customnotifications';
const GUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const seeds = readNotifications();
const [seed] = seeds as [Notification];

const shipmentLevel = {
  notificationName: 'Dock team',
  notificationRecipientType: 'shipmentLevel',
  notificationTypeLabel: 'shipmentStatusChange',
  notificationTypes: ['ShipmentStatusDelivered'],
  emailList: ['dock@example.com'],
  smsList: ['+13035550100', '3035550101', '13035550102', '+447911123456', '+4512345678'],
};
const stopLevel = {
  notificationName: 'Stop contacts',
  notificationRecipientType: 'stoplevel',
  notificationTypeLabel: 'shipmentStatusChange',
  notificationTypes: ['ShipmentStatusAtShipper'],
  notifyStopContactsByEmail: true,
  notifyStopContactsBySms: false,
};
const assigned = {
  notificationMetaData: null,
  lastUpdateUserName: 'mock.user',
  lastUpdateDate: '2024-05-01T19:30:00.1230000-05:00',
};
const returnedShipmentLevel = {
  ...shipmentLevel,
  ...assigned,
  notifyStopContactsByEmail: false,
  notifyStopContactsBySms: false,
  smsList: ['13035550100', '13035550101', '13035550102', '447911123456', '4512345678'],
  filters: [],
};
const returnedStopLevel = { ...stopLevel, ...assigned, emailList: [], smsList: [], filters: [] };

let service: MockService;
beforeEach(async () => {
  service = await startMockService({ now: () => new Date('2024-05-02T00:30:00.123Z') });
});
afterEach(() => service.stop());

describe('creation', () => {
  test.each([
    ['shipment-level', 'stop contacts', shipmentLevel, returnedShipmentLevel],
    ['stop-level', 'contact lists', stopLevel, returnedStopLevel],
  ])(
    'assigns an identifier to a %s notification and clears the %s',
    async (_level, _what, body, returned) => {
      const response = await send(service, 'POST', PATH, { body });
      const notificationGuid = expect.stringMatching(GUID) as unknown;
      expect(response).toEqual(json(200, envelope({ ...returned, notificationGuid })));
      expect(schemaViolations(response.body, 'components', 'schemas', 'NotificationEnvelope')).toEqual([]);
    },
  );

  test('keeps filters and undocumented values', async () => {
    const body = {
      notificationName: 'Carrier desk',
      notificationRecipientType: 'carrierLevel',
      notificationTypeLabel: 'temperatureChange',
      notificationTypes: ['TemperatureAboveRange'],
      filters: [{ field: 'weight', minimum: 1 }, 'text', 0, false, [1]],
    };
    const created = notificationOf((await send(service, 'POST', PATH, { body })).body);
    expect(created).toEqual({
      ...body,
      ...assigned,
      notificationGuid: created.notificationGuid,
      notifyStopContactsByEmail: false,
      notifyStopContactsBySms: false,
      emailList: [],
      smsList: [],
    });
  });
});

describe('reading', () => {
  test('returns the notification regardless of the letter case of its identifier', async () => {
    for (const guid of [seed.notificationGuid, seed.notificationGuid.toUpperCase()]) {
      expect(await send(service, 'GET', `${PATH}/${guid}`)).toEqual(json(200, envelope(seed)));
    }
  });

  test('returns the whole list in creation order and ignores unknown parameters', async () => {
    const created = notificationOf((await send(service, 'POST', PATH, { body: stopLevel })).body);
    expect(await send(service, 'GET', `${PATH}?sort=2&sort=3&name=x%20y`)).toEqual(
      json(200, { data: [...seeds, created], messages: [], totalPossibleCount: seeds.length + 1 }),
    );
  });
});

describe('update', () => {
  test('replaces every field except the identifier and the metadata', async () => {
    const before = seeds.find((each) => each.notificationMetaData !== null) ?? seed;
    const { notificationGuid, notificationMetaData } = before;
    const path = `${PATH}/${notificationGuid.toUpperCase()}`;
    const after = { ...returnedShipmentLevel, notificationGuid, notificationMetaData };

    const response = await send(service, 'PUT', path, { body: { ...shipmentLevel, notificationGuid } });
    expect(response).toEqual(json(200, envelope(after)));
    expect(await send(service, 'GET', path)).toEqual(response);
    const list = (await send(service, 'GET', PATH)).body as { data: unknown[] };
    expect(list.data).toEqual(seeds.map((each) => (each === before ? after : each)));
  });

  test('of an unknown notification responds with 404 and creates nothing', async () => {
    const body = { ...stopLevel, notificationGuid: 'unknown' };
    expect(await send(service, 'PUT', `${PATH}/unknown`, { body })).toEqual(notFound('unknown'));
    expect(await send(service, 'GET', PATH)).toEqual(
      json(200, { data: seeds, messages: [], totalPossibleCount: seeds.length }),
    );
  });

  test('is rejected if the body has another identifier than the path', async () => {
    const body = { ...stopLevel, notificationGuid: 'another' };
    expect(await send(service, 'PUT', `${PATH}/${seed.notificationGuid}`, { body })).toEqual(
      json(400, {
        messages: [
          { field: '/notificationGuid', message: `must be ${seed.notificationGuid}, as in the path` },
        ],
      }),
    );
  });
});

describe('deletion', () => {
  test('removes the notification and responds with 204 and no body', async () => {
    const path = `${PATH}/${seed.notificationGuid}`;
    expect(await send(service, 'DELETE', path)).toEqual({ status: 204, type: null, body: undefined });
    expect(await send(service, 'GET', path)).toEqual(notFound(seed.notificationGuid));
    expect(await send(service, 'DELETE', path)).toEqual(notFound(seed.notificationGuid));
    const list = (await send(service, 'GET', PATH)).body as { data: unknown[] };
    expect(list.data).toEqual(seeds.slice(1));
  });
});

describe('a bearer token', () => {
  const operations: [string, string, unknown][] = [
    ['GET', PATH, undefined],
    ['POST', PATH, { not: 'even a notification' }],
    ['GET', `${PATH}/${seed.notificationGuid}`, undefined],
    ['PUT', `${PATH}/${seed.notificationGuid}`, '{'],
    ['DELETE', `${PATH}/${seed.notificationGuid}`, undefined],
  ];

  test.each(operations)('is required before any validation by %s %s', async (method, path, body) => {
    for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Basic YTpi' }]) {
      expect(await send(service, method, path, { body, headers })).toEqual(
        json(401, { messages: [{ message: 'A bearer token is required.' }] }),
      );
    }
  });
});

function envelope(notification: unknown) {
  return { data: [notification], messages: [], totalPossibleCount: 1 };
}

function notFound(guid: string) {
  return json(404, { messages: [{ message: `There is no notification ${guid}.` }] });
}

function notificationOf(body: unknown): Notification {
  const [notification] = (body as { data: [Notification] }).data;
  return notification;
}
