import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/mock/mockService.js';
import { DELETE, DELETE_EXCEPTION } from '../support/graphql/documents.js';
import { responseExample, requestExample } from '../support/service/examples.js';
import { fieldError, serviceErrorMessages } from '../support/graphql/fieldError.js';
import { useGateway } from '../support/gateway/gateway.js';
import { restCall, summariesOf } from '../support/service/restCalls.js';

const guid = '3f0a7c1e-2b64-4e7f-9a55-0c8d1e2f3a01';
const path = `/v1/customnotifications/${guid}`;
const EXCEPTION = '/atlas/frexapi/shipment/exception';
const NO_EXCEPTION = { messages: [{ message: 'The shipment has no such exception or exception file.' }] };

/** The deletions, with what they return of their input and the messages of a 404. */
const deletions = [
  {
    name: 'a notification',
    field: 'deleteNotification',
    document: DELETE,
    variables: { guid },
    deleted: { notificationGuid: guid },
    call: restCall('DELETE', path),
    notFound: responseExample('deleteNotification', '404', 'unknown') as { messages: unknown[] },
  },
  {
    name: 'the documented exception',
    field: 'deleteException',
    document: DELETE_EXCEPTION,
    variables: {
      input: {
        shipment: {
          hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' },
        },
        carrier: { dot: '8000001' },
        target: { exceptionGuid: 'e0000000-0000-4000-8000-000000000101' },
      },
    },
    deleted: {
      deleted: true,
      exceptionGuid: 'e0000000-0000-4000-8000-000000000101',
      exceptionFileGuid: null,
      shipment: {
        freightProviderReferenceNumber: 'REF-1001',
        freightHaulerProviderXid: 'XID-2001',
        portalLicensePlate: null,
      },
      carrier: { mc: null, dot: '8000001', scac: null },
    },
    call: restCall('DELETE', EXCEPTION, { body: requestExample('deleteException', 'exception') }),
    notFound: NO_EXCEPTION,
  },
  {
    name: 'the documented exception file',
    field: 'deleteException',
    document: DELETE_EXCEPTION,
    variables: {
      input: {
        shipment: {
          licensePlate: { freightProviderReferenceNumber: 'REF-1002', portalLicensePlate: 'PLATE-3002' },
        },
        carrier: { mc: '900002' },
        target: { exceptionFileGuid: 'f0000000-0000-4000-8000-000000000201' },
      },
    },
    deleted: {
      deleted: true,
      exceptionGuid: null,
      exceptionFileGuid: 'f0000000-0000-4000-8000-000000000201',
      shipment: {
        freightProviderReferenceNumber: 'REF-1002',
        freightHaulerProviderXid: null,
        portalLicensePlate: 'PLATE-3002',
      },
      carrier: { mc: '900002', dot: null, scac: null },
    },
    call: restCall('DELETE', EXCEPTION, { body: requestExample('deleteException', 'exceptionFile') }),
    notFound: NO_EXCEPTION,
  },
];

const confirmations: [string, Fault, unknown[]][] = [
  ...[
    'null',
    '""',
    'true',
    '{}',
    '[]',
    '{"data":null}',
    '{"data":[],"messages":[],"totalPossibleCount":0}',
  ].map((body): [string, Fault, []] => [`200 and ${body}`, { body }, []]),
  ...[
    '{"success":true,"error":null,"errors":[]}',
    '{"deleted":true}',
    '{"status":"DELETED"}',
    '{"statusCode":200}',
    '{"deletedCount":1}',
  ].map((body): [string, Fault, []] => [`200 and ${body}`, { body }, []]),
  [
    '200 and an envelope',
    { body: '{"data":[],"messages":["Deleted",{"note":"gone"}]}' },
    ['Deleted', { note: 'gone' }],
  ],
  ['200 and a message', { body: '{"message":"Exception deleted."}' }, ['Exception deleted.']],
  ['200 and a flag with a message', { body: '{"success":true,"messages":"gone"}' }, ['gone']],
  ['200 and a word', { body: 'OK', headers: { 'content-type': 'text/plain' } }, ['OK']],
  ...['true', 'True', ' TRUE\r\n', '"true"', '"True"'].flatMap((body) =>
    ['text/plain', 'text/html', 'application/octet-stream', 'application/json', ''].map(
      (type): [string, Fault, []] => [
        `200 and ${JSON.stringify(body)} of type "${type}"`,
        { body, headers: { 'content-type': type } },
        [],
      ],
    ),
  ),
  ['200 and an object as plain text', { body: '{}', headers: { 'content-type': 'text/plain' } }, []],
  ['200 and text that is said to be coded', { body: '{}', headers: { 'content-encoding': 'zstd' } }, []],
  ['200 and a compressed array', { body: gzipSync('[]'), headers: { 'content-encoding': 'gzip' } }, []],
  ['200 without a body', { status: 200 }, []],
  ['204', { status: 204 }, []],
];

