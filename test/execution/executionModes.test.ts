/** Whichever way an operation goes through the gateway, its answer, its REST calls and its log line are the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOTIFICATION_FIELDS } from '../support/graphql/documents.js';
import { fieldNames, SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';
import { startExecutionModes, type ExecutionModes } from '../support/executionModes.js';

let ways: ExecutionModes;
beforeAll(async () => {
  ways = await startExecutionModes();
});
afterAll(() => ways.stop());

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid)';
const guid = SEED_GUID;
const variables = { guid };
const additionalParameters = { page: 1, size: [1, 'x', true] };

describe('an operation that can be compiled', () => {
  test.each(fieldNames)('%s', async (field) => {
    const args = field === 'notifications' ? { additionalParameters } : validArguments(field);
    const { status, body, calls, isCompiled } = await ways.expectSame({ body: asVariables(field, args) });
    expect({ status, calls: calls.length, isCompiled }).toEqual({ status: 200, calls: 1, isCompiled: true });
    expect(body).not.toContain('errors');
  });

  test.each<[what: string, query: string, variables?: object]>([
    ['all fields', `${READ} { ${NOTIFICATION_FIELDS} } }`],
    [
      'a list',
      '{ notifications { notifications { notificationName recipient { __typename } } messages } }',
      {},
    ],
    ['a name', `query Read${READ.slice(5)} { notificationName } }`],
    [
      'aliases',
      `${READ.replace('notif', 'it: notif')} { a: notificationName b: notificationName recipient { c: __typename } } }`,
    ],
    [
      'fragments',
      `${READ} { ...A ... { filters } } } fragment A on Notification { recipient { ...R } } fragment R on NotificationRecipient { __typename ... on ShipmentLevelRecipient { emailList } ... on StopLevelRecipient { notifyStopContactsBySms } }`,
    ],
    [
      'a fragment of its root',
      'query ($guid: ID!) { ...Q } fragment Q on Query { notification(notificationGuid: $guid) { filters } }',
    ],
    [
      'a field several times',
      `${READ} { recipient { __typename } filters recipient { notificationRecipientType } filters } }`,
    ],
    ['__typename alone', `${READ} { __typename } }`],
    [
      'a guid twice',
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { filters } }',
      { guids: [guid, 'unknown', guid] },
    ],
    [
      'an empty list',
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { filters } }',
      { guids: [] },
    ],
    ['variables beside', `${READ} { filters } }`, { guid, other: 5, ['__proto__']: 6 }],
    [
      'a default that is not needed',
      'query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }',
      { p: { nested: 'x' } },
    ],
    ['__typename of its root', '{ __typename }', {}],
  ])('%s', async (_what, query, given = variables) => {
    expect((await ways.expectSame({ body: { query, variables: given } })).isCompiled).toBe(true);
  });

  // Coercion changes them, or the compiler would say something else.
  test.each<[what: string, query: string, given: object]>([
    ['a number for an ID', `${READ} { filters } }`, { guid: 5 }],
    [
      'one value for a list',
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { filters } }',
      { guids: guid },
    ],
    [
      'a missing variable that may be',
      'query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }',
      {},
    ],
    [
      'null for it',
      'query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }',
      { p: null },
    ],
  ])('is left to graphql-js for %s', async (_what, query, given) => {
    const { status, isCompiled } = await ways.expectSame({ body: { query, variables: given } });
    expect({ status, isCompiled }).toEqual({ status: 200, isCompiled: false });
  });
});
