/** Reads of several notifications, by clients and, as entities, by routers. */
import { describe, expect, test } from 'vitest';
import { readNotifications } from '../../src/mock/notifications.js';
import { NOTIFICATION_FIELDS } from '../support/graphql/documents.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';

const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const unknown = '00000000-0000-4000-8000-000000000000';
const seeds = readNotifications().slice(0, 4);
const guids = seeds.map(({ notificationGuid }) => notificationGuid);
const [one, two, three, four] = seeds.map(expectedNotification);
const [guidOne = '', guidTwo = '', guidThree = '', guidFour = ''] = guids;
const readOf = (guid: string) => restCall('GET', `/v1/customnotifications/${guid}`);
// One connection, so that calls arrive in the order in which they are made.
const gateway = useGateway({
  env: { SUBGRAPH_TOKEN, SERVICE_CONNECTIONS: '1' },
  config: { service: { retries: 0 } },
});

/** Each way to read a list: its field, the type of its variable, an element of that, and its selection. */
const lists = [
  {
    field: 'notificationsByGuid',
    type: '[ID!]!',
    elementOf: (guid: string): unknown => guid,
    select: (fields: string) => `notificationsByGuid(notificationGuids: $guids) { ${fields} }`,
  },
  {
    field: '_entities',
    type: '[_Any!]!',
    elementOf: (notificationGuid: string) => ({ __typename: 'Notification', notificationGuid }),
    select: (fields: string) => `_entities(representations: $guids) { ... on Notification { ${fields} } }`,
  },
];

describe.each(lists)('$field', ({ field, type, elementOf, select }) => {
  const document = `query ($guids: ${type}) { ${select(NOTIFICATION_FIELDS)} }`;
  const execute = (ids: string[], query: string = document, others: object = {}) =>
    gateway.execute(query, {
      variables: { guids: ids.map(elementOf), ...others },
      headers: { 'x-subgraph-token': SUBGRAPH_TOKEN },
    });

  test('returns notifications in the requested order, with null for each unknown one', async () => {
    const ids = [guidThree, unknown, guidOne, guidFour, guidTwo];
    const { data, errors } = await execute(ids);
    expect({ data, errors }).toEqual({ data: { [field]: [three, null, one, four, two] }, errors: undefined });
    expect(summariesOf(gateway.takeCalls())).toEqual(ids.map(readOf));
  });

  test('reads an identifier once per operation, however often it occurs', async () => {
    const query = `query ($guids: ${type}, $guid: ID!) {
      ${select('notificationGuid')}
      again: notificationsByGuid(notificationGuids: [$guid]) { notificationName }
      notification(notificationGuid: $guid) { notificationGuid }
    }`;
    const ids = [guidOne, guidTwo, guidOne, unknown, unknown, guidTwo];
    const { data, errors } = await execute(ids, query, { guid: guidTwo });
    expect({ data, errors }).toEqual({
      data: {
        [field]: ids.map((guid) => (guid === unknown ? null : { notificationGuid: guid })),
        again: [{ notificationName: two?.notificationName }],
        notification: { notificationGuid: guidTwo },
      },
      errors: undefined,
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([guidOne, guidTwo, unknown].map(readOf));
  });

  test('reads again for the next request', async () => {
    await execute([guidOne]);
    await execute([guidOne]);
    expect(summariesOf(gateway.takeCalls())).toEqual([readOf(guidOne), readOf(guidOne)]);
  });

  test('returns the other notifications if some reads fail, with one error per failed element', async () => {
    gateway.injectFaults({ delayMs: 0 }, { status: 500 }, { delayMs: 0 }, { status: 403 });
    const { data, errors } = await execute([...guids, guidFour]);
    const failed = { code: 'SERVICE_ERROR', retryable: true, status: 500 };
    const forbidden = { code: 'FORBIDDEN', retryable: false, status: 403 };
    expect({ data, errors }).toEqual({
      data: { [field]: [one, null, three, null, null] },
      errors: [
        fieldError(document, [field, 1], serviceErrorMessages.failed, failed),
        fieldError(document, [field, 3], serviceErrorMessages.forbidden, forbidden),
        fieldError(document, [field, 4], serviceErrorMessages.forbidden, forbidden),
      ],
    });
    expect(summariesOf(gateway.takeCalls())).toEqual(guids.map(readOf));
  });

  test('makes no REST call for an empty list', async () => {
    expect((await execute([])).data).toEqual({ [field]: [] });
    expect(gateway.takeCalls()).toEqual([]);
  });
});
