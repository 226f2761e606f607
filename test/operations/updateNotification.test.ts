import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/reference-service/referenceService.js';
import { readSeeds } from '../../src/reference-service/seeds.js';
import { UPDATE } from '../support/graphql/documents.js';
import { responseExample, oneNotification, requestExample } from '../support/service/examples.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

/** The contract's examples as GraphQL input. */
const examples = [
  {
    name: 'shipmentLevel',
    input: {
      notificationName: 'Dock team, deliveries',
      recipient: { shipmentLevel: { emailList: ['dock@example.com'], smsList: ['(303) 555-0102'] } },
      trigger: { shipmentStatusChange: ['DELIVERED'] },
      filters: [{ field: 'customerCode', values: ['EXAMPLE-1'] }],
    },
    recipient: {
      __typename: 'ShipmentLevelRecipient',
      notificationRecipientType: 'shipmentLevel',
      emailList: ['dock@example.com'],
      smsList: ['+13035550102'],
    },
  },
  {
    name: 'stopLevel',
    input: {
      notificationName: 'Stop contacts, deliveries',
      recipient: { stopLevel: { notifyStopContactsByEmail: false, notifyStopContactsBySms: true } },
      trigger: { shipmentStatusChange: ['DELIVERED'] },
      filters: null,
    },
    recipient: {
      __typename: 'StopLevelRecipient',
      notificationRecipientType: 'stopLevel',
      notifyStopContactsByEmail: false,
      notifyStopContactsBySms: true,
    },
  },
] as const;

const { notification, envelope } = oneNotification('shipmentLevel');
const guid = notification.notificationGuid;
const path = `/v1/customnotifications/${guid}`;
const [, { input }] = examples;
const variables = { guid, input };
const put = restCall('PUT', path, { body: requestExample('updateNotification', 'stopLevel') });
const get = restCall('GET', path);

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { SERVICE_RETRIES: '0' } });
});
afterAll(() => gateway.stop());

test.each(examples)(
  'maps the documented $name example to the documented request, and its response to the notification',
  async ({ name, ...example }) => {
    gateway.injectFaults({ body: JSON.stringify(envelope) });
    expect(await gateway.data(UPDATE, { variables: { guid, input: example.input } })).toEqual({
      updateNotification: { notification: expectedNotification(notification), messages: [] },
    });
    const body = requestExample('updateNotification', name);
    expect(body['notificationGuid']).toBe(guid);
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('PUT', path, { body })]);
  },
);

test.each(examples)('replaces a notification with the documented $name example', async (example) => {
  const seeded = '0a3afc05-add8-499f-88f0-198d6d3f98d7';
  expect(await gateway.data(UPDATE, { variables: { guid: seeded, input: example.input } })).toEqual({
    updateNotification: {
      notification: {
        notificationGuid: seeded,
        notificationName: example.input.notificationName,
        recipient: example.recipient,
        notificationTypeLabel: 'shipmentStatusChange',
        notificationTypes: ['ShipmentStatusDelivered'],
        shipmentStatuses: ['DELIVERED'],
        filters: example.input.filters ?? [],
        notificationMetaData: { source: 'import', batch: 7, tags: ['winter', 'priority'] },
        lastUpdateUserName: 'reference.user',
        lastUpdateDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}-05:00$/) as string,
      },
      messages: [],
    },
  });
  const body = { ...requestExample('updateNotification', example.name), notificationGuid: seeded };
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('PUT', `/v1/customnotifications/${seeded}`, { body }),
  ]);
});

test('fails with NOT_FOUND, without a read, if the service has no such notification', async () => {
  const { data, errors } = await gateway.execute(UPDATE, { variables });
  expect({ data, errors }).toEqual({
    data: { updateNotification: null },
    errors: [
      fieldError(UPDATE, ['updateNotification'], serviceErrorMessages.notFound, {
        code: 'NOT_FOUND',
        outcome: 'NOT_APPLIED',
        retryable: false,
        status: 404,
        serviceMessages: [{ message: `There is no notification ${guid}.` }],
      }),
    ],
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([put]);
});

test('reports outcome UNKNOWN for a response about another notification', async () => {
  const other = { ...envelope, data: [oneNotification('stopLevel').notification] };
  gateway.injectFaults({ body: JSON.stringify(other) });
  const { data, errors } = await gateway.execute(UPDATE, { variables });
  expect({ data, errors }).toEqual({
    data: { updateNotification: null },
    errors: [
      fieldError(
        UPDATE,
        ['updateNotification'],
        serviceErrorMessages.misshapen('/data/0/notificationGuid: expected the requested identifier'),
        { code: 'SERVICE_RESPONSE_INVALID', outcome: 'UNKNOWN', retryable: false, status: 200 },
      ),
    ],
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([put]);
});

describe('An update that the service confirms without a notification', () => {
  const read: Fault = { body: JSON.stringify(envelope) };

  test.each<[string, Fault, unknown[]]>([
    ['200 without a body', { status: 200 }, []],
    ['202 without a body', { status: 202 }, []],
    ['204', { status: 204 }, []],
    ['an envelope without data', { body: '{"data":[],"messages":["saved"]}' }, ['saved']],
  ])('is followed by a read after %s', async (_response, confirmation, messages) => {
    gateway.injectFaults(confirmation, read);
    expect(await gateway.data(UPDATE, { variables })).toEqual({
      updateNotification: { notification: expectedNotification(notification), messages },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([put, get]);
  });

  test.each<[string, Fault]>([
    ['fails with 500', { status: 500 }],
    [
      'fails with 404',
      { status: 404, body: JSON.stringify(responseExample('readNotification', '404', 'unknown')) },
    ],
    ['fails with 401', { status: 401 }],
    ['fails with 429', { status: 429, headers: { 'retry-after': '1' } }],
    ['is redirected', { status: 302, headers: { location: '/login' } }],
    ['returns no notification', { body: '{"data":[],"messages":[],"totalPossibleCount":0}' }],
    ['returns another notification', { body: JSON.stringify(oneNotification('stopLevel').envelope) }],
    ['returns invalid JSON', { body: '<p>Hello</p>' }],
    ['returns no envelope', { body: '{}' }],
    ['loses its connection before the response', { disconnect: 'beforeResponse' }],
    ['loses its connection within the response', { disconnect: 'midBody', body: JSON.stringify(envelope) }],
  ])('succeeds with a null notification if that read %s', async (_reason, fault) => {
    gateway.injectFaults({ status: 204 }, fault);
    const { data, errors } = await gateway.execute(UPDATE, { variables });
    expect({ data, errors }).toEqual({
      data: { updateNotification: { notification: null, messages: [] } },
      errors: undefined,
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([put, get]);
  });
});

test('reads the notification after an update regardless of the letter case of its identifier', async () => {
  const [seeded] = readSeeds().notifications.slice(-3);
  const upperCased = seeded?.notificationGuid.toUpperCase() ?? '';
  gateway.injectFaults({ status: 204 });
  expect(await gateway.data(UPDATE, { variables: { guid: upperCased, input } })).toEqual({
    updateNotification: { notification: seeded && expectedNotification(seeded), messages: [] },
  });
  const seededPath = `/v1/customnotifications/${upperCased}`;
  const body = { ...requestExample('updateNotification', 'stopLevel'), notificationGuid: upperCased };
  expect(summariesOf(gateway.takeCalls())).toEqual([
    restCall('PUT', seededPath, { body }),
    restCall('GET', seededPath),
  ]);
});
