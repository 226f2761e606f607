import type { RestCall } from '../../../src/mock/mockService.js';
import { TOKEN } from '../gateway/gateway.js';

/** The parts of a REST call that the service acts on, its body parsed. */
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

/** The expected summary of a call. */
export function restCall(
  method: string,
  path: string,
  {
    query = '',
    body,
    token = TOKEN,
  }: {
    query?: string;
    /** The JSON body; undefined for none. */
    body?: unknown;
    /** Null for a call without an Authorization header. */
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
