/** Whether a request failed through no fault of its client: decides the level of its log line and the status of its span. */
import { ErrorCode } from '../errors.js';
import type { RequestSummary } from './events.js';

/** Codes of failures of what the gateway depends on. Not SERVICE_REJECTED: the service rejected what the client sent. */
export const dependencyFailureCodes: ReadonlySet<string> = new Set([
  ErrorCode.ServiceUnavailable,
  ErrorCode.ServiceTimeout,
  ErrorCode.ServiceError,
  ErrorCode.ServiceResponseInvalid,
  ErrorCode.IdempotencyUnavailable,
]);

/**
 * The code of the failure, or else the status of the response; undefined if the request succeeded or its client is to blame. A
 * client that disconnects makes its reads fail, which counts as no failure.
 */
export function failureOf({
  status,
  errorCodes,
  outcome,
}: Pick<RequestSummary, 'errorCodes' | 'outcome' | 'status'>): string | undefined {
  if (errorCodes.includes(ErrorCode.InternalServerError)) return ErrorCode.InternalServerError;
  const isUnknown = outcome === 'UNKNOWN';
  if (status === undefined && !isUnknown) return undefined;
  const code =
    errorCodes.find((each) => dependencyFailureCodes.has(each)) ?? (isUnknown ? errorCodes[0] : undefined);
  return code ?? (status !== undefined && status >= 500 ? String(status) : undefined);
}
