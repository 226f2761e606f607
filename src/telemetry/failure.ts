/** Whether a request failed through no fault of its client: decides the level of its log line and the status of its span. */
import { ErrorCode } from '../errorCodes.js';
import type { RequestSummary } from './events.js';

/** Codes of the service's failures. SERVICE_REJECTED is not one: the service rejected what the client sent. */
export const serviceFailureCodes: ReadonlySet<string> = new Set([
  ErrorCode.ServiceUnavailable,
  ErrorCode.ServiceTimeout,
  ErrorCode.ServiceError,
  ErrorCode.ServiceResponseInvalid,
]);
const failureCodes = new Set<string>([...serviceFailureCodes, ErrorCode.IdempotencyUnavailable]);

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
  const code = errorCodes.find((each) => failureCodes.has(each)) ?? (isUnknown ? errorCodes[0] : undefined);
  return code ?? (status !== undefined && status >= 500 ? String(status) : undefined);
}
