import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/reference-service/referenceService.js';
import { readSeeds } from '../../src/reference-service/seeds.js';
import { UPDATE } from '../support/graphql/documents.js';
import { answerExample, oneNotification, requestExample } from '../support/service/examples.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

/** The contract's examples as GraphQL. */
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
  'The documented $name update becomes the documented request, and its answer the notification',
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

test.each(examples)('The service replaces a notification by a $name one', async (example) => {
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
        lastUpdateDate: expect.any(String) as string,
      },
      messages: [],
    },
  });
  expect(gateway.takeCalls()).toHaveLength(1);
});

test('A notification that the service does not have is NOT_FOUND, and nothing is read', async () => {
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

test('The answer about another notification leaves open what was updated', async () => {
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

describe('Where the update is confirmed without a notification', () => {
  const read: Fault = { body: JSON.stringify(envelope) };

  test.each<[string, Fault, unknown[]]>([
    ['200 without a body', { status: 200 }, []],
    ['202 without a body', { status: 202 }, []],
    ['204', { status: 204 }, []],
    ['an envelope without data', { body: '{"data":[],"messages":["saved"]}' }, ['saved']],
  ])('it is read, after %s', async (_name, confirmation, messages) => {
    gateway.injectFaults(confirmation, read);
    expect(await gateway.data(UPDATE, { variables })).toEqual({
      updateNotification: { notification: expectedNotification(notification), messages },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([put, get]);
  });

  test.each<[string, Fault]>([
    ['ends with 500', { status: 500 }],
    [
      'ends with 404',
      { status: 404, body: JSON.stringify(answerExample('readNotification', '404', 'unknown')) },
    ],
    ['ends with 401', { status: 401 }],
    ['ends with 429', { status: 429, headers: { 'retry-after': '1' } }],
    ['ends with a redirect', { status: 302, headers: { location: '/login' } }],
    ['finds nothing', { body: '{"data":[],"messages":[],"totalPossibleCount":0}' }],
    ['finds another notification', { body: JSON.stringify(oneNotification('stopLevel').envelope) }],
    ['gives no JSON', { body: '<p>Hello</p>' }],
    ['gives no notification', { body: '{}' }],
    ['is hung up on', { disconnect: 'beforeResponse' }],
    ['is cut within its answer', { disconnect: 'midBody', body: JSON.stringify(envelope) }],
  ])('it is null, with no error, when the read %s', async (_name, failure) => {
    gateway.injectFaults({ status: 204 }, failure);
    const { data, errors } = await gateway.execute(UPDATE, { variables });
    expect({ data, errors }).toEqual({
      data: { updateNotification: { notification: null, messages: [] } },
      errors: undefined,
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([put, get]);
  });
});

test('The read after an update gives the notification, whatever the letter case of its identifier', async () => {
  const [seeded] = readSeeds().notifications.slice(-3);
  const upperCased = seeded?.notificationGuid.toUpperCase() ?? '';
  gateway.injectFaults({ status: 204 });
  expect(await gateway.data(UPDATE, { variables: { guid: upperCased, input } })).toEqual({
    updateNotification: { notification: seeded && expectedNotification(seeded), messages: [] },
  });
  const [, read] = summariesOf(gateway.takeCalls());
  expect(read).toEqual(restCall('GET', `/v1/customnotifications/${upperCased}`));
});
