import { ErrorCode } from '../../errorCodes.js';
import { RequestError } from '../errors/requestError.js';
import type { RequestParams } from '../requestParams.js';

/**
 * Throws a RequestError for a document of too many lines, before it is parsed: the parser scans all lines to locate each
 * error, and the token limit does not count whitespace and comments.
 */
export function enforceLineLimit({ query }: RequestParams, maxLines: number): void {
  if (typeof query !== 'string' || query.length < maxLines || countLines(query, maxLines + 1) <= maxLines)
    return;
  throw new RequestError({
    status: 400,
    code: ErrorCode.QueryTooComplex,
    message: `Expected a document of at most ${maxLines} lines`,
    outcome: 'NOT_APPLIED',
  });
}

/** The number of lines (GraphQL specification, section 2.1.2), counted up to a limit. */
function countLines(document: string, limit: number): number {
  return document.split(/\r\n|[\n\r]/, limit).length;
}
