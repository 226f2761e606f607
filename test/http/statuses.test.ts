/** The statuses, media types and headers of docs/http.md, on every way into the gateway. */
import { once } from 'node:events';
import { request as startRequest, type IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startGateway, TOKEN, useGateway } from '../support/gateway/gateway.js';
import { exchange } from '../support/http/rawHttp.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';
const json = { 'content-type': 'application/json' };
const preflight = { 'apollo-require-preflight': 'true' };

interface HttpRequest {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}
const SUBGRAPH_TOKEN = 'the-token.of~a_gateway+/==';
const router = { 'x-subgraph-token': SUBGRAPH_TOKEN };
const gateway = useGateway({
  env: { SUBGRAPH_TOKEN },
  config: { http: { maxBodyBytes: 20_000 } },
});

interface Content {
  data?: unknown;
  errors?: { extensions: { code: string; requestId: string } }[];
}

/** Sends exactly these headers, without the `Accept` that fetch adds. Fails if an error has another request ID than the header. */
async function send({ method = 'POST', path = '/graphql', headers = {}, body }: HttpRequest, to = gateway) {
  const request = startRequest(new URL(path, to.url), { method, headers });
  const responded = once(request, 'response') as Promise<[IncomingMessage]>;
  request.end(body);
  const [response] = await responded;
  const text = Buffer.concat((await response.toArray()) as Buffer[]).toString();
  const { 'content-type': type, allow } = response.headers;
  const content = JSON.parse(text) as Content;
  expectRequestId(content, response.headers['x-request-id']);
  return {
    status: response.statusCode,
    reason: response.statusMessage,
    type,
    allow,
    data: content.data,
    codes: content.errors?.map(({ extensions }) => extensions.code),
  };
}

/** Clients report the ID, and operators find the log line by it. */
function expectRequestId({ errors = [] }: Content, header: unknown): void {
  expect(header).toMatch(/^[\da-f-]{36}$/);
  expect(errors.map(({ extensions }) => extensions.requestId)).toEqual(errors.map(() => header));
}

interface Operation {
  query: string;
  variables?: object;
  operationName?: string;
}
type Headers = Record<string, string>;

const post = (parameters: object, headers: Headers) =>
  send({ headers: { ...json, ...headers }, body: JSON.stringify(parameters) });
let documents = 0;

/** The ways in which an operation gets into the gateway. */
const ways: Record<string, (operation: Operation, headers: Headers) => ReturnType<typeof send>> = {
  'a first POST': (operation, headers) => {
    documents += 1;
    return post({ ...operation, query: `${operation.query} #${documents}` }, headers);
  },
  'a repeated POST': async (operation, headers) => {
    await post(operation, headers);
    return post(operation, headers);
  },
  'a GET': ({ query, variables = {}, operationName }, headers) => {
    const search = new URLSearchParams({
      query,
      variables: JSON.stringify(variables),
      ...(operationName !== undefined && { operationName }),
    });
    return send({
      method: 'GET',
      path: `/graphql?${search.toString()}`,
      headers: { ...preflight, ...headers },
    });
  },
};

/** Accept headers, with the type of a 2xx response and the status of a partial one. */
const accepts: [accept: string | undefined, type: string, partial: number][] = [
  [undefined, JSON_TYPE, 200],
  ['*/*', JSON_TYPE, 200],
  ['application/*', JSON_TYPE, 200],
  ['application/json', JSON_TYPE, 200],
  ['text/html, application/json;q=0.1', JSON_TYPE, 200],
  ['application/json; charset=utf-8', JSON_TYPE, 200],
  ['application/graphql-response+json;q=0, application/json', JSON_TYPE, 200],
  ['application/json, application/graphql-response+json', JSON_TYPE, 294],
  ['application/graphql-response+json', GRAPHQL_TYPE, 294],
  ['Application/GraphQL-Response+JSON; charset=utf-8', GRAPHQL_TYPE, 294],
  ['application/graphql-response+json, application/json;q=0.9', GRAPHQL_TYPE, 294],
  // Apollo Client with both formats of @defer, and urql
  ['multipart/mixed;deferSpec=20220824,application/json', JSON_TYPE, 200],
  [
    'multipart/mixed;incrementalSpec=v0.2,application/graphql-response+json,application/json;q=0.9',
    GRAPHQL_TYPE,
    294,
  ],
  [
    'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    GRAPHQL_TYPE,
    294,
  ],
];
/** Enough for what is the same for all of them. */
const threeAccepts = accepts.filter(([accept]) =>
  [undefined, 'application/json', 'application/graphql-response+json'].includes(accept),
);
const acceptHeader = (accept: string | undefined): Headers => (accept === undefined ? {} : { accept });
const reasons: Record<number, string> = { 200: 'OK', 294: 'Partial Success' };

const READ = 'query A($guid: ID!) { __typename notification(notificationGuid: $guid) { notificationName } }';
const REQUIRED =
  'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationName } }';
