/** Every limit at its bound, and one beyond. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeAndRecord, type RecordedExecution } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { validArguments, asVariables, type Operation } from '../support/graphql/rootFields.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: {
      MAX_BODY_BYTES: '2000',
      MAX_TOKENS: '100',
      MAX_DEPTH: '3',
      MAX_ALIASES: '4',
      MAX_DIRECTIVES: '4',
      MAX_MUTATION_FIELDS: '2',
      MAX_REST_CALLS: '3',
    },
  });
});
afterAll(() => gateway.stop());

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
const deletions = (count: number) => ({
  query: `mutation { ${times(count, (index) => `a${index}: deleteNotification(notificationGuid: "unknown") { messages }`)} }`,
});
const reads = (count: number): Operation =>
  asVariables('notificationsByGuid', {
    notificationGuids: Array.from({ length: count }, (_, index) => `guid-${index}`),
  });

/** Operations that are just within a limit with `most`, and beyond it with one more. */
const limits: [what: string, most: number, operation: (count: number) => Operation, message: string][] = [
  [
    'tokens',
    100,
    (count) => ({ query: `{ ${times(count - 2, () => '__typename')} }` }),
    'Expected a document of at most 100 tokens',
  ],
  [
    'lines',
    100,
    (count) => ({
      query: `${'\n'.repeat((count - 1) % 3)}${'\r\n\n\r'.repeat((count - 1) / 3)}{ __typename }`,
    }),
    'Expected a document of at most 100 lines',
  ],
  [
    'levels of fields',
    3,
    (count) => ({
      query: `{ ...Deep } fragment Deep on Query { notifications { ... { notifications { ${count === 3 ? 'notificationGuid' : 'recipient { __typename }'} } } } }`,
    }),
    'Query depth limit of 3 exceeded, found 4.',
  ],
  [
    'aliases',
    4,
    (count) => ({
      query: `{ notifications { ...Aliases } a: __typename } fragment Aliases on NotificationList { ${times(count, (index) => `a${index}: messages`)} }`,
    }),
    'Aliases limit of 4 exceeded, found 5.',
  ],
  [
    'directives',
    4,
    (count) => ({
      query: `{ notifications { ...Several @include(if: true) } } fragment Several on NotificationList { ${times(count - 1, (index) => `a${index}: messages @skip(if: true)`)} totalPossibleCount }`,
    }),
    'Directives limit of 4 exceeded, found 5.',
  ],
  ['fields of a mutation', 2, deletions, 'Expected a mutation of at most 2 fields, got one of 3'],
  ['REST calls', 3, reads, 'Expected an operation of at most 3 REST calls, got one of 4'],
];

describe.each(limits)('%s', (_what, most, operation, message) => {
  test('at the bound are executed', async () => {
    expect((await executeAndRecord(gateway, operation(most))).data).toEqual(expect.any(Object));
  });

  test('beyond it are refused', async () => {
    const { query, variables } = operation(most + 1);
    const answer = await executeAndRecord(gateway, { query, ...(variables && { variables }) });
    // What is judged before anything is known of the operation says for a query, too, that nothing was changed.
    const isUnread = message.endsWith('lines') || query.startsWith('mutation');
    expect(answer).toEqual<RecordedExecution>({
      status: 400,
      data: undefined,
      errors: [
        {
          message,
          extensions: {
            code: 'QUERY_TOO_COMPLEX',
            ...(isUnread && { outcome: 'NOT_APPLIED' }),
            retryable: false,
          },
        },
      ],
      calls: [],
    });
  });
});

/** A body of so many bytes. */
function body(bytes: number): string {
  const text = JSON.stringify({ query: '{ __typename }' });
  return text + ' '.repeat(bytes - text.length);
}

test('a body at the bound is executed', async () => {
  const { status, body: answer } = await post(body(2000));
  expect([status, answer]).toEqual([200, { data: { __typename: 'Query' } }]);
});

test.each([
  ['of declared length', body(2001)],
  ['in chunks', new Blob([body(2001)]).stream()],
])('a body beyond the bound is refused, %s', async (_how, text) => {
  const { status, body: answer, requestId } = await post(text);
  expect([status, answer]).toEqual([
    413,
    {
      errors: [
        {
          message: 'Request body is too large',
          extensions: { code: 'BAD_REQUEST', retryable: false, requestId },
        },
      ],
    },
  ]);
});

test.each([
  ['several operations', [{ query: '{ __typename }' }, { query: '{ __typename }' }]],
  ['one operation', [{ query: '{ __typename }' }]],
  ['a change', [asVariables('deleteNotification', validArguments('deleteNotification'))]],
  ['nothing', []],
])('a batch of %s is refused', async (_what, operations) => {
  gateway.takeCalls();
  const { status, body: answer } = await post(JSON.stringify(operations));
  expect([status, answer]).toEqual([
    400,
    {
      errors: [
        { message: 'Operation batching disabled.', extensions: { code: 'BAD_REQUEST', retryable: false } },
      ],
    },
  ]);
  expect(gateway.takeCalls()).toEqual([]);
});

async function post(text: string | ReadableStream) {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
    body: text,
    duplex: 'half',
  });
  return {
    status: response.status,
    body: await response.json(),
    requestId: response.headers.get('x-request-id'),
  };
}
