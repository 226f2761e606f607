/** SCHEMA_PREFIX renames the types of the schema, and nothing else. */
import { isSpecifiedScalarType } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema, createSubgraphSchema } from '../../src/graphql/schema.js';
import { readNotifications } from '../../src/mock/notifications.js';
import { tracking } from '../consumers/support/supergraphCases.js';
import { useGateway } from '../support/gateway/gateway.js';
import { untilCompiled } from '../support/execution/compiler.js';
import { sampleDefinition } from '../support/graphql/sampleDefinition.js';

const PREFIX = 'Freight_';
const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const headers = { 'x-subgraph-token': SUBGRAPH_TOKEN };
const guids = readNotifications().map(({ notificationGuid }) => notificationGuid);
const [guid = ''] = guids;

const plain = useGateway({ env: { SUBGRAPH_TOKEN } });
const prefixed = useGateway({ env: { SUBGRAPH_TOKEN, SCHEMA_PREFIX: PREFIX } });

test('every type but those of GraphQL and Federation has the prefix, in the schemas of all clients', () => {
  for (const create of [createSchema, createSubgraphSchema]) {
    const types = Object.values(create().getTypeMap());
    const expected = types.map((type) =>
      isSpecifiedScalarType(type) || /^(?:Query|Mutation|_.*)$/.test(type.name)
        ? type.name
        : PREFIX + type.name,
    );
    expect(Object.keys(create(PREFIX).getTypeMap()).sort()).toEqual(expected.sort());
  }
});

test('the SDL for composition and stitching differs in the names of types alone', async () => {
  const query = '{ _service { sdl } _sdl }';
  const [expected, received] = await Promise.all(
    [plain, prefixed].map((gateway) => gateway.data(query, { headers })),
  );
  const withoutPrefix = JSON.stringify(received).replaceAll(PREFIX, '');
  expect(JSON.parse(withoutPrefix)).toEqual(expected);
  const { _service: service } = received as { _service: { sdl: string } };
  expect(service.sdl).toContain('type Freight_Notification @key(fields: "notificationGuid")');
  expect(service.sdl).toContain('input Freight_CarrierInput @oneOf');
});

const NOTIFICATIONS = (prefix: string) => `query ($guids: [ID!]!) {
  notificationsByGuid(notificationGuids: $guids) {
    __typename
    lastUpdateDate
    shipmentStatuses
    recipient {
      __typename
      ... on ${prefix}ShipmentLevelRecipient { smsList }
      ... on ${prefix}StopLevelRecipient { notifyStopContactsBySms }
    }
  }
}`;

test('interpreted and compiled operations return the prefixed type names', async () => {
  const expected = await plain.data(NOTIFICATIONS(''), { variables: { guids } });
  const received: unknown[] = [];
  await untilCompiled(async () => {
    received.push(await prefixed.data(NOTIFICATIONS(PREFIX), { variables: { guids } }));
  });
  expect(JSON.stringify(received[0])).toContain('"__typename":"Freight_ShipmentLevelRecipient"');
  for (const data of received)
    expect(JSON.parse(JSON.stringify(data).replaceAll(PREFIX, ''))).toEqual(expected);
});

test('_entities knows the prefixed name alone', async () => {
  const representation = (name: string) => `{ __typename: "${name}", notificationGuid: "${guid}" }`;
  const query = `{
    _entities(representations: [${representation(`${PREFIX}Notification`)}, ${representation('Notification')}]) {
      __typename
      ... on Freight_Notification { notificationGuid }
    }
  }`;
  const { data, errors } = await prefixed.execute(query, { headers });
  expect(data).toEqual({
    _entities: [{ __typename: 'Freight_Notification', notificationGuid: guid }, null],
  });
  expect(errors?.map(({ message }) => message)).toEqual([
    'expected "Freight_Notification", got "Notification"',
  ]);
});

test('mutations take prefixed inputs', async () => {
  const { query, variables } = tracking();
  const renamed = query.replace('TrackShipmentInput', `${PREFIX}TrackShipmentInput`);
  expect(await prefixed.data(renamed, { variables })).toEqual({ trackShipment: { tracked: true } });

  const creation = `mutation ($input: ${PREFIX}NotificationInput!) {
    createNotification(input: $input) { __typename notification { __typename shipmentStatuses } }
  }`;
  expect(await prefixed.data(creation, { variables: { input: sampleDefinition.input } })).toMatchObject({
    createNotification: {
      __typename: 'Freight_CreateNotificationPayload',
      notification: { __typename: 'Freight_Notification' },
    },
  });
});
