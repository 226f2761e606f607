import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { executeAndRecord, type PresentedError } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { isMutation, validArguments, asVariables, type FieldName } from '../support/graphql/rootFields.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { SERVICE_RETRIES: '0' } });
});
afterAll(() => gateway.stop());

const serviceMessages = [{ field: '/carrier', message: 'not known' }, 'twice', 7];
const body = JSON.stringify({ messages: serviceMessages, reason: 'internal' });

interface Meaning {
  code: string;
  message: string;
  isTransient: boolean;
  outcome: 'NOT_APPLIED' | 'UNKNOWN';
}

const refusal = (code: string, message: string): Meaning => ({
  code,
  message,
  isTransient: code === 'RATE_LIMITED',
  outcome: 'NOT_APPLIED',
});
const refusals: Readonly<Record<number, Meaning>> = {
  401: refusal('UNAUTHENTICATED', 'The service rejected the bearer token'),
  403: refusal('FORBIDDEN', 'The service does not permit this operation'),
  404: refusal('NOT_FOUND', 'No resource matches these identifiers'),
  409: refusal('CONFLICT', 'The change conflicts with the current state in the service'),
  429: refusal('RATE_LIMITED', 'Too many requests to the service; try again later'),
};
const otherRefusal = refusal('SERVICE_REJECTED', 'The service rejected the request');
const failure: Meaning = {
  code: 'SERVICE_ERROR',
  message: 'The service failed to process the request',
  isTransient: true,
  outcome: 'UNKNOWN',
};
const meaningOf = (status: number) => (status >= 500 ? failure : (refusals[status] ?? otherRefusal));
const statuses = [
  400, 401, 402, 403, 405, 408, 409, 410, 418, 422, 429, 451, 499, 500, 501, 502, 503, 504, 599,
];
const fields = [
  'notification',
  'notifications',
  'createNotification',
  'updateNotification',
  'deleteNotification',
  'trackShipment',
  'deleteException',
] as const satisfies FieldName[];

describe.each(fields)('%s tells what the service answered', (field) => {
  test.each(statuses)('with %i', async (status) => {
    gateway.injectFaults({ status, body });
    expect(await send(field)).toEqual(failedField(field, { status, serviceMessages }));
  });

  test.each([401, 422, 500])('with %i and nothing to say', async (status) => {
    gateway.injectFaults({ status });
    expect(await send(field)).toEqual(failedField(field, { status }));
  });
});

describe('404', () => {
  test('of a notification is null', async () => {
    gateway.injectFaults({ status: 404, body });
    expect(await send('notification')).toEqual({
      data: { notification: null },
      errors: undefined,
      restCalls: 1,
    });
  });

  test.each(fields.filter((field) => field !== 'notification'))('is an error of %s', async (field) => {
    gateway.injectFaults({ status: 404, body });
    expect(await send(field)).toEqual(failedField(field, { status: 404, serviceMessages }));
  });
});

describe('the time after which another try makes sense', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each<[status: number, header: string, seconds: number]>([
    [429, '7', 7],
    [429, '0', 0],
    [429, '86400', 86_400],
    [429, 'Wed, 21 Oct 2015 07:30:00 GMT', 120],
    [429, 'Wed, 21 Oct 2015 07:27:00 GMT', 0],
    [503, '7', 7],
    [503, 'Wed, 21 Oct 2015 08:28:00 GMT', 3600],
  ])('of %i with Retry-After: %s is %i seconds', async (status, header, retryAfterSeconds) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2015-10-21T07:28:00Z') });
    for (const field of ['notification', 'deleteNotification'] as const) {
      gateway.injectFaults({ status, headers: { 'retry-after': header } });
      expect(await send(field)).toEqual(failedField(field, { status, retryAfterSeconds }));
    }
  });

  test.each(['soon', '1e3', '-5', '1.5'])('is not told where the service does not: %j', async (header) => {
    gateway.injectFaults({ status: 429, headers: { 'retry-after': header } });
    expect(await send('deleteNotification')).toEqual(failedField('deleteNotification', { status: 429 }));
  });
});

describe('of the body of a refusal, the messages alone are shown', () => {
  test.each<
    [what: string, answer: { body: string | Buffer; headers?: Record<string, string> }, shown?: unknown[]]
  >([
    ['none', { body: '{"messages":[]}' }],
    ['no list', { body: '{"messages":{"message":"no"}}' }],
    ['null', { body: '{"messages":null}' }],
    ['a null message', { body: '{"messages":[null,"no"]}' }, ['no']],
    ['any JSON', { body: '{"messages":[[{}],false,0,""]}' }, [[{}], false, 0, '']],
    [
      'a message with odd keys',
      { body: '{"messages":[{"__proto__":1,"":2}]}' },
      [JSON.parse('{"__proto__":1,"":2}')],
    ],
    ['of a list', { body: '["no"]' }],
    ['of no JSON', { body: '<p>no</p>' }],
    ['of broken UTF-8', { body: Buffer.from('7b226d65737361676573223a5b22ff225d7d', 'hex') }],
    ['of another type', { body, headers: { 'content-type': 'text/html' } }],
    [
      'of a problem document',
      { body, headers: { 'content-type': 'application/problem+json' } },
      serviceMessages,
    ],
  ])('%s', async (_what, answer, shown) => {
    gateway.injectFaults({ status: 422, ...answer });
    expect(await send('deleteNotification')).toEqual(
      failedField('deleteNotification', { status: 422, ...(shown && { serviceMessages: shown }) }),
    );
  });
});

async function send(field: FieldName) {
  const { data, errors, calls } = await executeAndRecord(gateway, asVariables(field, validArguments(field)));
  return { data, errors, restCalls: calls.length };
}

/** The whole answer of an operation whose one REST call failed. */
function failedField(field: FieldName, details: { status: number } & Record<string, unknown>) {
  const { code, message, isTransient, outcome } = meaningOf(details.status);
  const verdict = isMutation(field)
    ? { outcome, retryable: isTransient && outcome === 'NOT_APPLIED' }
    : { retryable: isTransient };
  const error: PresentedError = { message, path: [field], extensions: { code, ...verdict, ...details } };
  return { data: field === 'notifications' ? null : { [field]: null }, errors: [error], restCalls: 1 };
}
