import { describe, expect, test } from 'vitest';
import { CREATE } from '../support/graphql/documents.js';
import { oneNotification, requestExample } from '../support/service/examples.js';
import { serviceErrorMessages } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const PATH = '/v1/customnotifications';

/** The contract's examples as GraphQL input; `3035550101` is sent in E.164 format. */
const examples = [
  {
    name: 'shipmentLevel',
    input: {
      notificationName: 'Dock team, arrivals',
      recipient: {
        shipmentLevel: {
          emailList: ['dock@example.com', 'planning@example.com'],
          smsList: ['+13035550100', '3035550101'],
        },
      },
      trigger: { shipmentStatusChange: ['AT_CONSIGNEE', 'DELIVERED'] },
    },
    request: {
      ...requestExample('createNotification', 'shipmentLevel'),
      smsList: ['+13035550100', '+13035550101'],
    },
  },
  {
    name: 'stopLevel',
    input: {
      notificationName: 'Stop contacts, pick-up',
      recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } },
      trigger: { shipmentStatusChange: ['EN_ROUTE', 'AT_SHIPPER'] },
    },
    request: requestExample('createNotification', 'stopLevel'),
  },
] as const;

const [, { input: stopLevelInput, request: stopLevelRequest }] = examples;
const { notification, envelope } = oneNotification('stopLevel');
const gateway = useGateway();

test.each(examples)(
  'maps the documented $name example to the documented request, and its response to the notification',
  async ({ name, input, request }) => {
    const { notification: created, envelope } = oneNotification(name);
    gateway.injectFaults({ body: JSON.stringify(envelope) });
    expect(await gateway.data(CREATE, { variables: { input } })).toEqual({
      createNotification: { notification: expectedNotification(created), messages: [] },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('POST', PATH, { body: request })]);
  },
);

describe('of a response with several notifications', () => {
  const gateway = useGateway({});
  const record = (notificationGuid: string, change: object = {}) => ({
    ...notification,
    ...stopLevelRequest,
    notificationGuid,
    ...change,
  });
  const other = { notificationName: 'Other' };
  const create = async (...data: object[]) => {
    gateway.takeCalls();
    gateway.injectFaults({ body: JSON.stringify({ ...envelope, data }) });
    const { data: result, errors } = await gateway.execute(
      'mutation ($input: NotificationInput!) { createNotification(input: $input) { notificationGuid } }',
      { variables: { input: stopLevelInput } },
    );
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('POST', PATH, { body: stopLevelRequest })]);
    return { data: result, errors: errors?.map(({ message, extensions }) => ({ message, extensions })) };
  };

  test.each([
    [record('a'), record('b', other)],
    [record('b', other), record('a'), record('c', { notificationTypes: [] })],
    [
      record('b', other),
      record('a', { notificationRecipientType: 'stoplevel', emailList: ['x@example.com'] }),
    ],
  ])('the created one is the only one that equals the request', async (...data) => {
    expect(await create(...data)).toEqual({
      data: { createNotification: { notificationGuid: 'a' } },
      errors: undefined,
    });
  });

  test('one alone that the service has changed is the created one if it was updated since the call', async () => {
    expect(await create(record('a', { ...other, lastUpdateDate: '2999-01-01T00:00:00Z' }))).toEqual({
      data: { createNotification: { notificationGuid: 'a' } },
      errors: undefined,
    });
  });

  test('one alone that differs, and is older than the call, is a candidate', async () => {
    expect(await create(record('a', other))).toEqual(unknown(serviceErrorMessages.unproven, ['a']));
  });

  const unknown = (message: string, candidates: string[]) => ({
    data: { createNotification: null },
    errors: [
      {
        message,
        extensions: {
          code: 'SERVICE_RESPONSE_INVALID',
          outcome: 'UNKNOWN',
          retryable: false,
          status: 200,
          candidates,
          requestId: expect.any(String) as string,
        },
      },
    ],
  });

  test.each<[found: number, data: object[], candidates: string[]]>([
    [2, [record('a'), record('b', other), record('c')], ['a', 'c']],
    [0, [record('a', other), record('b', other)], ['a', 'b']],
    [
      150,
      Array.from({ length: 150 }, (_, index) => record(`guid-${index}`)),
      Array.from({ length: 100 }, (_, index) => `guid-${index}`),
    ],
  ])('it is unknown which was created if %i are equal', async (found, data, candidates) => {
    const message = serviceErrorMessages.misshapen(
      `/data: expected one notification equal to the request, got ${found}`,
    );
    expect(await create(...data)).toEqual(unknown(message, candidates));
  });
});
