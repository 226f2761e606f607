/** The reasons of a rejection: from bodies of any shape, at the argument that they are about, and nothing else of the body. */
// cspell:ignore SQLSTATE
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { CREATE, DELETE_EXCEPTION, TRACK } from '../support/graphql/documents.js';
import { TOKEN, useGateway } from '../support/gateway/gateway.js';
import { anyCharacter } from '../support/tools/anyCharacter.js';
import { seededRandom } from '../support/tools/seededRandom.js';

const SECRET = 'fixed-secret';
const INTERNAL = 'only for developers';
const gateway = useGateway({
  env: {
    SHIPMENT_PARAMETERS: JSON.stringify({ apiKey: SECRET }),
    LICENSE_PLATE_PARAMETER: 'VehiclePlate',
  },
  config: { service: { retries: 0 } },
  toDocumentedForm: (call) => ({
    ...call,
    body: call.body.replace('VehiclePlate', 'PortalLicensePlate'),
  }),
});

const carrier = { scac: 'EXMA' };
const hauler = { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' };
const licensePlate = { freightProviderReferenceNumber: 'REF-1001', portalLicensePlate: 'PLATE-3001' };
const tracking = {
  shipment: { hauler },
  carrier,
  driverPhoneNumber: '(303) 555-0110',
  shipmentTrackingType: 'Mobile',
};
const byPlate = {
  ...tracking,
  shipment: { licensePlate },
  carrier: { mc: '900001' },
  additionalParameters: { stops: [{ city: 'Denver' }], note: 'x' },
};
const exception = { shipment: { hauler }, carrier: { dot: '1' }, target: { exceptionGuid: 'e-1' } };
const notification = {
  notificationName: 'Dock team',
  recipient: { shipmentLevel: { emailList: ['a@example.com', 'b@example.com'], smsList: [] } },
  trigger: { shipmentStatusChange: ['EN_ROUTE', 'DELIVERED'] },
};

/** The paths and messages of the errors of a rejection. */
async function errorsAfter(
  fault: Fault,
  query = TRACK,
  variables: Record<string, unknown> = { input: tracking },
) {
  gateway.injectFaults({ status: 400, ...fault });
  const { errors = [] } = await gateway.execute(query, { variables });
  gateway.takeCalls();
  return errors.map(({ extensions }) => [extensions['inputPath'], extensions['serviceMessages']]);
}

describe('a reason stands at the argument that it is about, by whatever name the service gives it:', () => {
  const UPDATE =
    'mutation ($guid: ID!, $input: UpdateNotificationInput!) { updateNotification(notificationGuid: $guid, input: $input) { messages } }';
  const LIST =
    'query ($additionalParameters: JSONObject) { notifications(additionalParameters: $additionalParameters) { messages } }';

  const READ_ALL =
    'query ($guids: [ID!]!) { notificationsByGuid(notificationGuids: $guids) { notificationName } }';

  test.each<[name: string, field: string, path: (string | number)[], query?: string, variables?: object]>([
    ...[
      'DriverPhoneNumber',
      'driverPhoneNumber',
      'driver_phone_number',
      'driver-phone-number',
      'DRIVERPHONENUMBER',
    ].map((name): [string, string, string[]] => [name, name, ['input', 'driverPhoneNumber']]),
    ['model.DriverPhoneNumber', 'DriverPhoneNumber', ['input', 'driverPhoneNumber']],
    ['track.body.DriverPhoneNumber', 'DriverPhoneNumber', ['input', 'driverPhoneNumber']],
    ['/DriverPhoneNumber', 'DriverPhoneNumber', ['input', 'driverPhoneNumber']],
    ["$['DriverPhoneNumber']", 'DriverPhoneNumber', ['input', 'driverPhoneNumber']],
    [
      'VehiclePlate',
      'VehiclePlate',
      ['input', 'shipment', 'licensePlate', 'portalLicensePlate'],
      TRACK,
      { input: byPlate },
    ],
    ['note', 'note', ['input', 'additionalParameters', 'note'], TRACK, { input: byPlate }],
    [
      'stops[0].city',
      'stops[0].city',
      ['input', 'additionalParameters', 'stops', 0, 'city'],
      TRACK,
      { input: byPlate },
    ],
    [
      'ExceptionGuid',
      'ExceptionGuid',
      ['input', 'target', 'exceptionGuid'],
      DELETE_EXCEPTION,
      { input: exception },
    ],
    ...['emailList[1]', '$.emailList[1]', '/emailList/1', 'email_list.1'].map(
      (name): [string, string, (string | number)[], string, object] => [
        name,
        name.startsWith('email_') ? 'email_list[1]' : 'emailList[1]',
        ['input', 'recipient', 'shipmentLevel', 'emailList', 1],
        CREATE,
        { input: notification },
      ],
    ),
    [
      'emailList[7]',
      'emailList[7]',
      ['input', 'recipient', 'shipmentLevel', 'emailList'],
      CREATE,
      { input: notification },
    ],
    [
      'notificationTypes[1]',
      'notificationTypes[1]',
      ['input', 'trigger', 'shipmentStatusChange', 1],
      CREATE,
      { input: notification },
    ],
    [
      'notificationGuid',
      'notificationGuid',
      ['notificationGuid'],
      UPDATE,
      { guid: 'g', input: { ...notification, filters: [] } },
    ],
    ['page', 'page', ['additionalParameters', 'page'], LIST, { additionalParameters: { page: 0 } }],
    ['NotificationGUID', 'NotificationGUID', ['notificationGuids', 0], READ_ALL, { guids: ['g'] }],
  ])('%s', async (name, field, path, query, variables) => {
    const body = JSON.stringify({
      errors: { [name]: ['It is wrong.'], unrelated: ['It is odd.'] },
      message: 'No.',
    });
    expect(await errorsAfter({ body }, query, variables as Record<string, unknown>)).toEqual([
      [path, [{ field, message: 'It is wrong.' }]],
      [undefined, [{ field: 'unrelated', message: 'It is odd.' }, 'No.']],
    ]);
  });

  test.each([
    [{ loc: ['body', 'DriverPhoneNumber'] }],
    [{ path: ['DriverPhoneNumber'] }],
    [{ field: 'DriverPhoneNumber' }],
  ])('%j next to it', async (place) => {
    const body = JSON.stringify({ detail: [{ ...place, msg: 'It is wrong.' }] });
    expect(await errorsAfter({ body })).toEqual([
      [['input', 'driverPhoneNumber'], [{ field: 'DriverPhoneNumber', message: 'It is wrong.' }]],
    ]);
  });

  test('identifiers of one query, which share their read, by the argument of each', async () => {
    const both =
      '{ one: notification(notificationGuid: "g") { messages: notificationName } all: notificationsByGuid(notificationGuids: ["h", "g"]) { notificationName } }';
    const fault = { status: 400, body: '{"errors":{"notificationGuid":["It is wrong."]}}' };
    gateway.injectFaults(fault, fault);
    const { errors = [] } = await gateway.execute(both);
    expect(gateway.takeCalls()).toHaveLength(2);
    const paths = errors.map(({ path, extensions }) => [path, extensions['inputPath']]);
    expect(new Set(paths)).toEqual(
      new Set([
        [['one'], ['notificationGuid']],
        [
          ['all', 0],
          ['notificationGuids', 0],
        ],
        [
          ['all', 1],
          ['notificationGuids', 1],
        ],
      ]),
    );
  });

  test('an element of messages stays as it came', async () => {
    const message = { field: '/DriverPhoneNumber', code: 7, message: 'It is wrong.' };
    expect(await errorsAfter({ body: JSON.stringify({ messages: [message, 'No.'] }) })).toEqual([
      [['input', 'driverPhoneNumber'], [message]],
      [undefined, ['No.']],
    ]);
  });
});

describe('at no argument stand', () => {
  test.each<[what: string, body: unknown, messages: unknown[]]>([
    [
      'a reason about a fixed parameter',
      { errors: { apiKey: ['It is wrong.'] } },
      [{ field: 'apiKey', message: 'It is wrong.' }],
    ],
    [
      'a reason about a value that the client did not send',
      { errors: { CarrierMC: ['It is wrong.'] } },
      [{ field: 'CarrierMC', message: 'It is wrong.' }],
    ],
    ['duplicates, which are said once', { errors: ['a b', 'a b'], message: 'a b' }, ['a b']],
    [
      'at most 20',
      { errors: Array.from({ length: 30 }, (_, index) => `No. ${index} is odd`) },
      Array.from({ length: 20 }, (_, index) => `No. ${index} is odd`),
    ],
    ['at most 1,000 characters', { error: 'é'.repeat(2000) }, [`${'é'.repeat(999)}…`]],
    ['what is four levels deep', { a: { b: { c: { d: { message: 'It is deep.' } } } } }, ['It is deep.']],
    ['JSON that was written twice', { message: '{"error":"It is closed."}' }, ['It is closed.']],
    ['half a surrogate pair, and control characters', { error: 'a \ud83d\u0000 b' }, ['a \ufffd  b']],
  ])('%s', async (_what, body, messages) => {
    expect(await errorsAfter({ body: JSON.stringify(body) })).toEqual([[undefined, messages]]);
  });

  test.each<[what: string, fault: Fault]>([
    ['plain text', { body: 'It is closed.\r\n', headers: { 'content-type': 'text/plain' } }],
    [
      'JSON of another type',
      { body: '{"Message":"It is closed."}', headers: { 'content-type': 'text/plain' } },
    ],
    ['JSON of no type', { body: '{"Message":"It is closed."}', headers: { 'content-type': '' } }],
    [
      'a compressed text',
      {
        body: gzipSync('It is closed.'),
        headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
      },
    ],
    [
      'UTF-8 with a byte order mark, of another charset',
      { body: '\uFEFFIt is closed.', headers: { 'content-type': 'text/plain; charset=utf-16' } },
    ],
  ])('reasons in %s', async (_what, fault) => {
    expect(await errorsAfter(fault)).toEqual([[undefined, ['It is closed.']]]);
  });
});

describe('no reason is', () => {
  test.each<[what: string, fault: Fault]>([
    ['a page', { body: '<!doctype html><p>x', headers: { 'content-type': 'text/html' } }],
    ...['<html>x', '\uFEFF \n<!-- x --><html>', '<?xml version="1.0"?><x/>', '<!DOCTYPE html>'].flatMap(
      (page): [string, Fault][] => [
        [
          `a text that begins like a page: ${JSON.stringify(page)}`,
          { body: page, headers: { 'content-type': 'text/plain' } },
        ],
        [
          `the same within JSON: ${JSON.stringify(page)}`,
          { body: JSON.stringify({ message: page, messages: [page] }) },
        ],
      ],
    ),
    [
      'a stack trace',
      { body: 'Error: x\n    at track (/app.js:1:2)', headers: { 'content-type': 'text/plain' } },
    ],
    ['JSON that is cut off', { body: '{"message":"It is', headers: { 'content-type': 'text/plain' } }],
    ...[
      'Uncaught Error in /var/www/app.php on line 12',
      'ORA-00001: unique constraint (A.B) violated',
      'SQLSTATE[23000]: a b',
      '400 Bad Request: "{"message":"a b"}"',
      'callback({"message":"a b"})',
    ].map((body): [string, Fault] => [body, { body, headers: { 'content-type': 'text/plain' } }]),
    ...[
      "Cannot read properties of undefined (reading 'x')",
      "KeyError: 'load'",
      'No file /opt/a',
      'getaddrinfo ENOTFOUND db.internal',
      'Connection refused: redis-master:6379',
      'relation "loads" does not exist',
      'Maximum call stack size exceeded',
      'Request failed with status code 503',
      'Error near freight-db-01.corp.example.com',
    ].map((message): [string, Fault] => [
      `with 500, ${message}`,
      { status: 500, body: JSON.stringify({ message }) },
    ]),
    ...[
      'pq: duplicate key value violates unique constraint "a_b"',
      'UNIQUE constraint failed: loads.a',
      "Duplicate entry 'a' for key 'loads.a'",
      'E11000 duplicate key error collection: app.loads',
      'It is closed at /usr/share/perl5/Load.pm line 47.',
    ].map((message): [string, Fault] => [message, { body: JSON.stringify({ message }) }]),
    ['what is nested too deeply', { body: '['.repeat(10_000) + ']'.repeat(10_000) }],
    ['what is five levels deep', { body: '{"a":{"b":{"c":{"d":{"e":{"message":"x y"}}}}}}' }],
    ...(
      [
        { exception: INTERNAL, ExceptionMessage: INTERNAL, stackTrace: INTERNAL, debug: INTERNAL },
        { innererror: { message: INTERNAL }, cause: { message: INTERNAL } },
        { error: { exception_message: INTERNAL, debugInfo: { detail: INTERNAL } } },
        { path: INTERNAL, instance: INTERNAL, url: INTERNAL, type: INTERNAL, traceId: INTERNAL },
        { errors: [{ rejectedValue: INTERNAL, input: INTERNAL, value: INTERNAL, path: '/a/b' }] },
        { request: { message: INTERNAL }, requestBody: INTERNAL, args: [INTERNAL] },
        { DriverPhoneNumber: '+13035550110', CarrierSCAC: 'EXMA', shipmentTrackingType: 'mobile' },
        { message: 42, error: true, detail: null, title: '  ', messages: [null] },
        { message: 'java.lang.IllegalStateException: x', error: 'NullPointerException' },
        {
          message: 'https://service.example/a',
          error: '/var/app',
          detail: '0f8fad5b-d9cb-469f-a165-70867728950e',
        },
      ] as unknown[]
    ).map((body): [string, Fault] => [JSON.stringify(body).slice(0, 100), { body: JSON.stringify(body) }]),
  ])('%s', async (_what, fault) => {
    expect(await errorsAfter(fault)).toEqual([[undefined, undefined]]);
  });

  test.each([
    [500, 'The system of the carrier is closed until 06:00 UTC-05:00.'],
    [400, 'It is closed: see https://docs.example.com/closed'],
  ])('but one is with %i: %s', async (status, message) => {
    expect(await errorsAfter({ status, body: JSON.stringify({ message }) })).toEqual([
      [undefined, [message]],
    ]);
  });

  test.each([
    'I/O error on GET request for "http://inventory:8080/items"',
    'No connection to https://tms.svc.cluster.local',
    'The database at 10.0.0.5 is closed',
    'No connection to redis-master:6379',
    'The system is closed (ECONNREFUSED)',
  ])('what has an address of the inside: %s', async (message) => {
    expect(await errorsAfter({ body: JSON.stringify({ message }) })).toEqual([[undefined, ['[redacted]']]]);
  });

  test('a member of an element of messages that only developers may see', async () => {
    const messages = [{ message: 'No.', StackTrace: INTERNAL, inner: [{ exception: INTERNAL, text: 'a' }] }];
    expect(await errorsAfter({ body: JSON.stringify({ messages }) })).toEqual([
      [undefined, [{ message: 'No.' }]],
    ]);
  });
});

describe('whatever JSON a service sends with 400', () => {
  let secrets: string[];
  beforeAll(() => {
    secrets = [SECRET, TOKEN, new URL(gateway.serviceUrl).host];
  });
  const names = fc.constantFrom(
    ...'message messages Message error errors detail details title ModelState field path loc source pointer'.split(
      ' ',
    ),
    ...'DriverPhoneNumber carrier_scac stackTrace exception data result status __proto__ constructor'.split(
      ' ',
    ),
    ...['toString', '', '$', '\ud83d', 'x'.repeat(300)],
  );
  const texts = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 50 }),
    fc.constantFrom(
      'It is closed.',
      'DriverPhoneNumber',
      'é'.repeat(3000),
      '<html>',
      '{"message":"It is closed."}',
    ),
    fc.constantFrom(0, 1, 2).map((index) => `The key ${secrets[index] ?? ''} is wrong`),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      texts,
      fc.constantFrom(null, true, 0, -1.5, 1e300),
      fc.array(tie('json'), { maxLength: 8 }),
      fc.array(fc.tuple(names, tie('json')), { maxLength: 6 }).map((members) => {
        const object: unknown = Object.fromEntries(members); // has own members of any name, __proto__ included
        return object;
      }),
    ),
  }));

  test('the response is valid, bounded, and has no secret', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (body) => {
        gateway.injectFaults({ status: 400, body: JSON.stringify(body) });
        const response = await gateway.execute(TRACK, { variables: { input: tracking } });
        gateway.takeCalls();
        const { data, errors = [] } = response;
        const text = JSON.stringify({ data, errors });
        expect(data).toEqual({ trackShipment: null });
        for (const { message, extensions } of errors)
          expect({ message, ...extensions }).toMatchObject({
            message: 'The service rejected the request',
            code: 'SERVICE_REJECTED',
            outcome: 'NOT_APPLIED',
            status: 400,
          });
        const messages = errors.flatMap(
          ({ extensions }) => (extensions['serviceMessages'] ?? []) as unknown[],
        );
        expect(messages.length).toBeLessThanOrEqual(20);
        expect(messages.map((each) => JSON.stringify(each).length).filter((length) => length > 6300)).toEqual(
          [],
        );
        for (const secret of secrets) expect(text).not.toContain(secret);
      }),
      { numRuns: 40, seed: seededRandom('bodies of rejections').seed },
    );
  });
});
