/** An operation has the same response, REST calls and log line through Apollo Server and past it. */
import { expect, test } from 'vitest';
import { NOTIFICATION_FIELDS } from '../support/graphql/documents.js';
import {
  asLiterals,
  asVariables,
  fieldNames,
  SEED_GUID,
  validArguments,
} from '../support/graphql/rootFields.js';
import { startBothPaths } from '../support/execution/bothPaths.js';
import { useStarted } from '../support/tools/useStarted.js';

const paths = useStarted(startBothPaths);

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid)';
const WRITE = 'mutation ($guid: ID!) { deleteNotification(notificationGuid: $guid)';
const guid = SEED_GUID;
/** Other notifications of the seed data for the writes: the other tests need the first one unchanged. */
const WRITTEN_GUIDS = {
  updateNotification: ['12751a71-3f6c-4191-9f31-0f4e1843c23e', '12751a71-3f6c-4191-9f31-0f4e1843c23e'],
  deleteNotification: ['268a56bc-f2d2-4fef-9422-cdf49d95b972', '12751a71-3f6c-4191-9f31-0f4e1843c23e'],
};
const variables = { guid };
const SEVERAL = `query A { __typename } ${READ.replace('query', 'query B')} { filters } }`;

test.each(fieldNames)('the root field %s, with variables and with literals', async (field) => {
  for (const [asOperation, index] of [
    [asVariables, 0],
    [asLiterals, 1],
  ] as const) {
    const args = {
      ...validArguments(field),
      ...(field in WRITTEN_GUIDS && {
        notificationGuid: WRITTEN_GUIDS[field as keyof typeof WRITTEN_GUIDS][index],
      }),
    };
    const { status, body, calls } = await paths.expectSame({ body: asOperation(field, args) });
    expect({ status, calls: calls.length }).toEqual({ status: 200, calls: 1 });
    expect(body).toContain('"data"');
  }
});

test.each<[feature: string, query: string, others?: object]>([
  ['all fields', `${READ} { ${NOTIFICATION_FIELDS} } }`],
  [
    'a list',
    '{ notifications { notifications { notificationName recipient { __typename } } messages } }',
    {},
  ],
  ['an operation name', `query Read${READ.slice(5)} { notificationName } }`],
  [
    'aliases',
    `${READ.replace('notif', 'it: notif')} { a: notificationName b: notificationName recipient { c: __typename } } }`,
  ],
  [
    'fragments',
    `${READ} { ...A ... { filters } } } fragment A on Notification { recipient { ...R } } fragment R on NotificationRecipient { __typename ... on ShipmentLevelRecipient { emailList } ... on StopLevelRecipient { notifyStopContactsBySms } }`,
  ],
  [
    'a fragment on the root type',
    'query ($guid: ID!) { ...Q } fragment Q on Query { notification(notificationGuid: $guid) { filters } }',
  ],
  [
    'a repeated field',
    `${READ} { recipient { __typename } filters recipient { notificationRecipientType } filters } }`,
  ],
  [
    'a repeated identifier',
    'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { filters } }',
    { variables: { guids: [guid, 'unknown', guid] } },
  ],
  [
    'one value for a list',
    'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { filters } }',
    { variables: { guids: guid } },
  ],
  ['a number for an ID', `${READ} { filters } }`, { variables: { guid: 5 } }],
  ['additional variables', `${READ} { filters } }`, { variables: { guid, other: 5, ['__proto__']: 6 } }],
  [
    'null for a nullable variable',
    'query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }',
    { variables: { p: null } },
  ],
  ['a default value', `${READ.replace('ID!', `ID! = "${guid}"`)} { filters } }`, {}],
  ['a default value and a variable', `${READ.replace('ID!', 'ID! = "unknown"')} { filters } }`],
  [
    'variables in literals',
    'query ($v: JSON) { notifications(additionalParameters: { a: $v, b: [$v], __proto__: "x" }) { messages } }',
    { variables: { v: '5' } },
  ],
  [
    '@skip',
    `${READ.replace('ID!', 'ID!, $if: Boolean!')} { filters @skip(if: $if) notificationName } }`,
    { variables: { guid, if: true } },
  ],
  [
    '@include by a default',
    'query ($guid: ID!, $if: Boolean = false) { notification(notificationGuid: $guid) @include(if: $if) { filters } __typename }',
  ],
  ['one of several operations by name', SEVERAL, { operationName: 'B', variables }],
  ['another one of several operations', SEVERAL, { operationName: 'A' }],
  [
    'several reads',
    `${READ} { filters } b: notification(notificationGuid: "x") { filters } c: notification(notificationGuid: $guid) { notificationName } notifications { totalPossibleCount } }`,
  ],
  [
    'several writes',
    `${WRITE} { messages } b: deleteNotification(notificationGuid: "unknown") { messages } c: __typename d: deleteNotification(notificationGuid: $guid) { messages } }`,
    { variables: { guid: 'unknown-2' } },
  ],
  [
    'several writes in a fragment',
    'mutation ($guid: ID!) { ...M } fragment M on Mutation { a: deleteNotification(notificationGuid: $guid) { messages } b: deleteNotification(notificationGuid: $guid) { messages } }',
    { variables: { guid: 'unknown-3' } },
  ],
  ['__proto__ as response name', `${READ} { __proto__: notificationName } }`],
  [
    'names found on Object.prototype',
    `${READ} { constructor: filters toString: notificationName hasOwnProperty: recipient { valueOf: __typename } } }`,
  ],
  [
    'a variable named constructor',
    'query ($constructor: JSONObject) { notifications(additionalParameters: $constructor) { messages } }',
    {},
  ],
])('%s', async (_feature, query, others = { variables }) => {
  expect((await paths.expectSame({ body: { query, ...others } })).body).toContain('"data"');
});
