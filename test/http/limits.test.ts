/** Every limit, at its maximum and one above it. */
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { executeAndRecord, tooComplex } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import { repeated } from '../support/graphql/creations.js';
import type { Operation } from '../support/graphql/rootFields.js';
const gateway = useGateway({
  config: {
    http: { maxBodyBytes: 2000 },
    graphql: {
      maxTokens: 100,
      maxAliases: 4,
      maxDirectives: 4,
      maxMutationFields: 2,
      maxRestCalls: 3,
    },
    subgraph: { maxEntities: 30 },
  },
});

const deletions = (count: number) => ({
  query: `
    mutation {
      ${repeated(count, (index) => `a${index}: deleteNotification(notificationGuid: "unknown") { messages }`)}
    }
  `,
});
/** Operations that reach a limit with `max` elements and exceed it with one more. */
const limits: [element: string, max: number, operation: (count: number) => Operation, message: string][] = [
  [
    'tokens',
    100,
    (count) => ({ query: `{ ${repeated(count - 2, () => '__typename')} }` }),
    'Expected a document of at most 100 tokens, got more',
  ],
  [
    'lines',
    100,
    (count) => ({
      query: `${'\n'.repeat((count - 1) % 3)}${'\r\n\n\r'.repeat((count - 1) / 3)}{ __typename }`,
    }),
    'Expected a document of at most 100 lines, got more',
  ],
  [
    'aliases',
    4,
    (count) => ({
      query: `
        { notifications { ...Aliases } __typename }
        fragment Aliases on NotificationList { ${repeated(count, (index) => `a${index}: messages`)} }
      `,
    }),
    'Expected at most 4 aliases, got 5',
  ],
  [
    'aliases in a fragment, at each of its spreads',
    4,
    (count) => ({
      query: `
        { notifications { ...Two notifications { __typename } ...Two ${count > 4 ? 'c: messages' : ''} } }
        fragment Two on NotificationList { ...One b: messages }
        fragment One on NotificationList { ... on NotificationList { a: messages } }
      `,
    }),
    'Expected at most 4 aliases, got 5',
  ],
  [
    'directives in a fragment, at each of its spreads',
    4,
    (count) => ({
      query: `
        { notifications { ...Two __typename ... { ...Two } ${count > 4 ? '... @skip(if: true) { messages }' : ''} } }
        fragment Two on NotificationList { ...One @include(if: true) }
        fragment One on NotificationList { messages @skip(if: true) }
      `,
    }),
    'Expected at most 4 directives, got 5',
  ],
  [
    'directives',
    4,
    (count) => ({
      query: `
        { notifications { ...Several @include(if: true) } }
        fragment Several on NotificationList {
          ${repeated(count - 1, (index) => `a${index}: messages @skip(if: true)`)}
          totalPossibleCount
        }
      `,
    }),
    'Expected at most 4 directives, got 5',
  ],
  ['fields of a mutation', 2, deletions, 'Expected at most 2 mutation fields, got 3'],
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

  test('rejects an operation above the maximum, also if it is sent again', async () => {
    const rejected = operation(max + 1);
    const responses = [await executeAndRecord(gateway, rejected), await executeAndRecord(gateway, rejected)];
    // Limits checked before parsing report NOT_APPLIED for queries as well: the operation type is not determined yet.
    const hasOutcome = message.includes(' lines,') || rejected.query.trimStart().startsWith('mutation');
    expect(responses).toEqual(Array(2).fill(tooComplex(message, { hasOutcome })));
  });
});

describe('With the default limits', () => {
  const defaultGateway = useGateway();

  const list = (selection: string, fragments = '') => ({
    query: `{ notifications { notifications { ${selection} } } } ${fragments}`,
  });
  /** Fragments that spread the next one twice: walking every spread would take longer than any timeout. */
  const doubling = (count: number, last: string) => `
    ${repeated(count, (index) => `fragment F${index} on Notification { ...F${index + 1} ...F${index + 1} }`)}
    fragment F${count} on Notification { ${last} }
  `;

  test.each<[content: string, operation: Operation, expected: string]>([
    ['60 doubling fragments', list('...F0', doubling(60, '__typename')), 'at most 5000 selections, got more'],
    [
      'as many selections as another of its document, together too many',
      {
        query: ['A', 'B']
          .map((name) => `query ${name} ${list('...F0').query}`)
          .concat(doubling(10, '__typename'))
          .join(' '),
      },
      'at most 5000 selections, got more',
    ],
    [
      'an alias in six doubling fragments',
      list('...F0', doubling(6, 'a: __typename')),
      'at most 50 aliases, got 64',
    ],
    [
      'a directive in six doubling fragments',
      list('...F0', doubling(6, '__typename @skip(if: true)')),
      'at most 50 directives, got 64',
    ],
  ])('rejects an operation with %s', async (_content, operation, expected) => {
    const { status, errors, calls } = await executeAndRecord(defaultGateway, operation);
    const messages = errors
      ?.filter(({ extensions }) => extensions['code'] === 'QUERY_TOO_COMPLEX')
      .map(({ message }) => message);
    expect({ status, messages, calls }).toEqual({
      status: 422,
      messages: [`Expected ${expected}`],
      calls: [],
    });
  });
});

describe('introspection, where it is enabled,', () => {
  const explorer = useGateway({ env: { EXPLORER: 'true' } });

  test('is accepted as explorers and code generators send it', async () => {
    const { status, errors } = await executeAndRecord(explorer, { query: getIntrospectionQuery() });
    expect([status, errors]).toEqual([200, undefined]);
  });
});
