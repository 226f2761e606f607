import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
import {
  isMutation,
  SEED_GUID,
  validArguments,
  asVariables,
  type FieldName,
} from '../support/graphql/rootFields.js';

const MAX_BYTES = 2000;
const gateway = useGateway({ config: { service: { maxResponseBytes: MAX_BYTES } } });

const WRONG_CONTENT_TYPE = 'The response is not of type application/json';
const envelope = JSON.stringify({
  data: [
    {
      notificationGuid: SEED_GUID,
      notificationName: 'Dock team',
      notificationRecipientType: 'shipmentLevel',
      notificationTypeLabel: 'shipmentStatusChange',
      notificationTypes: [],
      emailList: [],
      smsList: [],
      notificationMetaData: null,
    },
  ],
  messages: [],
});
const ofType = (type: string, body: string): Fault => ({ headers: { 'content-type': type }, body });
const encoded = (encoding: string, body: Buffer | string): Fault => ({
  headers: { 'content-encoding': encoding },
  body,
});

describe.each(['notification', 'createNotification', 'updateNotification'] as const)('%s', (field) => {
  test.each([300, 301, 302, 303, 304, 307, 308])(
    'does not follow a redirect with status %i',
    async (status) => {
      gateway.injectFaults({ status, headers: { location: `${gateway.serviceUrl}/elsewhere` } });
      expect(await send(field)).toEqual(
        invalidResponse(field, 'The service responded with a redirect', status),
      );
    },
  );

  test.each<[content: string, fault: Fault, message: string]>([
    ['HTML', ofType('text/html', '<p>Welcome</p>'), WRONG_CONTENT_TYPE],
    ['JSON labeled as text', ofType('text/plain', envelope), WRONG_CONTENT_TYPE],
    ['JSON without a content type', ofType('', envelope), WRONG_CONTENT_TYPE],
    ['JSON of a similar content type', ofType('application/jsonp', envelope), WRONG_CONTENT_TYPE],
    ['JSON with a syntax error', { body: envelope.replace(']', '') }, 'The response is not JSON'],
    ['truncated JSON', { body: envelope.slice(0, -1) }, 'The response is not JSON'],
    [
      'invalid UTF-8',
      { body: Buffer.from('7b2264617461223a5b22ff225d7d', 'hex') },
      'The response is not JSON',
    ],
    ['a body one byte over the limit', { body: envelope.padEnd(MAX_BYTES + 1) }, 'The response is too large'],
    ['a body far over the limit', { body: 'x'.repeat(10 * MAX_BYTES) }, 'The response is too large'],
    [
      'a gzip bomb',
      encoded('gzip', gzipSync(Buffer.alloc(1_000_000, ' '))),
      'The response cannot be decompressed or is too large',
    ],
    [
      'an uncompressed body labelled as gzip',
      encoded('gzip', envelope),
      'The response cannot be decompressed or is too large',
    ],
    [
      'a bomb of raw deflate',
      encoded('deflate', deflateRawSync(Buffer.alloc(1_000_000, ' '))),
      'The response cannot be decompressed or is too large',
    ],
    [
      'an uncompressed body labelled as deflate',
      encoded('deflate', envelope),
      'The response cannot be decompressed or is too large',
    ],
    [
      'a truncated compressed body',
      encoded('br', brotliCompressSync(envelope).subarray(0, -5)),
      'The response cannot be decompressed or is too large',
    ],
    [
      'an unsupported content encoding',
      encoded('zstd', envelope),
      'The response has an unsupported content encoding',
    ],
    [
      'two content encodings',
      encoded('gzip, br', envelope),
      'The response has an unsupported content encoding',
    ],
  ])('rejects %s', async (_content, fault, message) => {
    gateway.injectFaults(fault);
    expect(await send(field)).toEqual(invalidResponse(field, message, 200));
  });
});

test.each<[type: string, body: string, message: string]>([
  ['text/html', 'true', WRONG_CONTENT_TYPE],
  ['application/json', 'TRUE', 'The response is not JSON'],
])('trackShipment rejects the %s body %s', async (type, body, message) => {
  gateway.injectFaults(ofType(type, body));
  expect(await send('trackShipment')).toEqual(invalidResponse('trackShipment', message, 200));
});

test.each(['deleteNotification', 'deleteException'] as const)(
  '%s needs a success status, and a body that is empty, true, an object or an array',
  async (field) => {
    const success = { data: { [field]: field === 'deleteException' ? { deleted: true } : { messages: [] } } };
    for (const fault of [
      { status: 200 },
      { status: 201, body: '{}' },
      ofType('text/plain', 'true'),
      encoded('gzip', gzipSync('[]')),
      { body: 'true' },
    ]) {
      gateway.injectFaults(fault);
      expect(await send(field)).toEqual({ ...success, errors: undefined, restCalls: 1 });
    }
    gateway.injectFaults({ status: 302 });
    expect(await send(field)).toEqual(invalidResponse(field, 'The service responded with a redirect', 302));
  },
);

test.each<[content: string, fault: Fault]>([
  ['a body at the size limit', { body: envelope.padEnd(MAX_BYTES) }],
  ['gzip encoding', encoded('gzip', gzipSync(envelope))],
  ['x-gzip encoding', encoded('x-gzip', gzipSync(envelope))],
  ['deflate encoding', encoded('deflate', deflateSync(envelope))],
  ...[0, 1, 6, 9].map((level): [string, Fault] => [
    `raw deflate at level ${level}, without the wrapper of zlib`,
    encoded('deflate', deflateRawSync(envelope, { level })),
  ]),
  ['br encoding', encoded('br', brotliCompressSync(envelope))],
  ['the encoding GZIP in capitals', encoded(' GZIP ', gzipSync(envelope))],
  ['the encoding identity', encoded('identity', envelope)],
  ['a charset', ofType('application/json; charset=utf-8', envelope)],
  ['a content type in mixed case', ofType('Application/JSON', envelope)],
  ['a content type with the suffix +json', ofType('application/vnd.freight.v1+json', envelope)],
])('notification accepts a response with %s', async (_content, fault) => {
  gateway.injectFaults(fault);
  expect(await send('notification')).toEqual({
    data: { notification: { notificationGuid: SEED_GUID } },
    errors: undefined,
    restCalls: 1,
  });
});

async function send(field: FieldName) {
  const { data, errors, calls } = await executeAndRecord(gateway, asVariables(field, validArguments(field)));
  return { data, errors, restCalls: calls.length };
}

/** The result of an operation whose REST call got an invalid response. */
function invalidResponse(field: FieldName, message: string, status: number) {
  const effect = { ...(isMutation(field) && { outcome: 'UNKNOWN' }), retryable: false };
  const extensions = { code: 'SERVICE_RESPONSE_INVALID', ...effect, status };
  return { data: { [field]: null }, errors: [{ message, path: [field], extensions }], restCalls: 1 };
}
