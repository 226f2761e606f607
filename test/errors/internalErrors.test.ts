import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import { createGateway, type Gateway } from '../../src/gateway.js';
import { startMockService } from '../../src/mock/mockService.js';
import { post } from '../support/http/post.js';
import { SEED_GUID, validArguments, asVariables, type Operation } from '../support/graphql/rootFields.js';
import { until } from '../support/tools/waiting.js';
import { useStarted } from '../support/tools/useStarted.js';

describe('An internal error is masked in the response and logged in full', () => {
  const message = 'canary of an internal error';
  const logLines: Record<string, unknown>[] = [];
  let gateway: Gateway;
  let url: string;

  const service = useStarted(startMockService);
  beforeAll(async () => {
    const config = parseConfig({ SERVICE_URL: service.url, PORT: '0', NODE_ENV: 'production' });
    // parseConfig never returns such a path: the code that uses it throws.
    const throwingPath = {
      replaceAll() {
        throw new TypeError(message);
      },
    } as unknown as string;
    gateway = await createGateway({
      config: {
        ...config,
        SERVICE_URL: new URL(service.url),
        service: { ...config.service, notificationsPath: throwingPath },
      },
      log: pino(
        { level: 'warn' },
        { write: (line: string) => logLines.push(JSON.parse(line) as (typeof logLines)[0]) },
      ),
    });
    url = await gateway.listen();
  });
  afterAll(() => gateway.stop());

  test.each([
    ['notifications', { notifications: null }, { retryable: false }],
    ['createNotification', { createNotification: null }, { outcome: 'UNKNOWN', retryable: false }],
  ] as const)('for %s', async (field, data, effect) => {
    logLines.length = 0;
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
    await until(() => logLines.length === 2);
    expect(logLines).toEqual([
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
    expect(service.calls).toEqual([]);
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
    expect(service.calls.map(({ method }) => method)).toEqual(['DELETE']);
  });

  const send = (operation: Operation) => post(url, operation, { headers: { 'x-request-id': 'order-7' } });
});
