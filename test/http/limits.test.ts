/** Every limit, at its maximum and one above it. */
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

const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
const deletions = (count: number) => ({
  query: `
    mutation {
      ${repeat(count, (index) => `a${index}: deleteNotification(notificationGuid: "unknown") { messages }`)}
    }
  `,
});
const reads = (count: number): Operation =>
  asVariables('notificationsByGuid', {
    notificationGuids: Array.from({ length: count }, (_, index) => `guid-${index}`),
  });

/** Operations that reach a limit with `max` elements and exceed it with one more. */
const limits: [element: string, max: number, operation: (count: number) => Operation, message: string][] = [
  [
    'tokens',
    100,
    (count) => ({ query: `{ ${repeat(count - 2, () => '__typename')} }` }),
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
      query: `
        { ...Deep }
        fragment Deep on Query {
          notifications {
            ... {
              notifications { ${count === 3 ? 'notificationGuid' : 'recipient { __typename }'} }
            }
          }
        }
      `,
    }),
    'Query depth limit of 3 exceeded, found 4.',
  ],
  [
    'aliases',
    4,
    (count) => ({
      query: `
        { notifications { ...Aliases } a: __typename }
        fragment Aliases on NotificationList { ${repeat(count, (index) => `a${index}: messages`)} }
      `,
    }),
    'Aliases limit of 4 exceeded, found 5.',
  ],
  [
    'directives',
    4,
    (count) => ({
      query: `
        { notifications { ...Several @include(if: true) } }
        fragment Several on NotificationList {
          ${repeat(count - 1, (index) => `a${index}: messages @skip(if: true)`)}
          totalPossibleCount
        }
      `,
    }),
    'Directives limit of 4 exceeded, found 5.',
  ],
  ['fields of a mutation', 2, deletions, 'Expected a mutation of at most 2 fields, got one of 3'],
  ['REST calls', 3, reads, 'Expected an operation of at most 3 REST calls, got one of 4'],
];

describe.each(limits)('The limit on %s', (_elements, max, operation, message) => {
  test('accepts an operation at the maximum', async () => {
    const { status, data, errors = [] } = await executeAndRecord(gateway, operation(max));
    const codes = errors.map(({ extensions }) => extensions['code']);
    // Deletions reach the service, which has no such notification.
    expect({ status, codes: codes.filter((code) => code !== 'NOT_FOUND') }).toEqual({
      status: 200,
      codes: [],
    });
    expect(data).not.toBeNull();
  });

  test('rejects an operation above the maximum', async () => {
    const { query, variables } = operation(max + 1);
    const response = await executeAndRecord(gateway, { query, ...(variables && { variables }) });
    // Limits checked before parsing report NOT_APPLIED for queries as well: the operation type is not determined yet.
    const hasOutcome = message.endsWith('lines') || query.trimStart().startsWith('mutation');
    expect(response).toEqual<RecordedExecution>({
      status: 400,
      data: undefined,
      errors: [
        {
          message,
          extensions: {
            code: 'QUERY_TOO_COMPLEX',
            ...(hasOutcome && { outcome: 'NOT_APPLIED' }),
            retryable: false,
          },
        },
      ],
      calls: [],
    });
  });
});

/** A body of exactly that many bytes. */
function body(bytes: number): string {
  const text = JSON.stringify({ query: '{ __typename }' });
  return text + ' '.repeat(bytes - text.length);
}

test('accepts a body of MAX_BODY_BYTES', async () => {
  const { status, body: response } = await post(body(2000));
  expect([status, response]).toEqual([200, { data: { __typename: 'Query' } }]);
});

test.each([
  ['with content-length', body(2001)],
  ['in chunks', new Blob([body(2001)]).stream()],
])('rejects a larger body %s', async (_framing, text) => {
  const { status, body: response, requestId } = await post(text);
  expect([status, response]).toEqual([
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
  ['a mutation', [asVariables('deleteNotification', validArguments('deleteNotification'))]],
  ['no operations', []],
])('rejects a batch of %s', async (_content, operations) => {
  gateway.takeCalls();
  const { status, body: response } = await post(JSON.stringify(operations));
  expect([status, response]).toEqual([
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
