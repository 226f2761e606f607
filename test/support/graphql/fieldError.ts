import { expect } from 'vitest';

/** The whole error of a field. `path` starts with the name of the root field, whose first occurrence is the location. */
export function fieldError(
  document: string,
  path: readonly [string, ...(string | number)[]],
  message: string,
  extensions: Record<string, unknown>,
) {
  const column = document.search(new RegExp(`\\b${path[0]}\\b`)) + 1;
  return {
    message,
    locations: [{ line: 1, column }],
    path,
    extensions: { ...extensions, requestId: expect.any(String) as string },
  };
}

/** The whole error of a request that is rejected before there is an operation. */
export function requestError(
  message: string,
  extensions: object = {},
  requestId: unknown = expect.any(String),
) {
  return {
    message,
    extensions: { code: 'BAD_REQUEST', outcome: 'NOT_APPLIED', retryable: false, ...extensions, requestId },
  };
}

/** Messages of the errors for failed REST calls. */
export const serviceErrorMessages = {
  forbidden: 'The service does not permit this operation',
  notFound: 'No resource matches these identifiers',
  failed: 'The service failed to process the request',
  accepted: 'The service accepted the request, but has not completed it',
  partial: 'The response is only part of the resource',
  multiStatus: 'The response has a status for each of several resources',
  unproven: 'The response does not prove that the write was applied',
  refuted: (status: number) => `The response reports a failure, with the status ${status}`,
  notJson: 'The response is not JSON',
  html: 'The response is HTML',
  noToken: 'Expected the header "Authorization: Bearer <token>"',
  requiredToken: 'Expected the header "Authorization: Bearer <token>", got another value',
  malformedToken: 'Expected the header "Authorization: Bearer <token>", or none, got another value',
  misshapen: (problem: string) => `The response does not match the contract: ${problem}`,
} as const;
