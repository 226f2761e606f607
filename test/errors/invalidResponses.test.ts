import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { executeField, failedField } from '../support/gateway/executeAndRecord.js';
import { startGateway, useGateway } from '../support/gateway/gateway.js';
import { asVariables, SEED_GUID, validArguments, type FieldName } from '../support/graphql/rootFields.js';

const MAX_BYTES = 2000;
const gateway = useGateway({ readsBack: false, config: { service: { maxResponseBytes: MAX_BYTES } } });

const HTML = 'The response is HTML';
const NOT_JSON = 'The response is not JSON';
const UNPROVEN = 'The response does not prove that the write was applied';
const TOO_LARGE = 'The response is too large';
const UNDECODABLE = 'The response cannot be decompressed or is too large';
const UNSUPPORTED = 'The response has an unsupported content encoding';
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

describe.each(['notification', 'updateNotification'] as const)('%s', (field) => {
  /** What is no page, but not JSON either, may say whether a write was applied. */
  const notJson = field === 'notification' ? NOT_JSON : UNPROVEN;
  const zipped = gzipSync(envelope);

  test.each<[content: string, fault: Fault, message: string]>([
    ['HTML', ofType('text/html', '<p>Welcome</p>'), HTML],
    ['HTML labeled as text', ofType('text/plain', '<p>Welcome</p>'), HTML],
    ['JSON with a syntax error', { body: envelope.replace(']', '') }, notJson],
    ['truncated JSON', { body: envelope.slice(0, -1) }, notJson],
    ['a body one byte over the limit', { body: envelope.padEnd(MAX_BYTES + 1) }, TOO_LARGE],
    ['a body far over the limit', { body: 'x'.repeat(10 * MAX_BYTES) }, TOO_LARGE],
    ['a gzip bomb', encoded('gzip', gzipSync(Buffer.alloc(1_000_000, ' '))), UNDECODABLE],
    ['a bomb of raw deflate', encoded('deflate', deflateRawSync(Buffer.alloc(1_000_000, ' '))), UNDECODABLE],
    ['a truncated compressed body', encoded('br', brotliCompressSync(envelope).subarray(0, -5)), UNDECODABLE],
    ['an unsupported content encoding', encoded('zstd', zipped), UNSUPPORTED],
    ['two content encodings', encoded('gzip, br', zipped), UNSUPPORTED],
    ['an unsupported content encoding next to another word', encoded('utf-8, compress', zipped), UNSUPPORTED],
    ['a compressed body whose encoding is none', encoded('none', zipped), NOT_JSON],
  ])('rejects %s', async (_content, fault, message) => {
    gateway.injectFaults(fault);
    expect(await executeField(gateway, field)).toEqual(invalidResponse(field, message, 200));
  });
});

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
  ...['identity', 'utf-8', 'UTF8', 'none', 'binary', '', 'identity, none', ', ,'].map(
    (coding): [string, Fault] => [`the encoding "${coding}"`, encoded(coding, envelope)],
  ),
  ...['gzip, identity', 'identity,gzip', 'utf-8, gzip', 'gzip, , none'].map((coding): [string, Fault] => [
    `gzip encoding as "${coding}"`,
    encoded(coding, gzipSync(envelope)),
  ]),
  [
    'gzip encoding and identity in two headers',
    { headers: { 'content-encoding': ['identity', 'gzip'] as unknown as string }, body: gzipSync(envelope) },
  ],
  ...['gzip', 'deflate', 'br', 'zstd', 'gzip, br', 'utf-8, compress'].map((coding): [string, Fault] => [
    `text that is said to be in ${coding}`,
    encoded(coding, envelope),
  ]),
  ['the content type text/json', ofType('text/json', envelope)],
  ...[
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'text/html; type=application/json',
  ].map((type): [string, Fault] => [`the content type ${type}`, ofType(type, envelope)]),
  ['bytes that are not UTF-8', { body: Buffer.from(envelope.replace('Dock', 'D\xf6ck'), 'latin1') }],
  ['a charset', ofType('application/json; charset=utf-8', envelope)],
  ['a content type in mixed case', ofType('Application/JSON', envelope)],
  ...['text/plain', 'application/octet-stream', 'text/javascript', 'image/png', 'nonsense', ''].map(
    (type): [string, Fault] => [`the content type "${type}"`, ofType(type, envelope)],
  ),
  ['a byte order mark', ofType('text/plain', `\uFEFF${envelope}`)],
  [
    'UTF-16 that says so',
    { ...ofType('application/json; charset=utf-16', ''), body: Buffer.from(envelope, 'utf16le') },
  ],
  ['UTF-16 in the other order', { body: Buffer.from(envelope, 'utf16le').swap16() }],
  ['UTF-16 after a byte order mark', { body: Buffer.from(`\uFEFF${envelope}`, 'utf16le') }],
  ['another charset than it claims', ofType('application/json; charset=utf-16', envelope)],
  ['a content type with the suffix +json', ofType('application/vnd.freight.v1+json', envelope)],
])('notification accepts a response with %s', async (_content, fault) => {
  gateway.injectFaults(fault);
  expect(await executeField(gateway, 'notification')).toEqual({
    data: { notification: { notificationGuid: SEED_GUID } },
    errors: undefined,
    restCalls: 1,
  });
});

