/** Headers that the gateway parses have at most 1,024 bytes. */
import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { requestError } from '../support/graphql/fieldError.js';
import { exchange, postOf } from '../support/http/rawHttp.js';
import { asVariables, SEED_GUID } from '../support/graphql/rootFields.js';
const gateway = useGateway();

const operation = asVariables('deleteNotification', { notificationGuid: SEED_GUID });
const lengthened = (value: string, bytes: number) => value + 'x'.repeat(bytes - value.length);

test.each([
  'accept',
  'content-type',
  'origin',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-gateway-dry-run',
  'x-gateway-trace',
  'x-subgraph-token',
  'x-client-key',
])('rejects a longer %s with 431, before the operation', async (name) => {
  for (const bytes of [1025, 10_000]) {
    const { status, errors } = await gateway.execute(operation, {
      headers: { [name]: lengthened('', bytes) },
    });
    expect([status, errors]).toEqual([
      431,
      [requestError(`Expected the header ${name} to have at most 1024 bytes, got ${bytes}`)],
    ]);
  }
  expect(gateway.takeCalls()).toEqual([]);
});

test('rejects headers of more than 16 KiB with 431 and the limit', async () => {
  const [response] = await exchange(
    gateway.url,
    postOf('{ __typename }', [`x-large: ${'x'.repeat(17_000)}`]),
  );
  const message = 'Expected request headers of at most 16384 bytes, got larger ones';
  expect([response?.status, response?.headers['content-type'], JSON.parse(response?.body ?? '')]).toEqual([
    431,
    'application/graphql-response+json; charset=utf-8',
    { errors: [requestError(message, {}, response?.headers['x-request-id'])] },
  ]);
});

test('accepts an Accept header of 1,024 bytes', async () => {
  const { status, data } = await gateway.execute('{ __typename }', {
    headers: { accept: lengthened('*/*, a/', 1024) },
  });
  expect([status, data]).toEqual([200, { __typename: 'Query' }]);
});

test('ignores a request id, a traceparent and a tracestate that are too long', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const send = async (headers: Record<string, string>) => {
    const response = await gateway.execute('{ notifications { messages } }', { headers });
    expect([response.status, response.errors]).toEqual([200, undefined]);
    const [call] = gateway.takeCalls();
    return {
      requestId: response.headers.get('x-request-id'),
      traceparent: call?.headers['traceparent'],
      tracestate: call?.headers['tracestate'],
    };
  };
  const tracestate = `a=${'x'.repeat(1022)}`;
  expect(await send({ 'x-request-id': 'order-7', traceparent, tracestate })).toEqual({
    requestId: 'order-7',
    traceparent,
    tracestate,
  });
  expect(await send({ 'x-request-id': 'x'.repeat(129), traceparent, tracestate: `${tracestate}x` })).toEqual({
    requestId: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    traceparent,
    tracestate: undefined,
  });
  expect(await send({ traceparent: lengthened(`${traceparent}-`, 5000), tracestate })).toMatchObject({
    traceparent: undefined,
    tracestate: undefined,
  });
});
