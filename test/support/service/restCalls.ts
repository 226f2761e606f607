import type { RestCall } from '../../../src/reference-service/referenceService.js';
import { TOKEN } from '../gateway/gateway.js';

/** What a REST call says to the service; the body is parsed. */
export interface RestCallSummary {
  method: string;
  path: string;
  query: string;
  authorization: string | undefined;
  accept: string | undefined;
  contentType: string | undefined;
  body: unknown;
}

export function summariesOf(calls: readonly RestCall[]): RestCallSummary[] {
  return calls.map(({ method, path, query, headers, body }) => ({
    method,
    path,
    query,
    authorization: headers.authorization,
    accept: headers.accept,
    contentType: headers['content-type'],
    body: body === '' ? undefined : (JSON.parse(body) as unknown),
  }));
}

/** The summary of a call as it has to be. */
export function restCall(
  method: string,
  path: string,
  {
    query = '',
    body,
    token = TOKEN,
  }: {
    query?: string;
    /** Value of the JSON body; none when undefined. */
    body?: unknown;
    /** Null stands for a call without an Authorization header. */
    token?: string | null;
  } = {},
): RestCallSummary {
  return {
    method,
    path,
    query,
    authorization: token === null ? undefined : `Bearer ${token}`,
    accept: 'application/json',
    contentType: body === undefined ? undefined : 'application/json',
    body,
  };
}
