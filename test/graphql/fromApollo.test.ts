/** What `fromApollo` relies on in Apollo Server, through HTTP: an upgrade that words or codes a rejection differently fails here. */
import { expect, test } from 'vitest';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';

const gateway = useGateway({
  config: { graphql: { maxTokens: 200_000 }, http: { maxBodyBytes: 1_000_000 } },
});
const preflight = { 'apollo-require-preflight': '1' };
const mutation = encodeURIComponent('mutation { deleteNotification(notificationGuid: "x") { messages } }');
const aliases = Array.from({ length: 51 }, (_, index) => `a${index}: __typename`).join(' ');

test.each<[headers: Record<string, string>, search: string, status: number, message: RegExp]>([
  [
    {},
    '{__typename}',
    403,
    /^Expected the content type application\/json, or a non-empty header apollo-require-preflight: /,
  ],
  [preflight, mutation, 405, /^GET requests only support query operations, not mutation operations$/],
  [
    { 'content-type': 'application/xml' },
    '{__typename}',
    415,
    /^GET requests may not have a content-type header other than application\/json\.$/,
  ],
])('rejects a GET with the headers %j and the query %s', async (headers, query, status, message) => {
  const authorization = `Bearer ${TOKEN}`;
  const response = await fetch(`${gateway.url}?query=${query}`, { headers: { authorization, ...headers } });
  expect([response.status, await response.json()]).toMatchObject([
    status,
    { errors: [{ message: expect.stringMatching(message) as string, extensions: { code: 'BAD_REQUEST' } }] },
  ]);
});

test.each<[what: string, body: unknown, status: number, code: string, message: RegExp]>([
  [
    'a document that overflows the stack of the parser',
    { query: `{ a(b: ${'['.repeat(90_000)}` },
    422,
    'QUERY_TOO_COMPLEX',
    /^Expected a less deeply nested document$/,
  ],
  [
    'what a rule of ours rejects behind its validation',
    { query: `{ ${aliases} }` },
    422,
    'QUERY_TOO_COMPLEX',
    /^Expected .*at most 50 aliases, got .*51$/,
  ],
  [
    'a hash',
    { extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    422,
    'PERSISTED_QUERY_NOT_SUPPORTED',
    /^PersistedQueryNotSupported$/,
  ],
  [
    'variables that are a text',
    { query: '{ __typename }', variables: '{}' },
    422,
    'BAD_REQUEST',
    /^Expected the member variables to be an object, got another value$/,
  ],
  [
    'a body without members',
    {},
    422,
    'BAD_REQUEST',
    /^Expected a JSON object with the member query, got one without members$/,
  ],
  [
    'a query that is no text',
    { query: true },
    422,
    'BAD_REQUEST',
    /^Expected the member query to be a string, got another value$/,
  ],
  ['a batch', [{ query: '{ __typename }' }], 422, 'BAD_REQUEST', /^Expected one operation, got a list$/],
])('rejects a POST with %s', async (_what, body, status, code, message) => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(gateway.url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect([response.status, await response.json()]).toMatchObject([
    status,
    { errors: [{ message: expect.stringMatching(message) as string, extensions: { code } }] },
  ]);
});
