import { describe, expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { SEED_GUID, validArguments, asVariables, type Operation } from '../support/graphql/rootFields.js';
import { until } from '../support/tools/waiting.js';

describe('An internal error is masked in the response and logged in full', () => {
  const message = 'canary of an internal error';
  // parseConfig never returns such a path: the code that uses it throws.
  const throwingPath = {
    replaceAll() {
      throw new TypeError(message);
    },
  } as unknown as string;
  const gateway = useGateway({ config: { service: { notificationsPath: throwingPath } } });

  test.each([
    ['notifications', { notifications: null }, { retryable: false }],
    ['createNotification', { createNotification: null }, { outcome: 'UNKNOWN', retryable: false }],
  ] as const)('for %s', async (field, data, effect) => {
    gateway.logLines.length = 0;
    const response = await send(asVariables(field, validArguments(field)));
    expect({ data: response.data, errors: response.errors }).toEqual({
      data,
      errors: [
        {
          message: 'Internal server error',
          locations: [{ line: 1, column: expect.any(Number) as number }],
          path: [field],
          extensions: { code: 'INTERNAL_SERVER_ERROR', ...effect, requestId: 'order-7' },
        },
      ],
    });
    await until(() => gateway.logLines.length === 2);
    expect(gateway.logLines).toEqual([
      expect.objectContaining({
        level: 50,
        msg: 'Unexpected error',
        requestId: 'order-7',
        err: expect.objectContaining({ type: 'TypeError', message }) as unknown,
      }),
      expect.objectContaining({
        level: 50,
        msg: 'Request',
        requestId: 'order-7',
        errorCodes: ['INTERNAL_SERVER_ERROR'],
      }),
    ]);
    expect(gateway.takeCalls()).toEqual([]);
  });

  test('and does not affect another field of the mutation', async () => {
    const { query, variables = {} } = asVariables('createNotification', validArguments('createNotification'));
    const twoFields = query.replace(
      /}$/,
      `deleteNotification(notificationGuid: "${SEED_GUID}") { notificationGuid } }`,
    );
    const { data, errors } = await send({ query: twoFields, variables });
    expect(data).toEqual({ createNotification: null, deleteNotification: { notificationGuid: SEED_GUID } });
    expect(errors?.map(({ path }) => path)).toEqual([['createNotification']]);
    expect(gateway.takeCalls().map(({ method }) => method)).toEqual(['DELETE']);
  });

  test('in an item of a list, whose outcome is unknown', async () => {
    gateway.logLines.length = 0;
    const { data, errors } = await send({
      query: `mutation ($items: [CreateNotificationItem!]!) {
        createNotifications(items: $items) { results { outcome errors { code } } applied notApplied unknown }
      }`,
      variables: { items: [validArguments('createNotification')] },
    });
    expect(data).toEqual({
      createNotifications: { results: [null], applied: 0, notApplied: 0, unknown: 1 },
    });
    expect(errors?.map(({ path, extensions }) => ({ path, extensions }))).toEqual([
      {
        path: ['createNotifications', 'results', 0],
        extensions: {
          code: 'INTERNAL_SERVER_ERROR',
          outcome: 'UNKNOWN',
          retryable: false,
          requestId: 'order-7',
        },
      },
    ]);
    await until(() => gateway.logLines.length === 2);
    expect(gateway.logLines[1]).toMatchObject({
      outcome: 'UNKNOWN',
      errorCodes: ['INTERNAL_SERVER_ERROR'],
      items: { total: 1, unknown: 1, failed: 1, errorCodes: ['INTERNAL_SERVER_ERROR'] },
    });
    expect(gateway.takeCalls()).toEqual([]);
  });

  const send = (operation: Operation) =>
    gateway.execute(operation, { headers: { 'x-request-id': 'order-7' } });
});
