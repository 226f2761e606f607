import { describe, expect, test } from 'vitest';
import { NOTIFICATION_FIELDS } from '../support/graphql/documents.js';
import { fieldNames, SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';
import { startExecutionModes } from '../support/execution/executionModes.js';
import { useStarted } from '../support/tools/useStarted.js';
const modes = useStarted(startExecutionModes);

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid)';
const guid = SEED_GUID;
/** Other notifications of the seed data for the writes: the other tests need the first one unchanged. */
const WRITTEN_GUIDS = {
  updateNotification: '12751a71-3f6c-4191-9f31-0f4e1843c23e',
  deleteNotification: '268a56bc-f2d2-4fef-9422-cdf49d95b972',
};
const variables = { guid };
const additionalParameters = { page: 1, size: [1, 'x', true] };

describe('an eligible operation has the same response, REST calls and log line through Apollo Server, past it, and compiled:', () => {
  test.each(fieldNames)('the root field %s', async (field) => {
    const args = {
      ...validArguments(field),
      ...(field === 'notifications' && { additionalParameters }),
      ...(field in WRITTEN_GUIDS && { notificationGuid: WRITTEN_GUIDS[field as keyof typeof WRITTEN_GUIDS] }),
    };
    const { status, body, calls, isCompiled } = await modes.expectSame({ body: asVariables(field, args) });
    expect({ status, calls: calls.length, isCompiled }).toEqual({ status: 200, calls: 1, isCompiled: true });
    expect(body).not.toContain('errors');
  });

  test.each<[selection: string, query: string, variables?: object]>([
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
    ['__typename alone', `${READ} { __typename } }`],
    [
      'a repeated identifier',
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { filters } }',
      { guids: [guid, 'unknown', guid] },
    ],
    [
      'an empty list',
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { filters } }',
      { guids: [] },
    ],
    ['additional variables', `${READ} { filters } }`, { guid, other: 5, ['__proto__']: 6 }],
    [
      'a nullable variable with a value',
      'query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }',
      { p: { nested: 'x' } },
    ],
    [
      'a missing nullable variable',
      'query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }',
      {},
    ],
    [
      'null for a nullable variable',
      'query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }',
      { p: null },
    ],
    ['__typename of the root type', '{ __typename }', {}],
  ])('%s', async (_selection, query, given = variables) => {
    expect((await modes.expectSame({ body: { query, variables: given } })).isCompiled).toBe(true);
  });

  // Coercion changes these values, or the compiler words their errors differently.
  test.each<[value: string, query: string, given: object]>([
    ['a number for an ID', `${READ} { filters } }`, { guid: 5 }],
    [
      'one value for a list',
      'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { filters } }',
      { guids: guid },
    ],
  ])('is left to graphql-js: %s', async (_value, query, given) => {
    const { status, isCompiled } = await modes.expectSame({ body: { query, variables: given } });
    expect({ status, isCompiled }).toEqual({ status: 200, isCompiled: false });
  });
});
