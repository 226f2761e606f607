/** The size of a result is determined from the values of its resolvers, whatever an operation selects. */
import { describe, expect, test } from 'vitest';
import { readNotifications } from '../../src/mock/notifications.js';
import { startGateway, useGateway } from '../support/gateway/gateway.js';

const [first, second, third] = readNotifications().map(({ notificationGuid }) => notificationGuid);
const variables = { first, second, third, unknown: 'unknown', yes: true, no: false };
const gateway = useGateway();

/** Bytes of the JSON text of a root field with a comma after each of its members, the last ones included. */
function sizeOf([key, value]: [string, unknown]): number {
  let containers = 0;
  const text = JSON.stringify(value, (_key, each: unknown) => {
    if (typeof each === 'object' && each !== null && Object.keys(each).length > 0) containers += 1;
    return each;
  });
  return Buffer.byteLength(text) + containers + key.length + 4;
}

/** Declares the variables that are used. */
function declarationsFor(selections: string): string {
  const names = [...new Set(selections.match(/\$\w+/g))];
  const types = names.map((name) => `${name}: ${name === '$yes' || name === '$no' ? 'Boolean!' : 'ID!'}`);
  return types.length > 0 ? `(${types.join(', ')})` : '';
}

test.each<[what: string, selections: string, fragments?: string]>([
  [
    'leaves, lists and nulls',
    'notification(notificationGuid: $first) { notificationName shipmentStatuses filters lastUpdateDate }',
  ],
  [
    'aliases',
    'renamed: notification(notificationGuid: $first) { a: notificationName long: notificationName notificationName }',
  ],
  [
    'an abstract type',
    'notification(notificationGuid: $first) { __typename recipient { type: __typename notificationRecipientType ... on ShipmentLevelRecipient { emailList } ... on StopLevelRecipient { notifyStopContactsByEmail } } }',
  ],
  [
    'fields that are merged',
    'notification(notificationGuid: $first) { recipient { __typename } recipient { ... on ShipmentLevelRecipient { emailList } } recipient { ... on ShipmentLevelRecipient { emailList } } }',
  ],
  [
    'directives',
    'notification(notificationGuid: $first) { notificationGuid @skip(if: $yes) notificationName @include(if: $no) shipmentStatuses @include(if: $yes) ... @skip(if: $yes) { lastUpdateDate } ... @include(if: $yes) { filters } }',
  ],
  [
    'fragments',
    'notification(notificationGuid: $first) { ...Names ...Names ...Nested ... on Notification { shipmentStatuses } ... { lastUpdateDate } }',
    'fragment Names on Notification { notificationName alias: notificationGuid } fragment Nested on Notification { ...Names recipient { ...Any } } fragment Any on NotificationRecipient { ... on NotificationRecipient { notificationRecipientType } ... on StopLevelRecipient { notifyStopContactsBySms } }',
  ],
  [
    'objects in a list',
    'notifications { totalPossibleCount messages notifications { notificationGuid recipient { __typename } } }',
  ],
  [
    'a list of which elements are null',
    'notificationsByGuid(notificationGuids: [$first, $unknown, $second, $third]) { notificationName notificationMetaData }',
  ],
  [
    'two fields',
    'a: notification(notificationGuid: $first) { notificationName } b: notification(notificationGuid: $second) { notificationName notificationGuid }',
  ],
])(
  'a result fits if its size is the limit, and not if it is less: %s',
  async (_what, selections, fragments = '') => {
    const query = `query ${declarationsFor(selections)} { ${selections} } ${fragments}`;
    const data = (await gateway.data(query, { variables })) as Record<string, unknown>;
    const size = Object.entries(data).reduce((sum, each) => sum + sizeOf(each), 0);
    for (const [maxBytes, codes] of [
      [size, []],
      [size - 1, ['QUERY_TOO_COMPLEX']],
    ] as const) {
      const limited = await startGateway({ config: { graphql: { maxResultBytes: maxBytes } } });
      const response = await limited.execute(query, { variables });
      expect([...new Set(response.errors?.map(({ extensions }) => extensions['code']))]).toEqual(codes);
      if (codes.length === 0) expect(response.data).toEqual(data);
      await limited.stop();
    }
  },
);

describe('a field for subgraphs', () => {
  const headers = { 'x-subgraph-token': 'the-token.of~a_gateway+/==' };
  const env = { SUBGRAPH_TOKEN: headers['x-subgraph-token'] };
  const subgraph = useGateway({ env });

  /** The data and the places of errors if a result may have this many bytes. */
  const execute = async (query: string, maxBytes: number) => {
    const limited = await startGateway({ env, config: { graphql: { maxResultBytes: maxBytes } } });
    const { data, errors } = await limited.execute(query, { variables, headers });
    await limited.stop();
    return { data, places: errors?.map(({ path, extensions }) => [extensions['code'], ...(path ?? [])]) };
  };

  test('is measured as a whole', async () => {
    const query = `query ($first: ID!, $second: ID!, $unknown: ID!) {
      _entities(representations: [
        { __typename: "Notification", notificationGuid: $first }
        { __typename: "Notification", notificationGuid: $unknown }
        { __typename: "Notification", notificationGuid: $second }
      ]) { __typename ... on Notification { notificationName } }
    }`;
    const data = (await subgraph.data(query, { variables, headers })) as { _entities: unknown[] };
    const size = sizeOf(['_entities', data._entities]);
    expect(await execute(query, size)).toEqual({ data, places: undefined });
    expect((await execute(query, size - 1)).places).toEqual([['QUERY_TOO_COMPLEX', '_entities']]);
  });

  test('that needs no REST call is measured, too', async () => {
    const query = '{ _service { sdl } }';
    const data = (await subgraph.data(query, { headers })) as object;
    const size = sizeOf(['_service', Object.values(data)[0]]);
    expect(await execute(query, size)).toEqual({ data, places: undefined });
    expect((await execute(query, size - 1)).places).toEqual([['QUERY_TOO_COMPLEX', '_service']]);
  });
});
