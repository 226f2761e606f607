/**
 * What a field reports when the service responds with an error. One field stands for each kind of call: a read, a write, a deletion.
 * The tests of faults have calls without a response.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { executeField, failedField } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';

const gateway = useGateway({ readsBack: false, config: { service: { retries: 0 } } });

const fields = ['notification', 'createNotification', 'deleteException'] as const;
const serviceMessages = [{ field: '/carrier', message: 'not known' }, 'twice', 7];
const body = JSON.stringify({ messages: serviceMessages, reason: 'internal' });

const rejections: Readonly<Record<number, [code: string, message: string]>> = {
  401: ['UNAUTHENTICATED', 'The service requires a valid bearer token'],
  403: ['FORBIDDEN', 'The service does not permit this operation'],
  404: ['NOT_FOUND', 'No resource matches these identifiers'],
  410: ['NOT_FOUND', 'No resource matches these identifiers'],
  409: ['CONFLICT', 'The change conflicts with the current state in the service'],
  425: ['SERVICE_UNAVAILABLE', 'The service is not ready to process the request yet'],
  429: ['RATE_LIMITED', 'Too many requests to the service; try again later'],
};

/** The error for a status of the service. */
function failureOf(status: number, details: object = {}) {
  if (status === 408 || status >= 500)
    return {
      code: 'SERVICE_ERROR',
      message: 'The service failed to process the request',
      isTransient: true,
      status,
      ...details,
    };
  const [code, message] = rejections[status] ?? ['SERVICE_REJECTED', 'The service rejected the request'];
  return {
    code,
    message,
    isTransient: status === 425 || status === 429,
    outcome: 'NOT_APPLIED',
    status,
    ...details,
  };
}

describe.each(fields)('%s reports the failure of its REST call', (field) => {
  test.each([400, 401, 402, 403, 405, 408, 409, 418, 422, 425, 429, 451, 499, 500, 501, 502, 503, 504, 599])(
    'with status %i',
    async (status) => {
      gateway.injectFaults({ status, body });
      expect(await executeField(gateway, field)).toEqual(
        failedField(field, failureOf(status, { serviceMessages })),
      );
    },
  );

  test.each([401, 422, 500])('with status %i and no messages', async (status) => {
    gateway.injectFaults({ status });
    expect(await executeField(gateway, field)).toEqual(failedField(field, failureOf(status)));
  });
});

describe.each([404, 410])('Status %i', (status) => {
  test('is returned as null by notification', async () => {
    gateway.injectFaults({ status, body });
    expect(await executeField(gateway, 'notification')).toEqual({
      data: { notification: null },
      errors: undefined,
      restCalls: 1,
    });
  });

  const noPath = 'The service found nothing at the path of its notifications'; // there is no identifier
  test.each([
    ['notifications', { message: noPath }],
    ['createNotification', { message: noPath }],
    ['updateNotification', {}],
    ['deleteNotification', {}],
    ['trackShipment', {}],
    ['deleteException', {}],
  ] as const)('is an error for %s', async (field, details) => {
    gateway.injectFaults({ status, body });
    expect(await executeField(gateway, field)).toEqual(
      failedField(field, failureOf(status, { serviceMessages, ...details })),
    );
  });
});

describe('retryAfterSeconds', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test.each<[status: number, header: string, seconds: number]>([
    [429, '7', 7],
    [429, '0', 0],
    [429, '86400', 86_400],
    [429, ' 7\t', 7],
    [429, 'Wed, 21 Oct 2015 07:30:00 GMT', 120],
    [429, 'Wednesday, 21-Oct-15 07:30:00 GMT', 120],
    [429, 'Wed Oct 21 07:30:00 2015', 120],
    [429, 'Wed, 21 Oct 2015 07:27:00 GMT', 0],
    [503, '7', 7],
    [503, 'Wed, 21 Oct 2015 08:28:00 GMT', 3600],
    [429, 'Fri, 31 Dec 9999 23:59:59 GMT', 2_147_483_647],
    [503, '2147483648', 2_147_483_647],
    [429, '9'.repeat(400), 2_147_483_647],
  ])('for status %i and Retry-After: %s is %i', async (status, header, retryAfterSeconds) => {
    vi.stubEnv('TZ', 'Asia/Kathmandu'); // dates without a zone are in UTC, whatever the zone of the machine
    const date = 'Wed, 21 Oct 2015 07:28:00 GMT'; // by the clock of the service
    for (const field of ['notification', 'deleteNotification'] as const) {
      gateway.injectFaults({ status, headers: { date, 'retry-after': header } });
      expect(await executeField(gateway, field)).toEqual(
        failedField(field, failureOf(status, { retryAfterSeconds })),
      );
    }
  });

  test.each(['soon', '1e3', '-5', '1.5'])('is absent if Retry-After is %j', async (header) => {
    gateway.injectFaults({ status: 429, headers: { 'retry-after': header } });
    expect(await executeField(gateway, 'deleteNotification')).toEqual(
      failedField('deleteNotification', failureOf(429)),
    );
  });
});

describe('The messages of an error response', () => {
  test.each<
    [
      content: string,
      response: { body: string | Buffer; headers?: Record<string, string> },
      expected?: unknown[],
    ]
  >([
    ['are omitted if the list is empty', { body: '{"messages":[]}' }],
    ['are read from an object, too', { body: '{"messages":{"message":"no"}}' }, ['no']],
    ['are omitted if they are null', { body: '{"messages":null}' }],
    ['are returned without null elements', { body: '{"messages":[null,"no"]}' }, ['no']],
    ['are returned as arbitrary JSON', { body: '{"messages":[[{}],false,0,""]}' }, [[{}], false, 0, '']],
    [
      'are returned with keys such as __proto__',
      { body: '{"messages":[{"__proto__":1,"":2}]}' },
      [JSON.parse('{"__proto__":1,"":2}')],
    ],
    ['are read from a body that is an array', { body: '["no"]' }, ['no']],
    ['are not read from a body that is not JSON', { body: '<p>no</p>' }],
    [
      'are read as windows-1252 where they are not UTF-8',
      { body: Buffer.from('7b226d65737361676573223a5b22ff225d7d', 'hex') },
      ['ÿ'],
    ],
    [
      'are read from a body of another content type',
      { body, headers: { 'content-type': 'text/html' } },
      serviceMessages,
    ],
    [
      'are returned from a problem document',
      { body, headers: { 'content-type': 'application/problem+json' } },
      serviceMessages,
    ],
  ])('%s', async (_content, response, expected) => {
    gateway.injectFaults({ status: 422, ...response });
    expect(await executeField(gateway, 'deleteNotification')).toEqual(
      failedField('deleteNotification', failureOf(422, expected && { serviceMessages: expected })),
    );
  });
});
