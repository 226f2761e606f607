import { ErrorCode } from '../../errors.js';
import { HttpStatus, RequestError } from '../responses.js';
import type { RequestParams } from '../requestParams.js';

/**
 * Throws a RequestError for a document of very many lines, before it is parsed: the parser walks the lines to locate each
 * error, and neither white space nor comments count as tokens. The texts of a manifest are the operator's own and exempt.
 */
export function enforceLineLimit({ query }: RequestParams, maxLines: number): void {
  if (typeof query !== 'string' || query.length < maxLines || countLines(query, maxLines + 1) <= maxLines)
    return;
  throw new RequestError({
    status: HttpStatus.UnprocessableContent,
    code: ErrorCode.QueryTooComplex,
    message: `Expected a document of at most ${maxLines} lines`,
    outcome: 'NOT_APPLIED',
  });
}

/** The number of lines (GraphQL specification, section 2.1.2), counted up to a limit. */
function countLines(document: string, limit: number): number {
  return document.split(/\r\n|[\n\r]/, limit).length;
}
