import { describe, expect, test } from 'vitest';
import { executeAndRecord } from '../support/gateway/executeAndRecord.js';
import { useGateway } from '../support/gateway/gateway.js';
const gateway = useGateway();

describe('The service is not called if the Authorization header is', () => {
  const message = 'Expected the header "Authorization: Bearer <token>"';

  test.each<[problem: string, headers: Record<string, string>]>([
    ['missing', {}],
    ['empty', { authorization: '' }],
    ['without a token', { authorization: 'Bearer' }],
    ['of another scheme', { authorization: 'Basic YTpi' }],
    ['one with two tokens', { authorization: 'Bearer a b' }],
    ['one with a comma', { authorization: 'Bearer a,b' }],
    ['one with non-ASCII letters', { authorization: 'Bearer \u00e9' }],
    ['without a scheme', { authorization: 'a-token' }],
  ])('%s', async (_problem, headers) => {
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
