/** What `fromApollo` relies on in Apollo Server, through HTTP: an upgrade that words or codes a rejection differently fails here. */
import { expect, test } from 'vitest';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { post } from '../support/http/post.js';

const gateway = useGateway();
const preflight = { 'apollo-require-preflight': '1' };
const mutation = encodeURIComponent('mutation { deleteNotification(notificationGuid: "x") { messages } }');

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

test.each<[what: string, body: object, message: string, code?: string]>([
  [
    'a hash',
    { extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    'PersistedQueryNotSupported',
    'PERSISTED_QUERY_NOT_SUPPORTED',
  ],
  [
    'variables that are a text',
    { query: '{ __typename }', variables: '{}' },
    'Expected the member variables to be an object, got another value',
  ],
  ['a body without members', {}, 'Expected a JSON object with the member query, got one without members'],
  ['a query that is no text', { query: true }, 'Expected the member query to be a string, got another value'],
  ['a batch', [{ query: '{ __typename }' }], 'Expected one operation, got a list'],
])('rejects a POST with %s', async (_what, body, message, code = 'BAD_REQUEST') => {
  const { status, errors } = await post(gateway.url, body, { token: null });
  expect([status, errors]).toMatchObject([422, [{ message, extensions: { code } }]]);
});
