import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { readNotifications } from '../../src/mock/notifications.js';
import { UPDATE } from '../support/graphql/documents.js';
import { responseExample, oneNotification, requestExample } from '../support/service/examples.js';
import { fieldError } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
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
  },
  {
    name: 'stopLevel',
    input: {
      notificationName: 'Stop contacts, deliveries',
      recipient: { stopLevel: { notifyStopContactsByEmail: false, notifyStopContactsBySms: true } },
      trigger: { shipmentStatusChange: ['DELIVERED'] },
      filters: [],
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
const gateway = useGateway({ config: { service: { retries: 0 } } });

test.each(examples)(
  'maps the documented $name example to the documented request, and its response to the notification',
  async ({ name, ...example }) => {
    const body = requestExample('updateNotification', name);
    expect(body['notificationGuid']).toBe(guid);
    const updated = { ...notification, ...body, smsList: ['13035550102'] };
    gateway.injectFaults({ body: JSON.stringify({ ...envelope, data: [updated] }) });
    expect(await gateway.data(UPDATE, { variables: { guid, input: example.input } })).toEqual({
      updateNotification: { notification: expectedNotification(updated), messages: [] },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('PUT', path, { body })]);
  },
);

describe('An update that the service confirms without a notification', () => {
  const read: Fault = { body: JSON.stringify(envelope) };

  test.each<[string, Fault]>([
    ['200 without a body', { status: 200 }],
    ['204', { status: 204 }],
  ])('is followed by a read after %s', async (_response, confirmation) => {
    gateway.injectFaults(confirmation, read);
    expect(await gateway.data(UPDATE, { variables })).toEqual({
      updateNotification: { notification: expectedNotification(notification), messages: [] },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([put, get]);
  });

  test.each<[string, Fault]>([
    ['fails with 500', { status: 500 }],
    [
      'fails with 404',
      { status: 404, body: JSON.stringify(responseExample('readNotification', '404', 'unknown')) },
    ],
    ['returns another notification', { body: JSON.stringify(oneNotification('stopLevel').envelope) }],
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
  const [seeded] = readNotifications().slice(-3);
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

describe('An update of some fields', () => {
  const seed = (name: string) => {
    const found = readNotifications().find(({ notificationName }) => notificationName === name);
    if (found === undefined) throw new Error(`Expected a seed with the name ${name}`);
    return found;
  };
  const current = { ...seed('Night shift'), filters: [{ field: 'customerCode', values: ['EXAMPLE-1'] }] };
  const currentGuid = current.notificationGuid;
  const currentPath = `/v1/customnotifications/${currentGuid}`;
  const shared = {
    notificationGuid: currentGuid,
    notificationName: 'Night shift',
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusInTransit'],
    filters: current.filters,
  };
  const lists = {
    notificationRecipientType: 'shipmentLevel',
    emailList: ['night@example.com'],
    smsList: ['+13035550102'],
  };
  const flags = { notifyStopContactsByEmail: false, notifyStopContactsBySms: false };
  const definition = { ...shared, ...lists, ...flags };
  const currentRead: Fault = {
    body: JSON.stringify({ data: [current], messages: [], totalPossibleCount: 1 }),
  };
  const getCurrent = restCall('GET', currentPath);
  const rename = { guid: currentGuid, input: { notificationName: 'Renamed' } };

  const sendUpdate = async (changes: Record<string, unknown>) => {
    gateway.injectFaults(currentRead);
    await gateway.data(UPDATE, { variables: { guid: currentGuid, input: changes } });
    return summariesOf(gateway.takeCalls());
  };

  test.each<[part: string, changes: Record<string, unknown>, body: object]>([
    [
      'the recipient, with another type',
      { recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } } },
      { ...shared, ...flags, notificationRecipientType: 'stopLevel', notifyStopContactsByEmail: true },
    ],
    ['the filters, which it clears', { filters: [] }, { ...definition, filters: [] }],
    [
      'the name, with null for all other fields',
      { notificationName: 'Renamed', recipient: null, trigger: null, filters: null },
      { ...definition, notificationName: 'Renamed' },
    ],
  ])('reads the notification and sends it back with changes of %s', async (_part, changes, body) => {
    expect(await sendUpdate(changes)).toEqual([getCurrent, restCall('PUT', currentPath, { body })]);
  });

  test('sends no members that the service did not return', async () => {
    const fields = { ...current, notifyStopContactsByEmail: null, notifyStopContactsBySms: undefined };
    gateway.injectFaults({ body: JSON.stringify({ data: [fields], messages: [] }) });
    await gateway.data(UPDATE, { variables: rename });
    expect(summariesOf(gateway.takeCalls())).toEqual([
      getCurrent,
      restCall('PUT', currentPath, { body: { ...shared, ...lists, notificationName: 'Renamed' } }),
    ]);
  });

  const notApplied = { outcome: 'NOT_APPLIED', retryable: false };
  const messages = [{ message: 'The service says no.' }];
  test.each<[failure: string, Fault, extensions: Record<string, unknown>]>([
    [
      'fails with 404',
      { status: 404, body: JSON.stringify({ messages }) },
      { code: 'NOT_FOUND', status: 404, serviceMessages: messages },
    ],
    ['returns no notification', { body: '{"data":[],"messages":[]}' }, { code: 'NOT_FOUND' }],
    ['fails with 403', { status: 403 }, { code: 'FORBIDDEN', status: 403 }],
    [
      'fails with 503 and Retry-After',
      { status: 503, headers: { 'retry-after': '7' } },
      { code: 'SERVICE_ERROR', retryable: true, status: 503, retryAfterSeconds: 7 },
    ],
    [
      'returns another notification',
      { body: JSON.stringify(oneNotification('stopLevel').envelope) },
      { code: 'SERVICE_RESPONSE_INVALID', status: 200 },
    ],
  ])('is not applied if the read %s', async (_failure, fault, extensions) => {
    gateway.injectFaults(fault);
    const { data, errors } = await gateway.execute(UPDATE, { variables: rename });
    expect([data, errors?.map((error) => error.extensions)]).toEqual([
      { updateNotification: null },
      [{ ...notApplied, ...extensions, requestId: expect.any(String) as string }],
    ]);
    expect(summariesOf(gateway.takeCalls())).toEqual([getCurrent]);
  });

  test('sends its read, but not its PUT, in a dry run', async () => {
    const { data, errors } = await gateway.execute(UPDATE, {
      variables: rename,
      headers: { 'x-gateway-dry-run': '1' },
    });
    expect({ data, errors }).toEqual({
      data: { updateNotification: null },
      errors: [
        fieldError(UPDATE, ['updateNotification'], 'Dry run: the REST call was not sent', {
          code: 'DRY_RUN',
          ...notApplied,
        }),
      ],
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([getCurrent]);
  });
});
