import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/reference-service/referenceService.js';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import {
  isMutation,
  SEED_GUID,
  validArguments,
  asVariables,
  type FieldName,
} from '../support/graphql/rootFields.js';

const MAX_BYTES = 2000;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { MAX_RESPONSE_BYTES: String(MAX_BYTES) } });
});
afterAll(() => gateway.stop());

const JSON_TYPE = 'The response is not of type application/json';
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
const coded = (coding: string, body: Buffer | string): Fault => ({
  headers: { 'content-encoding': coding },
  body,
});

describe.each(['notification', 'createNotification', 'updateNotification'] as const)('%s', (field) => {
  test.each([300, 301, 302, 303, 304, 307, 308])('follows no redirect: %i', async (status) => {
    gateway.injectFaults({ status, headers: { location: `${gateway.serviceUrl}/elsewhere` } });
    expect(await send(field)).toEqual(unusable(field, 'The service responded with a redirect', status));
  });

  test.each<[what: string, interference: Fault, message: string]>([
    ['HTML', ofType('text/html', '<p>Welcome</p>'), JSON_TYPE],
    ['JSON that says that it is text', ofType('text/plain', envelope), JSON_TYPE],
    ['JSON without a type', ofType('', envelope), JSON_TYPE],
    ['JSON of a type that only looks like it', ofType('application/jsonp', envelope), JSON_TYPE],
    ['JSON with an error in it', { body: envelope.replace(']', '') }, 'The response is not JSON'],
    ['JSON that ends early', { body: envelope.slice(0, -1) }, 'The response is not JSON'],
    [
      'broken UTF-8',
      { body: Buffer.from('7b2264617461223a5b22ff225d7d', 'hex') },
      'The response is not JSON',
    ],
    ['one byte too many', { body: envelope.padEnd(MAX_BYTES + 1) }, 'The response is too large'],
    ['far too many bytes', { body: 'x'.repeat(10 * MAX_BYTES) }, 'The response is too large'],
    [
      'a gzip bomb',
      coded('gzip', gzipSync(Buffer.alloc(1_000_000, ' '))),
      'The response cannot be decompressed or is too large',
    ],
    [
      'a compression that is none',
      coded('gzip', envelope),
      'The response cannot be decompressed or is too large',
    ],
    [
      'a compressed body that ends early',
      coded('br', brotliCompressSync(envelope).subarray(0, -5)),
      'The response cannot be decompressed or is too large',
    ],
    ['an unknown compression', coded('zstd', envelope), 'The response has an unsupported content encoding'],
    ['two compressions', coded('gzip, br', envelope), 'The response has an unsupported content encoding'],
  ])('cannot use %s', async (_what, interference, message) => {
    gateway.injectFaults(interference);
    expect(await send(field)).toEqual(unusable(field, message, 200));
  });
});

test.each<[type: string, body: string, message: string]>([
  ['text/plain', 'true', JSON_TYPE],
  ['application/json', 'TRUE', 'The response is not JSON'],
])('trackShipment cannot use %s %s', async (type, body, message) => {
  gateway.injectFaults(ofType(type, body));
  expect(await send('trackShipment')).toEqual(unusable('trackShipment', message, 200));
});

test.each(['deleteNotification', 'deleteException'] as const)(
  '%s needs no answer that it can use, but one',
  async (field) => {
    const success = { data: { [field]: field === 'deleteException' ? { deleted: true } : { messages: [] } } };
    for (const interference of [
      { status: 200 },
      { status: 202, body: 'Gone.' },
      ofType('text/html', '<p>Gone</p>'),
      coded('zstd', 'Gone.'),
      { body: 'true' },
    ]) {
      gateway.injectFaults(interference);
      expect(await send(field)).toEqual({ ...success, errors: undefined, restCalls: 1 });
    }
    gateway.injectFaults({ status: 302 });
    expect(await send(field)).toEqual(unusable(field, 'The service responded with a redirect', 302));
  },
);

test.each<[what: string, interference: Fault]>([
  ['as large as allowed', { body: envelope.padEnd(MAX_BYTES) }],
  ['gzip', coded('gzip', gzipSync(envelope))],
  ['x-gzip', coded('x-gzip', gzipSync(envelope))],
  ['deflate', coded('deflate', deflateSync(envelope))],
  ['br', coded('br', brotliCompressSync(envelope))],
  ['gzip in capitals', coded(' GZIP ', gzipSync(envelope))],
  ['no compression, by name', coded('identity', envelope)],
  ['a charset', ofType('application/json; charset=utf-8', envelope)],
  ['a type in capitals', ofType('Application/JSON', envelope)],
  ['a type with a suffix', ofType('application/vnd.freight.v1+json', envelope)],
])('an answer can be used with %s', async (_what, interference) => {
  gateway.injectFaults(interference);
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

/** The whole answer of an operation whose one REST call had an answer that cannot be used. */
function unusable(field: FieldName, message: string, status: number) {
  const verdict = { ...(isMutation(field) && { outcome: 'UNKNOWN' }), retryable: false };
  const extensions = { code: 'SERVICE_RESPONSE_INVALID', ...verdict, status };
  return { data: { [field]: null }, errors: [{ message, path: [field], extensions }], restCalls: 1 };
}