const LIST = '{ notifications { totalPossibleCount } }';
const rejection = (status: number, code: string) => ({ status, code });

describe.each(Object.entries(ways))('With %s', (way, execute) => {
  test.each(accepts)('and Accept: %s, data has the status 200', async (accept, type) => {
    const headers = { ...acceptHeader(accept), authorization: `Bearer ${TOKEN}` };
    expect(await execute({ query: READ, variables: { guid: 'unknown' } }, headers)).toEqual({
      status: 200,
      reason: 'OK',
      type,
      data: { __typename: 'Query', notification: null },
    });
  });

  test.each(accepts)(
    'and Accept: %s, data with errors has the type %s and the status %i',
    async (accept, type, status) => {
      const expected = { status, reason: reasons[status], type, codes: ['UNAUTHENTICATED'] };
      const headers = acceptHeader(accept);
      expect(await execute({ query: READ, variables: { guid: 'a' } }, headers)).toEqual({
        ...expected,
        data: { __typename: 'Query', notification: null },
      });
      expect(await execute({ query: LIST }, headers)).toEqual({
        ...expected,
        data: { notifications: null },
      });
    },
  );

  test.each<[what: string, operation: Operation, expected: ReturnType<typeof rejection>]>([
    ['a document that cannot be parsed', { query: '{' }, rejection(400, 'GRAPHQL_PARSE_FAILED')],
    ['an invalid document', { query: '{ color }' }, rejection(422, 'GRAPHQL_VALIDATION_FAILED')],
    ['too many tokens', { query: `{ ${'__typename '.repeat(1000)} }` }, rejection(422, 'QUERY_TOO_COMPLEX')],
    ['too many lines', { query: `{ __typename ${'\n'.repeat(1001)} }` }, rejection(422, 'QUERY_TOO_COMPLEX')],
    [
      'too many REST calls',
      { query: REQUIRED, variables: { guids: Array.from({ length: 500 }, (_, index) => `${index}`) } },
      rejection(422, 'QUERY_TOO_COMPLEX'),
    ],
    [
      'an operation that cannot be determined',
      { query: 'query A { __typename } query B { __typename }' },
      rejection(422, 'OPERATION_RESOLUTION_FAILURE'),
    ],
    [
      'an unknown operation name',
      { query: READ, operationName: 'B' },
      rejection(422, 'OPERATION_RESOLUTION_FAILURE'),
    ],
    ['variables that cannot be coerced', { query: READ }, rejection(422, 'BAD_USER_INPUT')],
    [
      'a subscription',
      { query: 'subscription { a }' },
      rejection(
        way === 'a GET' ? 405 : 422,
        way === 'a GET' ? 'BAD_REQUEST' : 'OPERATION_RESOLUTION_FAILURE',
      ),
    ],
  ])('%s is rejected for every client', async (_what, operation, { status, code }) => {
    gateway.takeCalls();
    for (const [accept] of threeAccepts) {
      const response = await execute(operation, {
        ...acceptHeader(accept),
        authorization: `Bearer ${TOKEN}`,
      });
      expect(response).toMatchObject({
        status,
        type: GRAPHQL_TYPE,
        data: undefined,
        codes: expect.arrayContaining([code]) as string[],
      });
    }
    expect(gateway.takeCalls()).toEqual([]);
  });
});

const body = (parameters: unknown) => ({ headers: json, body: JSON.stringify(parameters) });
const query = '{ __typename }';
const get = (search: string, headers: Headers = preflight) => ({
  method: 'GET',
  path: `/graphql?${search}`,
  headers,
});
const mutation = encodeURIComponent('mutation { deleteNotification(notificationGuid: "a") { messages } }');

