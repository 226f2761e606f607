import type { RestCall } from '../../../src/mock/mockService.js';
import { TOKEN } from '../gateway/gateway.js';

export type RestCallSummary = ReturnType<typeof summariesOf>[number];

/** The parts of REST calls that the service acts on, their bodies parsed. */
export function summariesOf(calls: readonly RestCall[]) {
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

/** The expected summary of a call, without a body or a token if that is undefined or null. */
export function restCall(
  method: string,
  path: string,
  { query = '', body, token = TOKEN }: { query?: string; body?: unknown; token?: string | null } = {},
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
