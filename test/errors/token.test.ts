import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('without a well-formed token, the service is not called', () => {
  const message = 'Expected the header "Authorization: Bearer <token>"';

  test.each<[what: string, headers: Record<string, string>]>([
    ['none', {}],
    ['empty', { authorization: '' }],
    ['no token', { authorization: 'Bearer' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['two tokens', { authorization: 'Bearer a b' }],
    ['a comma', { authorization: 'Bearer a,b' }],
    ['an equals sign within', { authorization: 'Bearer a=b' }],
    ['letters beyond ASCII', { authorization: 'Bearer \u00e9' }],
    ['no scheme', { authorization: 'a-token' }],
  ])('%s', async (_what, headers) => {
    const options = { token: null, headers };
    const guid = '(notificationGuid: "a")';
    expect(
      await executeAndRecord(gateway, { query: `{ notification${guid} { notificationGuid } }` }, options),
    ).toEqual({
      status: 200,
      data: { notification: null },
      errors: [
        { message, path: ['notification'], extensions: { code: 'UNAUTHENTICATED', retryable: false } },
      ],
      calls: [],
    });
    expect(
      await executeAndRecord(
        gateway,
        { query: `mutation { deleteNotification${guid} { messages } }` },
        options,
      ),
    ).toEqual({
      status: 200,
      data: { deleteNotification: null },
      errors: [
        {
          message,
          path: ['deleteNotification'],
          extensions: { code: 'UNAUTHENTICATED', outcome: 'NOT_APPLIED', retryable: false },
        },
      ],
      calls: [],
    });
  });
});
