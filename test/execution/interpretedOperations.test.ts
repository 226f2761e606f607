import { expect, test } from 'vitest';
import { fieldNames, SEED_GUID, validArguments, asLiterals } from '../support/graphql/rootFields.js';
import { startExecutionModes } from '../support/execution/executionModes.js';
import { useStarted } from '../support/tools/useStarted.js';
const modes = useStarted(startExecutionModes);

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid)';
const WRITE = 'mutation ($guid: ID!) { deleteNotification(notificationGuid: $guid)';
const guid = SEED_GUID;
const variables = { guid };
const SEVERAL = `query A { __typename } ${READ.replace('query', 'query B')} { filters } }`;

test.each(fieldNames)('%s with literals has the same result past Apollo Server', async (field) => {
  const { status, body, calls } = await modes.expectSame({ body: asLiterals(field, validArguments(field)) });
  expect({ status, calls: calls.length }).toEqual({ status: 200, calls: 1 });
  expect(body).toContain('"data"');
});

test.each<[feature: string, query: string, others?: object]>([
  ['a default value', `${READ.replace('ID!', `ID! = "${guid}"`)} { filters } }`],
  [
    'a default value and a variable',
    `${READ.replace('ID!', 'ID! = "unknown"')} { filters } }`,
    { variables },
  ],
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
    { variables },
  ],
  ['one of several operations by name', SEVERAL, { operationName: 'B', variables }],
  ['another one of several operations', SEVERAL, { operationName: 'A' }],
  [
    'several reads',
    `${READ} { filters } b: notification(notificationGuid: "x") { filters } c: notification(notificationGuid: $guid) { notificationName } notifications { totalPossibleCount } }`,
    { variables },
  ],
  [
    'several writes',
    `${WRITE} { messages } b: deleteNotification(notificationGuid: "unknown") { messages } c: __typename d: deleteNotification(notificationGuid: $guid) { messages } }`,
    { variables },
  ],
  [
    'several writes in a fragment',
    'mutation ($guid: ID!) { ...M } fragment M on Mutation { a: deleteNotification(notificationGuid: $guid) { messages } b: deleteNotification(notificationGuid: $guid) { messages } }',
    { variables: { guid: '268a56bc-f2d2-4fef-9422-cdf49d95b972' } },
  ],
  ['__proto__ as response name', `${READ} { __proto__: notificationName } }`, { variables }],
  [
    'names found on Object.prototype',
    `${READ} { constructor: filters toString: notificationName hasOwnProperty: recipient { valueOf: __typename } } }`,
    { variables },
  ],
  [
    'a variable named constructor',
    'query ($constructor: JSONObject) { notifications(additionalParameters: $constructor) { messages } }',
  ],
  ['51 fields', `${READ} { ${'filters '.repeat(50)} } }`, { variables }],
])(
  'an operation with %s is not compiled and has the same result past Apollo Server',
  async (_feature, query, others) => {
    const { body, isCompiled } = await modes.expectSame({ body: { query, ...others } });
    expect(body).toContain('"data"');
    expect(isCompiled).toBe(false);
  },
);

test('a literal that resembles generated code is never evaluated', async () => {
  const text = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d(globalThis.wasEvaluated=true)';
  const query = `{ notification(notificationGuid: "${text}") { filters } }`;
  for (let time = 0; time < 50; time += 1) await modes.expectSame({ body: { query } });
  expect(globalThis).not.toHaveProperty('wasEvaluated');
});
