import { describe, expect, test } from 'vitest';
import { readNotifications, type Notification } from '../../src/mock/notifications.js';
import { READ, UPDATE } from '../support/graphql/documents.js';
import { startGateway, TOKEN, useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';
import { expectedNotification } from '../support/service/expectedNotification.js';
import { asciiJson } from '../support/tools/asciiJson.js';
import { forTest } from '../support/tools/useStarted.js';

type QueriedNotification = ReturnType<typeof expectedNotification>;

const seeds = readNotifications().map((seed) => ({ name: seed.notificationName, seed }));
/** The input cannot express a recipient of a type that the schema does not define. */
const withKnownRecipient = seeds.filter(({ seed }) =>
  /^(stop|shipment)level$/i.test(seed.notificationRecipientType),
);
const gateway = useGateway();

/** What the schema has no input for. */
const variants = withKnownRecipient.slice(0, 4).flatMap(({ name, seed }) => [
  {
    name: `${name}, with an unknown recipient type`,
    seed: { ...seed, notificationRecipientType: 'FLEETlevel', notifyStopContactsByEmail: true },
  },
  {
    name: `${name}, with another spelling of its recipient type`,
    seed: { ...seed, notificationRecipientType: seed.notificationRecipientType.toUpperCase() },
  },
  {
    name: `${name}, with unknown subtypes`,
    seed: {
      ...seed,
      notificationTypes: ['ShipmentStatusLost', 'shipmentstatusDELIVERED', ...seed.notificationTypes],
    },
  },
  {
    name: `${name}, with an unknown label`,
    seed: { ...seed, notificationTypeLabel: 'Weather', notificationTypes: [] },
  },
  {
    name: `${name}, with filters of every shape`,
    seed: { ...seed, filters: [{ member: { of: [null, 1.5] } }, 'text', [[]], 0, false] },
  },
]);

const returnedOnly = ['notificationGuid', 'notificationMetaData', 'lastUpdateUserName', 'lastUpdateDate'];
/** The fields of a notification that requests have, too. */
function definitionOf(record: Notification): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !returnedOnly.includes(name)));
}

const toE164 = (digits: string) => (digits.length === 10 ? `+1${digits}` : `+${digits}`);

/** What an update sends of a notification to keep it: without filters and optional lists that are empty. */
function keptOf(record: Notification): Record<string, unknown> {
  const definition = { ...definitionOf(record), smsList: record.smsList.map(toE164) };
  const isRequired = /^shipmentlevel$/i.test(record.notificationRecipientType);
  const mayBeLeftOut = ['filters', ...(isRequired ? [] : ['emailList', 'smsList'])];
  return Object.fromEntries(
    Object.entries(definition).filter(
      ([name, value]) => !(mayBeLeftOut.includes(name) && Array.isArray(value) && value.length === 0),
    ),
  );
}

describe('An update of the name alone leaves every other field as it is', () => {
  const other = useGateway();

  const readOther = async (guid: string) => {
    const { notification } = (await other.data(READ, { variables: { guid } })) as {
      notification: QueriedNotification;
    };
    other.takeCalls();
    return notification;
  };

  const renamesOnly = async (record: Notification) => {
    const guid = record.notificationGuid;
    const before = await readOther(guid);
    const changes = { notificationName: 'Renamed' };
    const after = {
      ...before,
      ...changes,
      lastUpdateUserName: 'mock.user',
      lastUpdateDate: expect.any(String) as string,
    };
    expect(await other.data(UPDATE, { variables: { guid, input: changes } })).toEqual({
      updateNotification: { notification: after, messages: [] },
    });

    expect(summariesOf(other.takeCalls())).toEqual([
      restCall('GET', `/v1/customnotifications/${guid}`),
      restCall('PUT', `/v1/customnotifications/${guid}`, {
        body: { ...keptOf(record), notificationGuid: guid, ...changes },
      }),
    ]);
    expect(await readOther(guid)).toEqual(after);
  };

  test.each(seeds)('for the seed $name', ({ seed }) => renamesOnly(seed));

  test.each(variants)('for the seed $name', async ({ seed }) => {
    const definition = definitionOf(seed);
    const response = await fetch(`${other.serviceUrl}/v1/customnotifications`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(definition),
    });
    const { data } = (await response.json()) as { data: [Notification] };
    expect(data[0]).toMatchObject({ ...definition, smsList: expect.any(Array) as string[] });
    await renamesOnly(data[0]);
  });
});

