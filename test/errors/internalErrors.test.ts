import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.js';
import { createGateway, type Gateway } from '../../src/gateway.js';
import {
  startReferenceService,
  type ReferenceService,
} from '../../src/reference-service/referenceService.js';
import { TOKEN, type GraphQLResponse } from '../support/gateway/gateway.js';
import { SEED_GUID, validArguments, asVariables, type Operation } from '../support/graphql/rootFields.js';

describe('a defect of the gateway is masked for callers, and logged for operators', () => {
  const defect = 'canary of a defect';
  const logLines: Record<string, unknown>[] = [];
  let service: ReferenceService;
  let gateway: Gateway;
  let url: string;

  beforeAll(async () => {
    service = await startReferenceService();
    const config = parseConfig({ SERVICE_URL: service.url, PORT: '0', NODE_ENV: 'production' });
    // A configuration that cannot be, so that the code behind it breaks.
    const brokenPath = {
      toString() {
        throw new TypeError(defect);
      },
    } as unknown as string;
    gateway = await createGateway({
      config: { ...config, SERVICE_URL: new URL(service.url), NOTIFICATIONS_PATH: brokenPath },
      log: pino(
        { level: 'warn' },
        { write: (line: string) => logLines.push(JSON.parse(line) as (typeof logLines)[0]) },
      ),
    });
    url = await gateway.listen();
  });
  afterAll(async () => {
    await gateway.stop();
    await service.stop();
  });

  test.each([
    ['notifications', null, { retryable: false }],
    ['createNotification', { createNotification: null }, { outcome: 'UNKNOWN', retryable: false }],
  ] as const)('of %s', async (field, data, verdict) => {
    logLines.length = 0;
    const answer = await post(asVariables(field, validArguments(field)));
    expect(answer).toEqual({
      data,
      errors: [
        {
          message: 'Internal server error',
          locations: [{ line: 1, column: expect.any(Number) as number }],
          path: [field],
          extensions: { code: 'INTERNAL_SERVER_ERROR', ...verdict, requestId: 'order-7' },
        },
      ],
    });
    expect(logLines).toEqual([
      expect.objectContaining({
        level: 50,
        msg: 'Unexpected error',
        requestId: 'order-7',
        err: expect.objectContaining({ type: 'TypeError', message: defect }) as unknown,
      }),
    ]);
    expect(service.calls).toEqual([]);
  });

  test('and leaves the result of another mutation standing', async () => {
    const { query, variables = {} } = asVariables('createNotification', validArguments('createNotification'));
    const both = query.replace(
      /}$/,
      `deleteNotification(notificationGuid: "${SEED_GUID}") { notificationGuid } }`,
    );
    const { data, errors } = await post({ query: both, variables });
    expect(data).toEqual({ createNotification: null, deleteNotification: { notificationGuid: SEED_GUID } });
    expect(errors?.map(({ path }) => path)).toEqual([['createNotification']]);
    expect(service.calls.map(({ method }) => method)).toEqual(['DELETE']);
  });

  async function post(operation: Operation): Promise<Pick<GraphQLResponse, 'data' | 'errors'>> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-request-id': 'order-7',
        authorization: `Bearer ${TOKEN}`,
      },
      body: JSON.stringify(operation),
    });
    return (await response.json()) as Pick<GraphQLResponse, 'data' | 'errors'>;
  }
});
