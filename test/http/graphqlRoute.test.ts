import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { requestError } from '../support/graphql/fieldError.js';
import { exchange, postOf } from '../support/http/rawHttp.js';
const gateway = useGateway({ config: { http: { maxBodyBytes: 1000 } } });

const errorOf = ({ headers }: Response, message: string) => ({
  errors: [requestError(message, {}, headers.get('x-request-id'))],
});
const json = { 'content-type': 'application/json' };
const rows: [problem: string, request: RequestInit, status: number, message: string][] = [
  [
    'a body that is not JSON',
    { method: 'POST', headers: json, body: '{' },
    400,
    'Expected a JSON body, got one that is not JSON',
  ],
  ...(['latin1', 'utf16le'] as const).map((encoding): (typeof rows)[number] => [
    `JSON in ${encoding}`,
    { method: 'POST', headers: json, body: Buffer.from('{"query":"{ a(name: \\"é\\") }"}', encoding) },
    400,
    'Expected JSON in UTF-8, got another encoding',
  ]),
  [
    'JSON in latin1 in chunks',
    {
      method: 'POST',
      headers: json,
      body: new Blob([Buffer.from('{"query":"{ a(name: \\"é\\") }"}', 'latin1')]).stream(),
      duplex: 'half',
    },
    400,
    'Expected JSON in UTF-8, got another encoding',
  ],
  ['no body', { method: 'POST', headers: json }, 400, 'Expected a JSON body, got an empty one'],
  [
    'an unsupported content type',
    { method: 'POST', headers: { 'content-type': 'application/xml' }, body: '<a/>' },
    415,
    'Expected the content type application/json, got application/xml',
  ],
  [
    'a body over the limit',
    { method: 'POST', headers: json, body: JSON.stringify({ query: '#'.repeat(1000) }) },
    413,
    'Expected a request body of at most 1000 bytes, got a larger one',
  ],
  ['the method PUT', { method: 'PUT' }, 405, 'Expected the method GET or POST, got PUT'],
  ['the method DELETE', { method: 'DELETE' }, 405, 'Expected the method GET or POST, got DELETE'],
  ['the method OPTIONS', { method: 'OPTIONS' }, 405, 'Expected the method GET or POST, got OPTIONS'],
];

test.each(['gzip', 'br', 'GZIP', 'deflate, identity', 'zstd'])(
  'rejects a request body that is compressed with %s, and says what is accepted',
  async (coding) => {
    const headers = { ...json, 'content-encoding': coding };
    for (const body of [gzipSync('{"query":"{ __typename }"}'), '{"query":"{ __typename }"}']) {
      const response = await fetch(gateway.url, { method: 'POST', headers, body });
      const [name] = coding.toLowerCase().split(',');
      expect({
        status: response.status,
        type: response.headers.get('content-type'),
        accepted: response.headers.get('accept-encoding'),
        body: await response.json(),
      }).toEqual({
        status: 415,
        type: 'application/graphql-response+json; charset=utf-8',
        accepted: 'identity',
        body: errorOf(response, `Expected a request body without a content coding, got ${name}`),
      });
    }
  },
);

test.each(['identity', 'utf-8', ''])(
  'accepts a request body with the content coding "%s"',
  async (coding) => {
    const headers = { 'content-encoding': coding };
    const { status, data } = await gateway.execute('{ __typename }', { headers });
    expect({ status, data }).toEqual({ status: 200, data: { __typename: 'Query' } });
  },
);

test.each(['/graphql/', '/graphql/x', '/Graphql'])('says at %s which path it expects', async (path) => {
  const response = await fetch(new URL(path, gateway.url), { method: 'POST', headers: json, body: '{}' });
  expect([response.status, await response.json()]).toEqual([
    404,
    errorOf(response, 'Expected the path /graphql'),
  ]);
});

test.each(rows)(
  'rejects a request with %s with a GraphQL error',
  async (_problem, request, status, message) => {
    const response = await fetch(gateway.url, request);
    expect({
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.json(),
    }).toEqual({
      status,
      type: 'application/graphql-response+json; charset=utf-8',
      body: errorOf(response, message),
    });
    expect(gateway.takeCalls()).toEqual([]);
  },
);

test.each(['a b', '%00', '[::1', '', 'gateway\r\nhost: another'])(
  'rejects a POST with the invalid Host %j, without a REST call',
  async (host) => {
    const headers = ['connection: close', `authorization: Bearer ${TOKEN}`];
    const request = postOf('{ notifications { messages } }', headers).replace(
      'host: gateway',
      `host: ${host}`,
    );
    gateway.takeCalls();
    const responses = await exchange(gateway.url, request);
    const requestId = responses[0]?.headers['x-request-id'];
    expect(responses.map((response) => [response.status, JSON.parse(response.body) as unknown])).toEqual([
      [400, { errors: [requestError('Expected one valid Host header', {}, requestId)] }],
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  },
);

test.each([
  ['two Host headers', 'HTTP/1.1\r\nhost: a\r\nhost: b', 400],
  ['no Host header', 'HTTP/1.1', 400],
  ['no Host header in HTTP/1.0', 'HTTP/1.0', 200],
])('a health check with %s gets the status of its kind', async (_what, rest, status) => {
  const [response] = await exchange(gateway.url, `GET /livez ${rest}\r\nconnection: close\r\n\r\n`);
  expect(response?.status).toBe(status);
});
