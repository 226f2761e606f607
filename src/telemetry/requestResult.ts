/** Results of GraphQL requests: the base of a service level objective. */
import { ErrorCode } from '../errors.js';
import type { RequestSummary } from './events.js';
import { dependencyFailureCodes } from './failure.js';

/** From best to worst, apart from `disconnected`: whatever happened, that client received nothing. */
export const requestResults = [
  'success',
  'client_error',
  'service_error',
  'internal_error',
  'disconnected',
] as const;
export type RequestResult = (typeof requestResults)[number];

/** The result of a request by the worst error in its response. */
export function resultOf({ status, errorCodes }: RequestSummary): RequestResult {
  if (status === undefined) return 'disconnected';
  if (errorCodes.length === 0) return 'success';
  if (errorCodes.some((code) => code === ErrorCode.InternalServerError)) return 'internal_error';
  return errorCodes.some((code) => dependencyFailureCodes.has(code)) ? 'service_error' : 'client_error';
}
