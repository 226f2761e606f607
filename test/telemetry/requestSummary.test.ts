import { expect, test } from 'vitest';
import type { ErrorCode } from '../../src/errors.js';
import { requestErrorType, resultOf } from '../../src/telemetry/requestSummary.js';

/** The codes of one response, whose worst one counts. No client can cause INTERNAL_SERVER_ERROR. */
const responses: [result: string, errorCodes: ErrorCode[]][] = [
  ['success', []],
  ['client_error', ['BAD_USER_INPUT']],
  ['service_error', ['SERVICE_TIMEOUT']],
  ['service_error', ['NOT_FOUND', 'SERVICE_UNAVAILABLE']],
  ['service_error', ['IDEMPOTENCY_UNAVAILABLE']],
  ['internal_error', ['INTERNAL_SERVER_ERROR']],
  ['internal_error', ['SERVICE_ERROR', 'INTERNAL_SERVER_ERROR', 'NOT_FOUND']],
];

function resultWith(status: number | undefined, errorCodes: ErrorCode[]) {
  const summary = { requestId: 'any', method: 'POST', durationMs: 1, restCalls: 1, status, errorCodes };
  return resultOf({ summary, errorType: requestErrorType(summary), isGraphQL: true, scheme: 'http' });
}

test.each(responses)('a request is counted as %s after the errors %j', (result, errorCodes) => {
  expect(resultWith(200, errorCodes)).toBe(result);
});

test('a request whose client disconnected is counted as that, whatever its errors', () => {
  expect(resultWith(undefined, ['SERVICE_ERROR'])).toBe('disconnected');
});
