/** What `fromApollo` relies on in Apollo Server, through HTTP: an upgrade that words or codes a rejection differently fails here. */
import { expect, test } from 'vitest';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
const gateway = useGateway({ config: { graphql: { maxTokens: 100 } } });
const lenient = useGateway({
  config: { graphql: { maxTokens: 200_000 }, http: { maxBodyBytes: 1_000_000 } },
});

interface Sent {
  method?: string;
  headers: Record<string, string>;
  body?: string;
}

const post = (body: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const get = (headers: Record<string, string>): Sent => ({ headers });

interface Case {
  request: Sent;
  search?: string;
  isLenient?: boolean;
  status: number;
  message: RegExp;
  extensions: object;
}

const BAD_REQUEST = { code: 'BAD_REQUEST', retryable: false };

test.each(
  Object.entries<Case>({
    'the words with which it blocks a request that another site may have forged': {
      request: get({}),
      search: '?query={__typename}',
      status: 403,
      message:
        /^Expected the content type application\/json, or a non-empty header apollo-require-preflight: /,
      extensions: BAD_REQUEST,
    },
    'the words of the parser for too many tokens': {
      request: post({ query: `{ ${'__typename '.repeat(100)} }` }),
      status: 422,
      message: /^Expected a document of at most 100 tokens, got more$/,
      extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false },
    },
    'the cause of a parse error when the stack overflows': {
      request: post({ query: `{ a(b: ${'['.repeat(90_000)}` }),
      isLenient: true,
      status: 422,
      message: /^Expected a less deeply nested document$/,
      extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false },
    },
    'the code of a syntax error, and its status 400': {
      request: post({ query: '{' }),
      status: 400,
      message: /^Syntax Error: Expected Name, found <EOF>\.$/,
      extensions: { code: 'GRAPHQL_PARSE_FAILED', retryable: false },
    },
    'the error of a validation rule behind its own, and its status 400': {
      request: post({
        query: `{ ${Array.from({ length: 51 }, (_, index) => `a${index}: __typename`).join(' ')} }`,
      }),
      isLenient: true,
      status: 422,
      message: /^Expected .*at most 50 aliases, got .*51$/,
      extensions: { code: 'QUERY_TOO_COMPLEX', retryable: false },
    },
    'the status 200 of a hash, as it knows no persisted queries': {
      request: post({ extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } }),
      status: 422,
      message: /^PersistedQueryNotSupported$/,
      extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED', retryable: false },
    },
    'the status 405 of a mutation by GET': {
      request: get({ 'apollo-require-preflight': '1' }),
      search: `?query=${encodeURIComponent('mutation { deleteNotification(notificationGuid: "x") { messages } }')}`,
      status: 405,
      message: /^GET requests only support query operations, not mutation operations$/,
      extensions: { ...BAD_REQUEST, outcome: 'NOT_APPLIED' },
    },
    'the status 415 of a GET with another content type': {
      request: get({ 'content-type': 'application/xml' }),
      search: '?query={__typename}',
      status: 415,
      message: /^GET requests may not have a content-type header other than application\/json\.$/,
      extensions: BAD_REQUEST,
    },
    'the status 400 of parameters that it cannot read': {
      request: post({ query: '{ __typename }', variables: '{}' }),
      status: 422,
      message: /^Expected the member variables to be an object, got another value$/,
      extensions: BAD_REQUEST,
    },
    'the status 400 of a body without members': {
      request: post({}),
      status: 422,
      message: /^Expected a JSON object with the member query, got one without members$/,
      extensions: BAD_REQUEST,
    },
    'the status 400 of a query that is no text': {
      request: post({ query: true }),
      status: 422,
      message: /^Expected the member query to be a string, got another value$/,
      extensions: BAD_REQUEST,
    },
    'the status 400 of a batch': {
      request: post([{ query: '{ __typename }' }]),
      status: 422,
      message: /^Expected one operation, got a list$/,
      extensions: BAD_REQUEST,
    },
  }),
)('relies on %s', async (_fact, { request, search = '', isLenient, status, message, extensions }) => {
  const { url } = isLenient ? lenient : gateway;
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-request-id': 'an-id', ...request.headers };
  const response = await fetch(url + search, { ...request, headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'application/graphql-response+json; charset=utf-8',
  ]);
  expect(await response.json()).toEqual({
    errors: [
      expect.objectContaining({
        message: expect.stringMatching(message) as string,
        extensions: { ...extensions, requestId: 'an-id' },
      }),
    ],
  });
});

test.each(['{ __typename }', '{ unknown }'])(
  'replaces the check of the Accept header of Apollo Server: %s',
  async (query) => {
    const response = await fetch(gateway.url, post({ query }, { accept: 'text/csv' }));
    expect(response.status).toBe(406);
    expect(await response.json()).toMatchObject({
      errors: [
        {
          message:
            'Expected an Accept header that allows application/json or application/graphql-response+json',
        },
      ],
    });
  },
);
