/** A request is read in the same way through Apollo Server and past it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { fieldNames, SEED_GUID, validArguments, asVariables } from '../support/graphql/rootFields.js';
import { useGateway } from '../support/gateway/gateway.js';
import { startBothPaths } from '../support/execution/bothPaths.js';
import { useStarted } from '../support/tools/useStarted.js';
const paths = useStarted(() =>
  startBothPaths({
    env: { CORS_ORIGINS: 'https://app.example.com' },
    config: { telemetry: { exposeCalls: true } },
  }),
);
beforeAll(async () => {
  await paths.expectSame({ body: { query: '{ __typename }' } });
});

const READ = 'query ($guid: ID!) { notification(notificationGuid: $guid) { notificationName } }';
const WRITE = asVariables('trackShipment', validArguments('trackShipment'));
const variables = { guid: SEED_GUID };
const read = { query: READ, variables };

describe('the header Accept', () => {
  // prettier-ignore
  const accepted = [
    '*/*', 'application/*', 'application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON', 'text/html, application/json;q=0.1',
    'application/graphql-response+json', 'application/graphql-response+json, application/json;q=0.9', 'application/json, application/graphql-response+json',
    'application/json;q=0, */*', 'multipart/mixed, application/json', 'application/json; callbackSpec=1.0', '',
    // @defer, and subscriptions as Apollo Client's helper for Relay sends them
    'multipart/mixed;deferSpec=20220824,application/json', 'multipart/mixed; deferSpec=20220824, application/json',
    'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json', 'multipart/mixed;boundary="graphql";subscriptionSpec=1.0,application/json',
    // Apollo Client: plain, with both formats of @defer, and subscriptions
    'application/graphql-response+json,application/json;q=0.9',
    'multipart/mixed;deferSpec=20220824,application/graphql-response+json,application/json;q=0.9',
    'multipart/mixed;incrementalSpec=v0.2,application/graphql-response+json,application/json;q=0.9',
    'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json;q=0.9',
    // urql
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    // with a charset, and with quality values and a quoted boundary
    'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', 'application/json;q=1.0,multipart/mixed;boundary="-";q=0.5',
  ];
  const rejected = ['text/html', 'application/json;q=0', 'image/*', ';', 'multipart/mixed'];

  test.each(accepted)('%j is accepted', async (accept) => {
    const { status, calls } = await paths.expectSame({ body: read, headers: { accept } });
    expect({ status, calls: calls.length }).toEqual({ status: 200, calls: 1 });
    await paths.expectSame({ body: { query: READ }, headers: { accept } });
  });

  test.each(rejected)('%j is rejected without a REST call', async (accept) => {
    for (const body of [read, WRITE])
      expect(await paths.expectSame({ body, headers: { accept } })).toMatchObject({ status: 406, calls: [] });
  });
});

describe.each(fieldNames)('the root field %s', (field) => {
  const args = field === 'notifications' ? { additionalParameters: { page: 1 } } : validArguments(field);
  const body = asVariables(field, args);

  test.each(['x-gateway-trace', 'x-gateway-dry-run'])('with the header %s', async (name) => {
    for (const value of ['1', '0']) await paths.expectSame({ body, headers: { [name]: value } });
  });
});

test.each<[body: string, content: unknown]>([
  ['no variables', { query: READ }],
  ['null variables', { query: READ, variables: null }],
  ['a list as variables', { query: READ, variables: [] }],
  ['a string as variables', { query: READ, variables: JSON.stringify(variables) }],
  ['a null operation name', { ...read, operationName: null }],
  ['a number as operation name', { ...read, operationName: 5 }],
  [
    'the extensions of a client library',
    { ...read, extensions: { clientLibrary: { name: 'a', version: '1' } } },
  ],
  ['null extensions', { ...read, extensions: null }],
  ['a string as extensions', { ...read, extensions: 'text' }],
  ['a list as extensions', { ...read, extensions: [] }],
  [
    'the hash of another text',
    { ...read, extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
  ],
  ['a null persisted query', { ...read, extensions: { persistedQuery: null } }],
  ['additional keys', { ...read, id: '5', documentId: 'x', constructor: 1, onError: 'NULL' }],
  ['a batch', [read, read]],
  ['an empty batch', []],
  ['an empty object', {}],
  ['null', null],
  ['a string', '"text"'],
  ['malformed JSON', '{"query":'],
  ['a number as query', { query: 5 }],
  ['__proto__', `{"query":"{ __typename }","__proto__":{"variables":{}},"constructor":{"prototype":1}}`],
  ['a query in __proto__', '{"__proto__":{"query":"{ __typename }"}}'],
  ['a repeated key', '{"query":"{","query":"{ __typename }"}'],
  ['a byte order mark', '\ufeff{"query":"{ __typename }"}'],
  [
    'a lone surrogate',
    {
      query: `query ($p: JSONObject) { notifications(additionalParameters: $p) { messages } }`,
      variables: { p: { a: '\ud800' } },
    },
  ],
])('a body with %s', async (_body, content) => {
  await paths.expectSame({ body: content });
});

test('an empty operation name in a body is the same as none', async () => {
  const { status, calls } = await paths.expectSame({ body: { ...read, operationName: '' } });
  expect({ status, calls: calls.length }).toEqual({ status: 200, calls: 1 });
  const several = { query: `query A { __typename } query B { __typename }`, operationName: '' };
  expect(await paths.expectSame({ body: several })).toMatchObject({ status: 422 });
});

describe('an empty parameter of a GET', () => {
  const gateway = useGateway();
  const get = async (params: Record<string, string> | [name: string, value: string][]) => {
    const search = new URLSearchParams(params).toString();
    const response = await fetch(`${gateway.url}?${search}`, {
      headers: { 'apollo-require-preflight': '1' },
    });
    return [response.status, await response.json()];
  };
  const served = [200, { data: { __typename: 'Query' } }];

  test.each(['operationName', 'variables', 'extensions'])('is the same as none: %s', async (name) => {
    const query = `query ${name} { __typename }`;
    const once = await get({ query, [name]: '' });
    expect([once, await get({ query, [name]: '' })]).toEqual([served, served]);
    expect(await get({ query, operationName: '', variables: '', extensions: '' })).toEqual(served);
    const repeated: [string, string][] = [
      ['query', query],
      [name, ''],
      [name, ''],
    ];
    expect(await get(repeated)).toMatchObject([422, {}]);
  });
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
])('the content type %s', async (type) => {
  await paths.expectSame({ body: read, headers: { 'content-type': type } });
});

test.each<[name: string, value: string]>([
  ['origin', 'https://app.example.com'],
  ['origin', 'https://elsewhere.example.com'],
  ['apollo-require-preflight', ''],
  ['accept-encoding', 'gzip'],
])('the header %s: %s', async (name, value) => {
  await paths.expectSame({ body: read, headers: { [name]: value } });
});

test.each(['a b', 'any:port', '', '%00', 'any.example.com'])('the Host %j', async (host) => {
  await paths.expectSame({ body: read, headers: { host } });
});
