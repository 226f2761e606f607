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

/** The contract's examples as GraphQL input. */
const exceptions = [
  {
    name: 'exception',
    input: {
      shipment: {
        hauler: { freightProviderReferenceNumber: 'REF-1001', freightHaulerProviderXid: 'XID-2001' },
      },
      carrier: { dot: '8000001' },
      target: { exceptionGuid: 'e0000000-0000-4000-8000-000000000101' },
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
    },
  },
  {
    name: 'exceptionFile',
    input: {
      shipment: {
        licensePlate: { freightProviderReferenceNumber: 'REF-1002', portalLicensePlate: 'PLATE-3002' },
      },
      carrier: { mc: '900002' },
      target: { exceptionFileGuid: 'f0000000-0000-4000-8000-000000000201' },
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
    },
  },
] as const;

const confirmations: [string, Fault, unknown[]][] = [
  ['200 and an envelope', { body: '{"data":[],"messages":["gone",{"code":7}]}' }, ['gone', { code: 7 }]],
  ['200 and an envelope with messages of the wrong type', { body: '{"messages":"gone"}' }, []],
  ['200 and a JSON value that is not an envelope', { body: 'true' }, []],
  ['200 and a body that is not JSON', { body: 'OK' }, []],
  ['200 and HTML', { body: '<h1>Deleted</h1>', headers: { 'content-type': 'text/html' } }, []],
  ['200 and an unsupported content encoding', { body: '{}', headers: { 'content-encoding': 'zstd' } }, []],
  ['202 without a body', { status: 202 }, []],
  ['204', { status: 204 }, []],
];
const gateway = useGateway();

describe('deleteNotification', () => {
  test.each(confirmations)(
    'succeeds when the service responds with %s',
    async (_response, confirmation, messages) => {
      gateway.injectFaults(confirmation);
      expect(await gateway.data(DELETE, { variables: { guid } })).toEqual({
        deleteNotification: { notificationGuid: guid, messages },
      });
      expect(summariesOf(gateway.takeCalls())).toEqual([restCall('DELETE', path)]);
    },
  );

  test('fails with NOT_FOUND if the service has no such notification', async () => {
    const { data, errors } = await gateway.execute(DELETE, { variables: { guid } });
    expect({ data, errors }).toEqual({
      data: { deleteNotification: null },
      errors: [
        fieldError(DELETE, ['deleteNotification'], serviceErrorMessages.notFound, {
          code: 'NOT_FOUND',
          outcome: 'NOT_APPLIED',
          retryable: false,
          status: 404,
          serviceMessages: (
            responseExample('deleteNotification', '404', 'unknown') as { messages: unknown[] }
          ).messages,
        }),
      ],
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([restCall('DELETE', path)]);
  });

  test('deletes the notification with a single REST call', async () => {
    const seeded = '6de051ec-a242-4c96-8a72-7bef13aac13f';
    expect(await gateway.data(DELETE, { variables: { guid: seeded } })).toEqual({
      deleteNotification: { notificationGuid: seeded, messages: [] },
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([
      restCall('DELETE', `/v1/customnotifications/${seeded}`),
    ]);
    const read = `{ notification(notificationGuid: "${seeded}") { notificationGuid } }`;
    expect(await gateway.data(read)).toEqual({ notification: null });
    gateway.takeCalls();
  });
});

describe.each(exceptions)('deleteException with the documented $name example', ({ name, input, deleted }) => {
  const call = restCall('DELETE', EXCEPTION, { body: requestExample('deleteException', name) });

  test.each(confirmations)('succeeds when the service responds with %s', async (_response, confirmation) => {
    gateway.injectFaults(confirmation);
    expect(await gateway.data(DELETE_EXCEPTION, { variables: { input } })).toEqual({
      deleteException: deleted,
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([call]);
  });

  test('succeeds once and then fails with NOT_FOUND', async () => {
    expect(await gateway.data(DELETE_EXCEPTION, { variables: { input } })).toEqual({
      deleteException: deleted,
    });
    const { data, errors } = await gateway.execute(DELETE_EXCEPTION, { variables: { input } });
    expect({ data, errors }).toEqual({
      data: { deleteException: null },
      errors: [
        fieldError(DELETE_EXCEPTION, ['deleteException'], serviceErrorMessages.notFound, {
          code: 'NOT_FOUND',
          outcome: 'NOT_APPLIED',
          retryable: false,
          status: 404,
          serviceMessages: [{ message: 'The shipment has no such exception or exception file.' }],
        }),
      ],
    });
    expect(summariesOf(gateway.takeCalls())).toEqual([call, call]);
  });
});