test('JSON of another media type is logged at most once a minute for each operation', async () => {
  const logged = await startGateway({ readsBack: false });
  for (const [field, body] of [
    ['notification', envelope],
    ['trackShipment', 'True'],
    ['deleteException', ''],
    ['notification', envelope],
    ['trackShipment', 'true'],
  ] as const) {
    logged.injectFaults(ofType('text/plain', body));
    expect(await executeField(logged, field)).toMatchObject({ errors: undefined });
  }
  await logged.stop();
  const deviation = {
    msg: 'Upstream response deviates from the contract',
    origin: logged.serviceUrl,
    problem: 'got text/plain',
    level: 40,
  };
  expect(logged.logLines.filter(({ level }) => Number(level) >= 40)).toEqual([
    expect.objectContaining({
      ...deviation,
      route: '/v1/customnotifications/{notificationGuid}',
      method: 'GET',
    }),
    expect.objectContaining({ ...deviation, route: '/atlas/frexapi/shipment/track/', method: 'POST' }),
  ]);
});

/** A value in the responses that no error message may repeat. */
const SECRET = 'secret-of-the-service';
const byName = {
  notificationGuid: SEED_GUID,
  notificationName: SECRET,
  notificationRecipientType: 'shipmentLevel',
  notificationTypeLabel: SECRET,
  notificationTypes: [SECRET],
  emailList: [SECRET],
  smsList: [SECRET],
  notifyStopContactsByEmail: false,
  notifyStopContactsBySms: false,
  notificationMetaData: { SECRET },
  filters: [],
  lastUpdateUserName: SECRET,
  lastUpdateDate: '2024-01-08T07:15:30.1234567-05:00',
};
const byStop = { ...byName, notificationRecipientType: 'StopLevel', emailList: null, smsList: null };

const required = 'expected a value because the recipient type is stopLevel';

/** Changes that make a notification violate the contract, and the errors that they cause. */
const violations: [change: object, pointer: string, expectation: string][] = [
  [{ notificationName: undefined }, '/notificationName', 'expected a string, got nothing'],
  [{ notificationTypeLabel: null }, '/notificationTypeLabel', 'expected a string, got null'],
  [
    { notificationRecipientType: { SECRET } },
    '/notificationRecipientType',
    'expected a string, got an object',
  ],
  [{ notificationTypes: undefined }, '/notificationTypes', 'expected an array, got nothing'],
  [{ notificationTypes: [SECRET, { SECRET }] }, '/notificationTypes/1', 'expected a string, got an object'],
  [{ emailList: { SECRET } }, '/emailList/0', 'expected a string, got an object'],
  [{ smsList: [SECRET, 2 ** 53] }, '/smsList/1', 'expected a string, got a number'],
  [{ ...byStop, notifyStopContactsByEmail: null }, '/notifyStopContactsByEmail', required],
  [{ ...byStop, notifyStopContactsBySms: 2 }, '/notifyStopContactsBySms', 'expected a boolean, got a number'],
];
const foreignGuids = [undefined, null, { SECRET }, 2 ** 53, '', SECRET];

const isOther = '/data/0/notificationGuid: expected the requested identifier';
const isNoList = '/data: expected a list of notifications';

describe('notification reports the path of a contract violation and what was expected, but no value,', () => {
  test.each(violations)('for %j', async (change, pointer, expectation) => {
    gateway.injectFaults({ body: JSON.stringify({ data: [{ ...byName, ...change }], messages: [] }) });
    expect(await executeField(gateway, 'notification')).toEqual(
      contractViolation('notification', `/data/0${pointer}: ${expectation}`),
    );
  });

  test.each<[body: string, problem: string]>([
    ['"5"', isNoList],
    ['{}', isNoList],
    ['{"data":{}}', isNoList],
  ])('for %s', async (body, problem) => {
    gateway.injectFaults({ body });
    expect(await executeField(gateway, 'notification')).toEqual(contractViolation('notification', problem));
  });
});

test.each([null, 5, 'secret', [], [null], [byName]])(
  'notification and updateNotification reject a list with %j in place of a notification',
  async (element) => {
    for (const field of ['notification', 'updateNotification'] as const) {
      gateway.injectFaults({
        body: JSON.stringify({ data: [element], messages: [], totalPossibleCount: 1 }),
      });
      expect(await executeField(gateway, field)).toEqual(contractViolation(field, isOther));
    }
  },
);

test.each(foreignGuids)(
  'notification and updateNotification reject a notification with the identifier %j',
  async (notificationGuid) => {
    for (const field of ['notification', 'updateNotification'] as const) {
      gateway.injectFaults({ body: JSON.stringify({ data: [{ ...byName, notificationGuid }] }) });
      expect(await executeField(gateway, field)).toEqual(contractViolation(field, isOther));
    }
  },
);

test('a creation that was applied has null and an error for a notification that violates the contract', async () => {
  /** As sent. */
  const sent = {
    notificationGuid: SEED_GUID,
    notificationName: 'Dock team',
    notificationRecipientType: 'shipmentLevel',
    notificationTypeLabel: 'shipmentStatusChange',
    notificationTypes: ['ShipmentStatusEnRoute'],
    emailList: [true],
    smsList: [],
  };
  gateway.injectFaults({ body: JSON.stringify({ success: true, data: [sent] }) });
  const field = 'createNotification';
  const selection = '{ notificationGuid notification { notificationGuid } }';
  const { data, errors } = await gateway.execute(asVariables(field, validArguments(field), selection));
  expect(data).toEqual({ [field]: { notificationGuid: SEED_GUID, notification: null } });
  expect(errors).toMatchObject([
    {
      message:
        'The response does not match the contract: /data/0/emailList/0: expected a string, got a boolean',
      path: [field, 'notification'],
      extensions: { code: 'SERVICE_RESPONSE_INVALID', outcome: 'APPLIED', retryable: false },
    },
  ]);
});

/** The result of an operation whose REST call got an invalid response. */
function invalidResponse(field: FieldName, message: string, status: number) {
  return failedField(field, { code: 'SERVICE_RESPONSE_INVALID', message, status });
}

function contractViolation(field: FieldName, problem: string) {
  return invalidResponse(field, `The response does not match the contract: ${problem}`, 200);
}