describe('An update sends the filters that it keeps as they were read', () => {
  const guid = '3f0a7c1e-2b64-4e7f-9a55-0c8d1e2f3a01';
  const rename = (changes: object = {}) =>
    gateway.execute(
      'mutation ($guid: ID!, $input: UpdateNotificationInput!) { updateNotification(notificationGuid: $guid, input: $input) { notificationGuid } }',
      { variables: { guid, input: { notificationName: 'Renamed', ...changes } } },
    );
  /** The text of a notification with these members in addition. */
  const record = (members: string, id = guid) =>
    `{"notificationGuid":"${id}","notificationName":"Dock \\"team\\",}]","notificationRecipientType":"stopLevel","notifyStopContactsByEmail":true,"notifyStopContactsBySms":false,"notificationTypeLabel":"other","notificationTypes":["a"]${members}}`;
  const sent = (filters?: string) =>
    asciiJson(
      `{"notificationName":"Renamed","notificationRecipientType":"stopLevel","notifyStopContactsByEmail":true,"notifyStopContactsBySms":false,"notificationTypeLabel":"other","notificationTypes":["a"]${filters === undefined ? '' : `,"filters":${filters}`},"notificationGuid":"${guid}"}`,
    );
  const update = async (response: string, changes?: object) => {
    gateway.takeCalls();
    gateway.injectFaults({ body: response }, { status: 204 }, { status: 404 });
    const { data, errors } = await rename(changes);
    const [, put] = gateway.takeCalls();
    return { data, errors, body: put?.body };
  };
  const data = { updateNotification: { notificationGuid: guid } };

  test.each([
    '[9007199254740993,-0,1.0,1.50,1e400,1E+2,0.1000000000000000055]',
    '[null,{"a":null},null]',
    '["\\u00e9\\u0000é\\/\\ud800 \\\\","\\\\\\"]}",""]',
    '[{"a":1,"a":2,"__proto__":3,"filters":[4]}]',
    '[ { "b" : [ ] ,\n\t"a": { } } ]',
    `[${'['.repeat(200)}${']'.repeat(200)}]`,
  ])('%s', async (filters) => {
    const response = `{"data":[${record(`,"filters":${filters}`)}],"messages":[]}`;
    expect(await update(response)).toEqual({ data, errors: undefined, body: sent(filters) });
  });

  test.each([
    ['none that are missing', '', undefined],
    ['none that are null', ',"filters":null', undefined],
    ['none of an empty list', ',"filters":[ ]', undefined],
    ['one alone as a list of one', ',"filters":"x"', '["x"]'],
    ['the last of several', ',"filters":[1],"filters" : [2.0]', '[2.0]'],
    ['those after other members', ',"x":{"filters":[1]},"filters":[2.0],"y":[[3]]', '[2.0]'],
  ])('%s', async (_what, members, filters) => {
    const response = ` {"messages" : [ "x" ], "data" : [ ${record(members)} ] } `;
    expect(await update(response)).toEqual({ data, errors: undefined, body: sent(filters) });
  });

  test('those of the requested notification', async () => {
    const others = [record(',"filters":[1]', 'a'), record(',"filters":[2.0]', guid.toUpperCase())];
    expect(await update(`{"data":[${others.join(', ')},${record('', 'b')}]}`)).toMatchObject({
      body: sent('[2.0]'),
    });
  });

  test('unless it replaces them', async () => {
    const response = `{"data":[${record(',"filters":[1e400]')}]}`;
    expect(await update(response, { filters: [{ a: 1 }] })).toMatchObject({ body: sent('[{"a":1}]') });
  });

  test('so that a read-back finds them, nulls included', async () => {
    const readsBack = await forTest(startGateway({ config: { service: { retries: 0 } } }));
    const response = `{"data":[${record(',"filters":[null,9007199254740993]')}]}`;
    const after = response.replace('"Dock \\"team\\",}]"', '"Renamed"');
    readsBack.injectFaults({ body: response }, { status: 500 }, { body: after });
    const result = await readsBack.execute(
      'mutation ($guid: ID!) { updateNotification(notificationGuid: $guid, input: { notificationName: "Renamed" }) { evidence } }',
      { variables: { guid } },
    );
    expect(result).toMatchObject({ data: { updateNotification: { evidence: 'READ_BACK' } } });
  });
});

describe('A notification whose texts no input may have', () => {
  const stored = {
    ...(seeds[0]?.seed as Notification),
    notificationName: '\u202a Dock\u200b\u0000team\n',
    smsList: ['1235550100'],
    notificationTypes: [' Late\u200b', ''],
  };
  const guid = stored.notificationGuid;
  const service = useGateway({
    // What was stored without the gateway need not be as the interface says.
    toDocumentedForm: (call) => {
      const documented = { notificationTypes: ['Late'] };
      const body = call.body && JSON.stringify({ ...(JSON.parse(call.body) as object), ...documented });
      return { ...call, body };
    },
  });
  const bodyOf = (record: object) => ({ body: JSON.stringify({ data: [record], messages: [] }) });

  test('is read as it is, and an update of something else sends it back as it is', async () => {
    service.injectFaults(bodyOf(stored));
    const expected = expectedNotification(stored);
    expect(await service.data(READ, { variables: { guid } })).toEqual({ notification: expected });

    const filters = ['CO'];
    service.injectFaults(bodyOf(stored), bodyOf({ ...stored, filters }));
    service.takeCalls();
    expect(await service.data(UPDATE, { variables: { guid, input: { filters } } })).toEqual({
      updateNotification: { notification: { ...expected, filters }, messages: [] },
    });
    expect(summariesOf(service.takeCalls())).toEqual([
      restCall('GET', `/v1/customnotifications/${guid}`),
      restCall('PUT', `/v1/customnotifications/${guid}`, {
        body: {
          ...definitionOf(stored),
          notificationGuid: guid,
          filters,
          smsList: ['+11235550100'],
        },
      }),
    ]);
  });
});
