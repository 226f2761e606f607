import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { MAX_BODY_BYTES: '1000' } });
});
afterAll(() => gateway.stop());

const json = { 'content-type': 'application/json' };
const rows: [what: string, request: RequestInit, status: number, message: string][] = [
  [
    'a body that is no JSON',
    { method: 'POST', headers: json, body: '{' },
    400,
    "Body is not valid JSON but content-type is set to 'application/json'",
  ],
  [
    'no body',
    { method: 'POST', headers: json },
    400,
    "Body cannot be empty when content-type is set to 'application/json'",
  ],
  [
    'a body of another type',
    { method: 'POST', headers: { 'content-type': 'application/xml' }, body: '<a/>' },
    415,
    'Unsupported Media Type',
  ],
  [
    'a body over the limit',
    { method: 'POST', headers: json, body: JSON.stringify({ query: '#'.repeat(1000) }) },
    413,
    'Request body is too large',
  ],
  ['PUT', { method: 'PUT' }, 405, 'Expected the method GET or POST, got PUT'],
  ['DELETE', { method: 'DELETE' }, 405, 'Expected the method GET or POST, got DELETE'],
  ['OPTIONS', { method: 'OPTIONS' }, 405, 'Expected the method GET or POST, got OPTIONS'],
];

test.each(rows)('%s is answered in GraphQL JSON', async (_what, request, status, message) => {
  const response = await fetch(gateway.url, request);
  expect({
    status: response.status,
    type: response.headers.get('content-type'),
    body: await response.json(),
  }).toEqual({
    status,
    type: 'application/json; charset=utf-8',
    body: {
      errors: [
        {
          message,
          extensions: {
            code: 'BAD_REQUEST',
            retryable: false,
            requestId: response.headers.get('x-request-id'),
          },
        },
      ],
    },
  });
  expect(gateway.takeCalls()).toEqual([]);
});
