import { describe, expect, test } from 'vitest';
import { startMockService } from '../../src/mock/mockService.js';
import { json, send, token } from './client.js';
import { useStarted } from '../support/tools/useStarted.js';

const NOTIFICATIONS = '/v1/customnotifications';
const TRACK = '/atlas/frexapi/shipment/track/';
const EXCEPTION = '/atlas/frexapi/shipment/exception';

const required = (name: string) => ({ field: `/${name}`, message: `must have required property '${name}'` });
const hauler = {
  field: '',
  message: 'must have exactly one of the properties FreightHaulerProviderXID, PortalLicensePlate',
};
const carrier = {
  field: '',
  message: 'must have exactly one of the properties CarrierMC, CarrierDOT, CarrierSCAC',
};
const target = {
  field: '',
  message: 'must have exactly one of the properties ExceptionGuid, ExceptionFileGuid',
};
const notAnObject = { field: '', message: 'must be object' };
const service = useStarted(startMockService);

describe('a body that violates the contract gets one message per violation', () => {
  const notification = {
    notificationName: 'x',
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: [],
  };
  const identity = { FreightProviderReferenceNumber: 'REF-1001', PortalLicensePlate: 'PLATE-3001' };

  test.each<[string, string, string, unknown, object[]]>([
    [
      'creation with an empty body',
      'POST',
      NOTIFICATIONS,
      {},
      [
        required('notificationName'),
        required('notificationRecipientType'),
        required('notificationTypeLabel'),
        required('notificationTypes'),
      ],
    ],
    [
      'values of the wrong type, which are not coerced',
      'POST',
      NOTIFICATIONS,
      {
        notificationName: 1,
        notificationRecipientType: 'stopLevel',
        notificationTypeLabel: '',
        notificationTypes: 'ShipmentStatusDelivered',
        notifyStopContactsByEmail: 'true',
        notifyStopContactsBySms: 0,
        emailList: ['nobody'],
        smsList: ['(303) 555-0100'],
        filters: [],
        'a/b~c': true,
      },
      [
        { field: '/notificationName', message: 'must be string' },
        { field: '/notificationTypeLabel', message: 'must NOT have fewer than 1 characters' },
        { field: '/notificationTypes', message: 'must be array' },
        { field: '/notifyStopContactsByEmail', message: 'must be boolean' },
        { field: '/notifyStopContactsBySms', message: 'must be boolean' },
        { field: '/emailList/0', message: 'must match format "email"' },
        { field: '/smsList/0', message: 'must match pattern "^\\+?[0-9]{7,15}$"' },
        { field: '/a~1b~0c', message: 'must NOT have unevaluated properties' },
      ],
    ],
    [
      'an update without its identifier',
      'PUT',
      `${NOTIFICATIONS}/x`,
      { ...notification, notificationRecipientType: 'other' },
      [required('notificationGuid')],
    ],
    [
      'tracking with too many and empty parameters',
      'POST',
      TRACK,
      {
        ...identity,
        FreightHaulerProviderXID: 'x',
        CarrierMC: 'x',
        CarrierSCAC: 1,
        DriverPhoneNumber: '',
        ShipmentTrackingType: '',
      },
      [
        hauler,
        carrier,
        { field: '/CarrierSCAC', message: 'must be string' },
        { field: '/DriverPhoneNumber', message: 'must NOT have fewer than 1 characters' },
        { field: '/ShipmentTrackingType', message: 'must NOT have fewer than 1 characters' },
      ],
    ],
    ['a deletion without a target', 'DELETE', EXCEPTION, { ...identity, CarrierMC: 'x' }, [target]],
    ['null', 'POST', NOTIFICATIONS, 'null', [notAnObject]],
    ['a list', 'DELETE', EXCEPTION, [], [notAnObject, hauler, carrier, target]],
  ])('%s', async (_name, method, path, body, messages) => {
    const response = await send(service, method, path, { body });
    expect(response).toEqual(json(400, { messages: expect.any(Array) as unknown }));
    expect(sorted((response.body as { messages: object[] }).messages)).toEqual(sorted(messages));
  });
});

describe('a request outside the contract gets a message', () => {
  const text = { ...token, 'content-type': 'text/plain' };
  const notJson = "Body is not valid JSON but content-type is set to 'application/json'";
  const emptyBody = "Body cannot be empty when content-type is set to 'application/json'";
  const undecodable = `${NOTIFICATIONS}/%zz`;
  test.each<[string, string, string, object, number, object]>([
    ['an unknown path', 'GET', '/v2', {}, 404, { message: 'There is no GET /v2.' }],
    [
      'a slash too many',
      'DELETE',
      `${EXCEPTION}/`,
      {},
      404,
      { message: `There is no DELETE ${EXCEPTION}/.` },
    ],
    [
      'a path that cannot be decoded',
      'GET',
      undecodable,
      {},
      400,
      { message: `'${undecodable}' is not a valid url component` },
    ],
    ['malformed JSON', 'POST', NOTIFICATIONS, { body: '{"a":' }, 400, { message: notJson }],
    ['no body', 'POST', NOTIFICATIONS, {}, 400, notAnObject],
    ['an empty body', 'POST', TRACK, { body: '' }, 400, { message: emptyBody }],
    [
      'another content type',
      'POST',
      TRACK,
      { body: 'a=b', headers: text },
      415,
      { message: 'Unsupported Media Type' },
    ],
  ])('%s', async (_name, method, path, options, status, message) => {
    expect(await send(service, method, path, options)).toEqual(json(status, { messages: [message] }));
  });
});

/** The order of the messages is not significant. */
function sorted(messages: object[]): string[] {
  return messages.map((each) => JSON.stringify(each)).sort();
}
