/** The bearer tokens that make the mock service fail, through the gateway: every failure that a client can meet. */
import { describe, expect, test } from 'vitest';
import { readNotifications } from '../../src/mock/notifications.js';
import { CREATE, DELETE_EXCEPTION, LIST, TRACK } from '../support/graphql/documents.js';
import { useGateway } from '../support/gateway/gateway.js';

const identity = {
  shipment: { hauler: { freightProviderReferenceNumber: 'REF-1008', freightHaulerProviderXid: 'XID-2008' } },
  carrier: { scac: 'EXMD' },
};
const tracking = { ...identity, driverPhoneNumber: '(303) 555-0110', shipmentTrackingType: 'Mobile' };
const exception = { ...identity, target: { exceptionGuid: 'e0000000-0000-4000-8000-000000000801' } };

const said = (message: string) => ({ serviceMessages: [{ message }] });
const invalid = { code: 'SERVICE_RESPONSE_INVALID', status: 200 };
const unknown = { outcome: 'UNKNOWN', retryable: false };

/** Per token: the extensions of the error of a query, and those of a mutation. */
const failures = (
  [
    ['demo-401', { code: 'UNAUTHENTICATED', status: 401, ...said('The bearer token has expired.') }],
    ['demo-403', { code: 'FORBIDDEN', status: 403, ...said('The user may not do this.') }],
    ['demo-404', { code: 'NOT_FOUND', status: 404, ...said('There is no such resource.') }],
    ['demo-409', { code: 'CONFLICT', status: 409, ...said('The resource has changed in the meantime.') }],
    [
      'demo-429',
      {
        code: 'RATE_LIMITED',
        status: 429,
        retryable: true,
        retryAfterSeconds: 30,
        ...said('There are too many requests.'),
      },
    ],
    [
      'demo-500',
      {
        code: 'SERVICE_ERROR',
        status: 500,
        retryable: true,
        ...said('The request could not be completed.'),
      },
      unknown,
    ],
    ['demo-slow', { code: 'SERVICE_TIMEOUT', retryable: true }, unknown],
    ['demo-hangup', { code: 'SERVICE_ERROR', retryable: true }, unknown],
    [
      'demo-problem',
      {
        code: 'SERVICE_REJECTED',
        status: 400,
        serviceMessages: ['Invalid request', 'The request has expired.'],
      },
    ],
    ['demo-refused', { ...invalid, ...said('The carrier is unknown.') }, unknown],
    ['demo-garbage', { ...invalid, serviceMessages: ['none'] }, unknown],
    ['demo-login', invalid, unknown],
    ['demo-proxy', { ...invalid, status: 404 }],
  ] as [token: string, error: { code: string }, mutation?: object][]
).map(([token, error, mutation]) => ({
  token,
  error: { retryable: false, ...error },
  mutation: { outcome: 'NOT_APPLIED', ...mutation },
}));

describe('With the bearer token', () => {
  const gateway = useGateway();
  const fastGateway = useGateway({ env: { SERVICE_TIMEOUT_MS: '200' } });

  const extensionsOf = async (token: string, query: string, variables?: Record<string, unknown>) => {
    const { errors = [] } = await (token === 'demo-slow' ? fastGateway : gateway).execute(query, {
      token,
      ...(variables && { variables }),
    });
    return errors.map(({ extensions }) => extensions);
  };
  const requestId = expect.any(String) as string;

  test.each(failures)('$token, a query fails with $error.code', async ({ token, error }) => {
    expect(await extensionsOf(token, LIST)).toEqual([{ ...error, requestId }]);
  });

  test.each(failures)('$token, tracking fails with $error.code', async ({ token, error, mutation }) => {
    expect(await extensionsOf(token, TRACK, { input: tracking })).toEqual([
      { ...error, ...mutation, requestId },
    ]);
  });

  test('demo-202, queries succeed, and writes have an unknown outcome', async () => {
    const token = 'demo-202';
    expect(await gateway.data(LIST, { token })).toHaveProperty('notifications');
    for (const [query, input] of [
      [TRACK, tracking],
      [DELETE_EXCEPTION, exception],
    ] as const)
      expect(await extensionsOf(token, query, { input })).toEqual([
        { ...invalid, status: 202, ...unknown, requestId },
      ]);
  });

  test.each(['demo', 'demo-418', 'demo-toString', 'demo-500x'])('%s, nothing fails', async (token) => {
    expect(await gateway.data(LIST, { token })).toHaveProperty('notifications');
  });
});

describe('With the bearer token demo-several,', () => {
  const gateway = useGateway();
  const input = {
    notificationName: 'Dock team',
    recipient: { stopLevel: { notifyStopContactsByEmail: true, notifyStopContactsBySms: false } },
    trigger: { shipmentStatusChange: ['DELIVERED'] },
  };

  test('the outcome of a creation is unknown, with the candidates', async () => {
    const { errors } = await gateway.execute(CREATE, { token: 'demo-several', variables: { input } });
    expect(errors?.map(({ extensions }) => extensions)).toMatchObject([
      {
        code: 'SERVICE_RESPONSE_INVALID',
        outcome: 'UNKNOWN',
        candidates: ['0c0ffee0-0000-4000-8000-000000000001', '0c0ffee0-0000-4000-8000-000000000002'],
      },
    ]);
  });
});

describe('With the bearer token demo-unreadable,', () => {
  const gateway = useGateway();
  const options = { token: 'demo-unreadable' };

  test('one notification of the list cannot be read, and the list has no count', async () => {
    const [first, second, third] = readNotifications();
    expect(
      await gateway.data(
        '{ notifications { notifications { notificationName } unreadable { index notificationGuid problem } totalPossibleCount } }',
        options,
      ),
    ).toEqual({
      notifications: {
        notifications: [first, third].map((record) => ({ notificationName: record?.notificationName })),
        unreadable: [
          {
            index: 1,
            notificationGuid: second?.notificationGuid,
            problem: '/data/1/notificationName: expected a string, got null',
          },
        ],
        totalPossibleCount: null,
      },
    });
    const { errors } = await gateway.execute(LIST, options);
    expect(errors).toMatchObject([{ extensions: { code: 'SERVICE_RESPONSE_INVALID', status: 200 } }]);
  });
});
