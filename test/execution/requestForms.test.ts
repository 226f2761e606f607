/** However a request is made, every way reads it in the same way. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fieldNames, SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';
import { startExecutionModes, type ExecutionModes } from '../support/executionModes.js';

let ways: ExecutionModes;
beforeAll(async () => {
  ways = await startExecutionModes({
    env: { EXPOSE_REST_CALLS: 'true', CORS_ORIGINS: 'https://app.example.com' },
  });
  await ways.expectSame({ body: { query: '{ __typename }' } }); // so that it is known where it stands in a text
});
afterAll(() => ways.stop());

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid) { notificationName } }';
const WRITE = asVariables('trackShipment', validArguments('trackShipment'));
const variables = { guid: SEED_GUID };
const read = { query: READ, variables };

describe('Accept', () => {
  // prettier-ignore
  const accepted = [
    '*/*', 'application/*', 'application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'text/html, application/json;q=0.1',
    'application/graphql-response+json', 'application/graphql-response+json, application/json;q=0.9', 'application/json, application/graphql-response+json',
    'application/json;q=0, */*', 'multipart/mixed, application/json', 'multipart/mixed;deferSpec=20220824, application/json', 'application/json; callbackSpec=1.0', '',
  ];
  const refused = ['text/html', 'application/json;q=0', 'image/*', ';', 'multipart/mixed'];

  test.each(accepted)('%j', async (accept) => {
    const { status, calls } = await ways.expectSame({ body: read, headers: { accept } });
    expect({ status, calls: calls.length }).toEqual({ status: 200, calls: 1 });
    await ways.expectSame({ body: { query: READ }, headers: { accept } });
  });

  test.each(refused)('%j is refused', async (accept) => {
    for (const body of [read, WRITE])
      expect(await ways.expectSame({ body, headers: { accept } })).toMatchObject({ status: 406, calls: [] });
  });
});

describe.each(fieldNames)('%s', (field) => {
  const args = field === 'notifications' ? { additionalParameters: { page: 1 } } : validArguments(field);
  const body = asVariables(field, args);

  test.each(['x-gateway-trace', 'x-gateway-dry-run'])('with %s', async (name) => {
    for (const value of ['1', '0']) await ways.expectSame({ body, headers: { [name]: value } });
  });
});

test.each<[what: string, body: unknown]>([
  ['no variables', { query: READ }],
  ['variables that are null', { query: READ, variables: null }],
  ['variables that are a list', { query: READ, variables: [] }],
  ['variables that are a text', { query: READ, variables: JSON.stringify(variables) }],
  ['an empty name', { ...read, operationName: '' }],
  ['a name that is null', { ...read, operationName: null }],
  ['a name that is a number', { ...read, operationName: 5 }],
  ['the extensions of clients', { ...read, extensions: { clientLibrary: { name: 'a', version: '1' } } }],
  ['extensions that are null', { ...read, extensions: null }],
  ['extensions that are a text', { ...read, extensions: 'text' }],
  ['extensions that are a list', { ...read, extensions: [] }],
  [
    'a persisted query',
    { ...read, extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
  ],
  ['a persisted query that is null', { ...read, extensions: { persistedQuery: null } }],
  ['further keys', { ...read, id: '5', documentId: 'x', constructor: 1, onError: 'NULL' }],
  ['a list', [read, read]],
  ['an empty list', []],
  ['an empty object', {}],
  ['null', null],
  ['a text', '"text"'],
  ['no JSON', '{"query":'],
  ['a query that is no text', { query: 5 }],
  ['__proto__', `{"query":"{ __typename }","__proto__":{"variables":{}},"constructor":{"prototype":1}}`],
  ['a query in __proto__', '{"__proto__":{"query":"{ __typename }"}}'],
  ['a key twice', '{"query":"{","query":"{ __typename }"}'],
  ['a byte order mark', '\ufeff{"query":"{ __typename }"}'],
  [
    'a half of a character',
    {
      query: `query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }`,
      variables: { p: { a: '\ud800' } },
    },
  ],
])('%s', async (_what, body) => {
  await ways.expectSame({ body });
});

test.each([
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; charset=iso-8859-1',
  'application/json; other=1',
  'application/graphql+json',
  'APPLICATION/JSON',
  'text/plain',
  'application/x-www-form-urlencoded',
])('the type %s', async (type) => {
  await ways.expectSame({ body: read, headers: { 'content-type': type } });
});

test.each<[name: string, value: string]>([
  ['origin', 'https://app.example.com'],
  ['origin', 'https://elsewhere.example.com'],
  ['apollo-require-preflight', ''],
  ['accept-encoding', 'gzip'],
])('the header %s: %s', async (name, value) => {
  await ways.expectSame({ body: read, headers: { [name]: value } });
});

test.each(['a b', 'any:port', '', '%00', 'any.example.com'])('the Host %j', async (host) => {
  await ways.expectSame({ body: read, headers: { host } });
});