const html = { 'content-type': 'text/html' };
/** Responses that prove nothing, and the messages of the errors. */
const doubts: [response: string, doubt: Fault, message: string, status?: number][] = [
  ['false', { body: 'false' }, serviceErrorMessages.refuted(200)],
  ['a number', { body: '0' }, serviceErrorMessages.unproven],
  ['an object that says nothing', { body: '{"id":5}' }, serviceErrorMessages.unproven],
  ['a login page', { body: '<h1>Sign in</h1>', headers: html }, serviceErrorMessages.html],
  [
    'an unsupported content encoding',
    { body: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), headers: { 'content-encoding': 'zstd' } },
    'The response has an unsupported content encoding',
  ],
  ['a redirect', { status: 302 }, 'The service responded with a redirect', 302],
  ['202 without a body', { status: 202 }, serviceErrorMessages.accepted, 202],
  ['202 and true', { status: 202, body: 'true' }, serviceErrorMessages.accepted, 202],
  ['206 and an object', { status: 206, body: '{}' }, serviceErrorMessages.partial, 206],
  ['207 without a body', { status: 207 }, serviceErrorMessages.multiStatus, 207],
];

/** Bodies of 200 that report a failure, with their messages. */
const reportedFailures: [body: string, serviceMessages?: unknown[]][] = [
  ['{"success":false}'],
  ['{"isSuccess":false,"message":"It is locked."}', ['It is locked.']],
  ['{"error":"not found"}', ['not found']],
  ['{"statusCode":404,"message":"It does not exist."}', ['It does not exist.']],
  ['{"data":false,"messages":[{"message":"It is locked."}]}', [{ message: 'It is locked.' }]],
];

const gateway = useGateway({ readsBack: false });

describe.each(deletions)('A deletion of $name', ({ field, document, variables, deleted, call, notFound }) => {
  const failed = (message: string, extensions: object) => ({
    data: { [field]: null },
    errors: [fieldError(document, [field], message, { retryable: false, ...extensions })],
  });
  const execute = async (...faults: Fault[]) => {
    gateway.injectFaults(...faults);
    const { data, errors } = await gateway.execute(document, { variables: { ...variables } });
    expect(summariesOf(gateway.takeCalls())).toEqual([call]);
    return { data, errors };
  };

  test.each(confirmations)(
    'succeeds when the service responds with %s',
    async (_response, fault, messages) => {
      expect(await execute(fault)).toEqual({
        data: { [field]: { ...deleted, messages } },
        errors: undefined,
      });
    },
  );

  test.each(doubts)(
    'is of unknown outcome if the service responds with %s',
    async (_response, fault, ...error) => {
      const [message, status = 200] = error;
      expect(await execute(fault)).toEqual(
        failed(message, { code: 'SERVICE_RESPONSE_INVALID', outcome: 'UNKNOWN', status }),
      );
    },
  );

  test.each([
    ['"true story"', 'true story'],
    ['"PENDING"', 'PENDING'],
    ['{"messages":["Exception not found"]}', 'Exception not found'],
    ['{"message":"It was deleted already."}', 'It was deleted already.'],
  ])(
    'is of unknown outcome if the service responds with 200 and %s, which is a message',
    async (body, said) => {
      expect(await execute({ body })).toEqual(
        failed(serviceErrorMessages.unproven, {
          code: 'SERVICE_RESPONSE_INVALID',
          outcome: 'UNKNOWN',
          status: 200,
          serviceMessages: [said],
        }),
      );
    },
  );

  test.each(reportedFailures)(
    'is of unknown outcome if the service responds with 200 and %s',
    async (body, serviceMessages) => {
      expect(await execute({ body })).toEqual(
        failed(serviceErrorMessages.refuted(200), {
          code: 'SERVICE_RESPONSE_INVALID',
          outcome: 'UNKNOWN',
          status: 200,
          ...(serviceMessages && { serviceMessages }),
        }),
      );
    },
  );

  test('is of unknown outcome if the body of a 2xx response is lost', async () => {
    expect(await execute({ body: '{"messages":[]}', disconnect: 'midBody' })).toEqual(
      failed('The connection to the service was lost', { code: 'SERVICE_ERROR', outcome: 'UNKNOWN' }),
    );
  });

  test('succeeds at most once and then fails with NOT_FOUND', async () => {
    if (field === 'deleteException')
      expect(await execute()).toEqual({ data: { [field]: { ...deleted, messages: [] } }, errors: undefined });
    expect(await execute()).toEqual(
      failed(serviceErrorMessages.notFound, {
        code: 'NOT_FOUND',
        outcome: 'NOT_APPLIED',
        status: 404,
        serviceMessages: notFound.messages,
      }),
    );
  });
});

test('A deletion of a notification with a single REST call deletes it', async () => {
  const seeded = '6de051ec-a242-4c96-8a72-7bef13aac13f';
  expect(await gateway.data(DELETE, { variables: { guid: seeded } })).toEqual({
    deleteNotification: { notificationGuid: seeded, messages: [] },
  });
  expect(summariesOf(gateway.takeCalls())).toEqual([restCall('DELETE', `/v1/customnotifications/${seeded}`)]);
  const read = `{ notification(notificationGuid: "${seeded}") { notificationGuid } }`;
  expect(await gateway.data(read)).toEqual({ notification: null });
});