test.each<[what: string, request: HttpRequest, status: number, allow?: string]>([
  ['a body that is not JSON', { headers: json, body: '{' }, 400],
  ['an empty body', { headers: json, body: '' }, 400],
  ['an empty object', body({}), 422],
  ['a batch', body([{ query }]), 422],
  ['an empty batch', body([]), 422],
  ['a string as body', body('text'), 422],
  ['null as body', body(null), 422],
  ['an empty query', body({ query: '' }), 422],
  ['a number as query', body({ query: 5 }), 422],
  ['a list as variables', body({ query, variables: [] }), 422],
  ['a string as variables', body({ query, variables: '{}' }), 422],
  ['a number as operation name', body({ query, operationName: 5 }), 422],
  ['a list as extensions', body({ query, extensions: [] }), 422],
  [
    'a hash that is not a string',
    body({ extensions: { persistedQuery: { version: 1, sha256Hash: 5 } } }),
    422,
  ],
  ['an unknown version', body({ extensions: { persistedQuery: { version: 2, sha256Hash: 'a' } } }), 422],
  ['a hash', body({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a' } } }), 422],
  [
    'a text with a hash',
    body({ query, extensions: { persistedQuery: { version: 1, sha256Hash: 'a' } } }),
    422,
  ],
  ['a GET without a query', get(''), 422],
  ['a GET with a repeated query', get('query={a}&query={b}'), 422],
  ['a GET with variables that are not JSON', get('query={__typename}&variables={'), 422],
  ['a GET that a page may send without a preflight', get('query={__typename}', {}), 403],
  ['a mutation by GET', get(`query=${mutation}`), 405, 'POST'],
  ['the method PUT', { ...body({ query }), method: 'PUT' }, 405, 'GET, POST'],
  ['the method OPTIONS', { method: 'OPTIONS' }, 405, 'GET, POST'],
  ['a body over the limit', { headers: json, body: ' '.repeat(20_001) }, 413],
  ['the content type text/plain', { headers: { 'content-type': 'text/plain' }, body: '{}' }, 415],
  [
    'the content type application/graphql',
    { headers: { 'content-type': 'application/graphql' }, body: query },
    415,
  ],
  ['a body without a content type', { body: '{}' }, 415],
  ['neither a body nor a content type', {}, 415],
  [
    'a GET with another content type',
    get('query={__typename}', { ...preflight, 'content-type': 'text/xml' }),
    415,
  ],
  ['a header over its limit', { headers: { ...json, origin: 'a'.repeat(1025) }, body: '{}' }, 431],
])('%s is rejected for every client, and routers get 200', async (_what, request, status, allow) => {
  for (const [accept, type] of threeAccepts) {
    const headers = { ...request.headers, ...acceptHeader(accept) };
    const { reason, codes, ...response } = await send({ ...request, headers });
    expect(response).toEqual({ status, type: GRAPHQL_TYPE, ...(allow !== undefined && { allow }) });
    expect([typeof reason, codes?.length]).toEqual(['string', 1]);
    if (request.method === 'OPTIONS') continue; // which routers do not send
    expect(await send({ ...request, headers: { ...headers, ...router } })).toEqual({
      ...response,
      status: 200,
      reason: 'OK',
      type,
      codes,
    });
  }
  expect(gateway.takeCalls()).toEqual([]);
});

test.each(['text/html', 'application/json;q=0', 'image/*'])(
  'Accept: %s is rejected with 406',
  async (accept) => {
    for (const execute of Object.values(ways))
      for (const document of [query, '{', '{ unknownField }'])
        expect(await execute({ query: document }, { accept })).toMatchObject({
          status: 406,
          type: GRAPHQL_TYPE,
          data: undefined,
        });
  },
);

test('routers get 200 for partial success, and where a load limit rejects them', async () => {
  const partial = {
    method: 'POST',
    headers: { ...json, accept: 'application/graphql-response+json', ...router },
  };
  expect(await send({ ...partial, body: JSON.stringify({ query: LIST }) })).toEqual({
    status: 200,
    reason: 'OK',
    type: GRAPHQL_TYPE,
    data: { notifications: null },
    codes: ['UNAUTHENTICATED'],
  });
  const overloaded = await startGateway({
    env: { SUBGRAPH_TOKEN },
    config: { http: { maxEventLoopDelayMs: -1 } },
  });
  onTestFinished(() => overloaded.stop());
  const { status, headers, errors } = await overloaded.execute(query, { headers: router });
  expect([status, errors?.map(({ extensions }) => ({ ...extensions, requestId: '' }))]).toEqual([
    200,
    [
      {
        code: 'SERVICE_UNAVAILABLE',
        outcome: 'NOT_APPLIED',
        retryable: true,
        retryAfterSeconds: Number(headers.get('retry-after')),
        requestId: '',
      },
    ],
  ]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a response on another path is no GraphQL response, even for routers', async () => {
  for (const path of ['/elsewhere', '/%ff'])
    expect(await send({ headers: { ...json, ...router }, body: '{}', path })).toMatchObject({
      status: path === '/%ff' ? 400 : 404,
      type: JSON_TYPE,
      data: undefined,
    });
});

test.each<[what: string, bytes: string, status: number, allow?: string]>([
  ['malformed HTTP', 'nonsense\r\n\r\n', 400],
  ['a URL over the limit', `GET /graphql?query=${'a'.repeat(17_000)} HTTP/1.1\r\nhost: a\r\n\r\n`, 414],
  ['headers over the limit', `GET /graphql HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(17_000)}\r\n\r\n`, 431],
])('%s is rejected before there is a request', async (_what, bytes, status, allow) => {
  const responses = await exchange(gateway.url, bytes);
  expect(
    responses.map((response) => [
      response.status,
      response.headers['content-type'],
      response.headers['allow'],
    ]),
  ).toEqual([[status, GRAPHQL_TYPE, allow]]);
  const content = JSON.parse(responses[0]?.body ?? '') as Content;
  expect(content).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
  expectRequestId(content, responses[0]?.headers['x-request-id']);
});
