/** Rejections are the same in both paths, through Apollo Server and past it, and cause no REST call. */
import { describe, expect, test } from 'vitest';
import {
  withInvalidValue,
  fieldNames,
  SEED_GUID,
  validArguments,
  asLiterals,
  asVariables,
  type FieldName,
  entryOf,
} from '../support/graphql/rootFields.js';
import { startBothPaths } from '../support/execution/bothPaths.js';
import type { ObservedRequest } from '../support/execution/observedGateway.js';
import { useStarted } from '../support/tools/useStarted.js';
const paths = useStarted(() =>
  startBothPaths({ config: { graphql: { maxAliases: 100, maxDirectives: 100 } } }),
);

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid) { filters } }';
const guid = SEED_GUID;
const repeat = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');

async function expectRejected(request: ObservedRequest): Promise<void> {
  const { body, calls } = await paths.expectSame(request);
  expect({ body, calls }).toEqual({ body: expect.stringContaining('"errors":') as string, calls: [] });
}

const invalid: [field: FieldName, place: string, value: unknown][] = [
  ['notification', 'notificationGuid', ''],
  ['notification', 'notificationGuid', undefined],
  ['notification', 'notificationGuid', null],
  ['notification', 'notificationGuid', true],
  ['notificationsByGuid', 'notificationGuids', Array.from({ length: 101 }, (_, index) => `g${index}`)],
  ['notificationsByGuid', 'notificationGuids', [guid, '', '..']],
  ['notificationsByGuid', 'notificationGuids', [guid, null]],
  ['notifications', 'additionalParameters', 'text'],
  ['notifications', 'additionalParameters', { a: { b: {} } }],
  ['createNotification', 'input.notificationName', ' '],
  ['createNotification', 'input.notificationName', undefined],
  ['createNotification', 'input.color', 'red'],
  ['createNotification', 'input.filters', [null]],
  ['createNotification', 'input.recipient', {}],
  ['createNotification', 'input.recipient.stopLevel', null],
  ['createNotification', 'input.recipient.shipmentLevel.emailList', ['no', 'dock@example.com', '@']],
  ['createNotification', 'input.trigger', { shipmentStatusChange: ['LOST'] }],
  ['updateNotification', 'notificationGuid', 'a/b'],
  ['deleteNotification', 'notificationGuid', '..'],
  ['trackShipment', 'input.driverPhoneNumber', '12'],
  ['trackShipment', 'input.carrier', { mc: '1', dot: '2' }],
  ['trackShipment', 'input.carrier', { mc: null }],
  ['trackShipment', 'input.additionalParameters', { carrierMC: 1 }],
  ['trackShipment', 'input.additionalParameters', JSON.parse('{"__proto__":{"a":1}}')],
  ['deleteException', 'input.target', {}],
];

describe('an invalid variable is rejected:', () => {
  test.each(invalid)('%s with %s as %j', async (field, place, value) => {
    await expectRejected({ body: asVariables(field, withInvalidValue(field, place, value)) });
  });
});

describe('an invalid literal is rejected:', () => {
  test.each(invalid)('%s with %s as %j', async (field, place, value) => {
    await expectRejected({ body: asLiterals(field, withInvalidValue(field, place, value)) });
  });
});

test.each(fieldNames)('%s without its required variables is rejected', async (field) => {
  if (field !== 'notifications') await expectRejected({ body: { query: asVariables(field, {}).query } });
});

describe('without a well-formed token it is rejected:', () => {
  const fields = fieldNames.filter((field) => entryOf(field).operation.token === 'required');
  test.each(fields)('%s', async (field) => {
    for (const token of [null, '', 'two words', 'é'])
      await expectRejected({ body: asVariables(field, validArguments(field)), token });
  });
});

test.each<[operation: string, body: object]>([
  [
    'too many REST calls',
    {
      query: `{ ${repeat(101, (index) => `a${index}: notification(notificationGuid: "g${index}") { filters }`)} }`,
    },
  ],
  [
    'too many mutation fields',
    {
      query: `mutation ($guid: ID!) { ${repeat(11, (index) => `a${index}: deleteNotification(notificationGuid: $guid) { messages }`)} }`,
      variables: { guid },
    },
  ],
  ['a subscription', { query: 'subscription { a b }' }],
  ['no operation', { query: 'fragment F on Query { __typename }' }],
  ['an unknown operation', { query: READ, operationName: 'Other', variables: { guid } }],
  ['several operations without a name', { query: 'query A { __typename } query B { __typename }' }],
  [
    'a null condition',
    {
      query: 'query ($if: Boolean = true) { notifications @include(if: $if) { messages } }',
      variables: { if: null },
    },
  ],
  [
    'a condition that is not a boolean',
    {
      query: 'query ($if: Boolean!) { notifications @include(if: $if) { messages } }',
      variables: { if: 'yes' },
    },
  ],
])('an operation with %s is rejected', async (_operation, body) => {
  await expectRejected({ body });
});
