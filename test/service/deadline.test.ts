import { expect, test, vi } from 'vitest';
import { LIST } from '../support/graphql/documents.js';
import { fieldError } from '../support/graphql/fieldError.js';
import { startGateway } from '../support/gateway/gateway.js';

// Each attempt alone stays below the timeout, and the retry budget would allow a fourth one.
test('a call and its retries share one deadline', async () => {
  const gateway = await startGateway({ env: { SERVICE_TIMEOUT_MS: '1500', SERVICE_RETRIES: '10' } });
  // No backoff between attempts.
  vi.spyOn(Math, 'random').mockReturnValue(0);
  try {
    gateway.injectFault({ delayMs: 600, status: 503 });
    const { data, errors } = await gateway.execute(LIST);
    expect({ data, errors }).toEqual({
      data: null,
      errors: [
        fieldError(LIST, ['notifications'], 'The service did not respond in time', {
          code: 'SERVICE_TIMEOUT',
          retryable: true,
        }),
      ],
    });
    expect(gateway.takeCalls().map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(3).fill('GET /v1/customnotifications'),
    );
  } finally {
    vi.restoreAllMocks();
    await gateway.stop();
  }
});
