/** With OPERATIONS_MANIFEST, only the operations of that file are executed, by ID or by text. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { requestError } from '../support/graphql/fieldError.js';
import { exchange } from '../support/http/rawHttp.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';

const manifestFile = (name: string) => fileURLToPath(new URL(`manifests/${name}.json`, import.meta.url));
const apolloOperations = (
  JSON.parse(readFileSync(manifestFile('apollo'), 'utf8')) as {
    operations: { id: string; name: string; body: string }[];
  }
).operations;
const relayOperations = Object.entries(
  JSON.parse(readFileSync(manifestFile('relay'), 'utf8')) as Record<string, string>,
).map(([id, body]) => ({ id, name: /\w+ (\w+)/.exec(body)?.[1] ?? '', body }));

const variables = { guid: SEED_GUID };
const foundResponse = {
  data: {
    notification: {
      notificationGuid: SEED_GUID,
      notificationName: 'Dock team, arrivals',
      __typename: 'Notification',
    },
  },
};
const notOnSafelist = {
  errors: [requestError('Operation is not on the safelist', { code: 'QUERY_NOT_IN_SAFELIST' })],
};

describe.each([
  ['apollo', apolloOperations],
  ['relay', relayOperations],
])('With a manifest in the format of %s, the gateway', (format, operations) => {
  const gateway = useGateway({ env: { OPERATIONS_MANIFEST: manifestFile(format) } });

  const read = operations.find((each) => each.name === 'ReadNotification') ?? { id: '', body: '' };
  const remove = operations.find((each) => each.name === 'DeleteNotification') ?? { id: '', body: '' };
  const persisted = (sha256Hash: unknown) => ({ persistedQuery: { version: 1, sha256Hash } });

  const headers = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };
  async function statusAndBody(pending: Promise<Response>) {
    const response = await pending;
    return { status: response.status, body: await response.json() };
  }
  const post = (parameters: object) =>
    statusAndBody(fetch(gateway.url, { method: 'POST', headers, body: JSON.stringify(parameters) }));
  const get = (parameters: Record<string, unknown>) => {
    const texts = Object.entries(parameters).map(([key, value]): [string, string] => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return statusAndBody(fetch(`${gateway.url}?${new URLSearchParams(texts).toString()}`, { headers }));
  };

  describe.each([
    ['POST', post],
    ['GET', get],
  ])('over %s', (_method, send) => {
    test.each<[string, Record<string, unknown>]>([
      ['its ID as persistedQuery', { extensions: persisted(read.id) }],
      ['its ID as documentId', { documentId: read.id }],
      ['its ID as id', { id: read.id }],
      ['its ID as doc_id', { doc_id: read.id }],
      ['its text', { query: read.body }],
      [
        'its text with different whitespace and comments',
        { query: `# read\n${read.body.replace(/\s+/g, '  ')},,` },
      ],
    ])('executes an operation by %s', async (_reference, parameters) => {
      gateway.takeCalls();
      expect(await send({ ...parameters, variables })).toEqual({ status: 200, body: foundResponse });
      expect(gateway.takeCalls().length).toBe(1);
    });

    test.each<[string, string]>([
      ['another operation', '{ notifications { totalPossibleCount } }'],
      ['a listed operation with a different field', read.body.replace('notificationName', 'lastUpdateDate')],
      ['part of a listed operation', read.body.slice(0, read.body.indexOf('fragment'))],
      ['two listed operations', `${read.body} ${remove.body}`],
      ['a document that is not GraphQL', '{'],
      ['an empty document', ''],
      ['introspection', '{ __schema { queryType { name } } }'],
    ])('rejects %s', async (_content, query) => {
      gateway.takeCalls();
      for (const reference of [{}, { documentId: read.id }, { extensions: persisted(read.id) }])
        expect(await send({ query, variables, ...reference })).toEqual({ status: 403, body: notOnSafelist });
      expect(gateway.takeCalls()).toEqual([]);
    });

    test.each<[string, Record<string, unknown>]>([
      [
        'persistedQuery',
        { extensions: persisted(createHash('sha256').update('{ __typename }').digest('hex')) },
      ],
      ['documentId', { documentId: '__proto__' }],
      ['id', { id: 'toString' }],
      ['doc_id', { doc_id: '' }],
    ])('rejects an unlisted ID as %s', async (_parameter, parameters) => {
      gateway.takeCalls();
      expect(await send({ ...parameters, variables })).toEqual({
        status: 422,
        body: {
          errors: [requestError('PersistedQueryNotFound', { code: 'PERSISTED_QUERY_NOT_FOUND' })],
        },
      });
      expect(gateway.takeCalls()).toEqual([]);
    });

    test.each<[string, Record<string, unknown>, message: RegExp, code: string, outcome?: string]>([
      [
        'variables that are not an object',
        { variables: '[1]' },
        /^(Expected the member variables to be an object|The variables search parameter should)/,
        'BAD_REQUEST',
        'NOT_APPLIED',
      ],
      [
        'an operation name that no operation has',
        { operationName: 'toString' },
        /^Unknown operation named "toString"/,
        'OPERATION_RESOLUTION_FAILURE',
      ],
    ])('rejects an ID with %s with 422', async (_parameter, parameters, message, code, outcome) => {
      gateway.takeCalls();
      expect(await send({ documentId: read.id, ...parameters })).toEqual({
        status: 422,
        body: { errors: [requestError(expect.stringMatching(message) as string, { code, outcome })] },
      });
      expect(gateway.logLines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
      expect(gateway.takeCalls()).toEqual([]);
    });

    test('executes the text of a listed operation, whatever ID is sent along', async () => {
      for (const id of [{ documentId: remove.id }, { extensions: persisted(remove.id) }])
        expect(await send({ query: read.body, variables, ...id })).toEqual({
          status: 200,
          body: foundResponse,
        });
    });
  });

  test('rejects an ID like any request without a preflight or with an unacceptable response', async () => {
    const simple = await fetch(`${gateway.url}?documentId=${read.id}`);
    expect({ status: simple.status, body: await simple.json() }).toMatchObject({
      status: 403,
      body: {
        errors: [
          {
            message: expect.stringContaining('apollo-require-preflight') as string,
            extensions: { code: 'BAD_REQUEST' },
          },
        ],
      },
    });
    const image = { ...headers, accept: 'image/png' };
    const body = JSON.stringify({ documentId: read.id, variables });
    expect(await statusAndBody(fetch(gateway.url, { method: 'POST', headers: image, body }))).toMatchObject({
      status: 406,
      body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
    });
  });

  test('executes a mutation by its ID with POST, but not with GET', async () => {
    gateway.takeCalls();
    const parameters = { documentId: remove.id, variables: { guid: 'unknown' } };
    expect(await get(parameters)).toMatchObject({
      status: 405,
      body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
    });
    expect(gateway.takeCalls()).toEqual([]);
    expect(await post(parameters)).toMatchObject({
      status: 200,
      body: { errors: [{ extensions: { code: 'NOT_FOUND', outcome: 'NOT_APPLIED' } }] },
    });
    expect(gateway.takeCalls().length).toBe(1);
  });

  test('does not add operations to the safelist', async () => {
    const query = '{ __typename }';
    const extensions = persisted(createHash('sha256').update(query).digest('hex'));
    expect(await post({ query, extensions })).toEqual({ status: 403, body: notOnSafelist });
    expect(await post({ extensions })).toMatchObject({
      status: 422,
      body: { errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
    });
  });

  const forbidden = {
    status: 403,
    message: 'Operation is not on the safelist',
    code: 'QUERY_NOT_IN_SAFELIST',
  };
  const withoutQuery = {
    status: 422,
    message: 'Expected a non-empty query, or the extension persistedQuery',
    outcome: undefined, // Apollo Server takes it for a query
  };
  const otherPath = { status: 404, message: 'Expected the path /graphql' };
  test.each<
    [
      target: string,
      expected: { status: number; message: string; code?: string; outcome?: string | undefined },
    ]
  >([
    ['/graphql?query={notifications{messages}}', forbidden],
    ['/graphql?query=&query={notifications{messages}}', forbidden],
    ['/graphql?query={notifications{messages}}&query=', forbidden],
    ['/graphql?%71uery={notifications{messages}}', forbidden],
    ['/graphql?x#?query={notifications{messages}}', withoutQuery],
    ['/graphql#?query={notifications{messages}}', withoutQuery],
    ['/%67raphql?;query={notifications{messages}}&;&query={notifications{messages}}', forbidden],
    ['http://any/graphql?query={notifications{messages}}', forbidden],
    [
      'http://any/graphql#&query={notifications{messages}}',
      { status: 400, message: 'Expected a valid path' },
    ],
    ['http://any?query={notifications{messages}}%23/graphql', otherPath],
    ['http://any?query={notifications{messages}}%23/graphql?query', otherPath],
  ])('cannot be bypassed by the request target %s', async (target, { status, message, ...extensions }) => {
    gateway.takeCalls();
    const lines = [
      'host: any',
      'connection: close',
      'content-type: application/json',
      `authorization: Bearer ${TOKEN}`,
    ];
    const [response] = await exchange(gateway.url, `GET ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    expect([response?.status, JSON.parse(response?.body ?? '')]).toEqual([
      status,
      { errors: [requestError(message, extensions, response?.headers['x-request-id'])] },
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  });
});
