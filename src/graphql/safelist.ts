import { ErrorCode } from '../errors.js';
import { HttpStatus, RequestError } from './responses.js';
import type { OperationManifest } from './operationManifest.js';
import type { RequestParams } from './requestParams.js';

/** Throws a RequestError for the text of an operation that the manifest does not list, before it is parsed. */
export function enforceSafelist({ includes }: OperationManifest, { query }: RequestParams): void {
  if (query === undefined || query === null) return;
  if (typeof query === 'string' && includes(query)) return;
  throw new RequestError({
    status: HttpStatus.Forbidden,
    code: ErrorCode.QueryNotInSafelist,
    message: 'Operation is not on the safelist',
    outcome: 'NOT_APPLIED',
  });
}
