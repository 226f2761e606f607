import type { MockService } from '../../src/mock/mockService.js';

export interface ServiceResponse {
  status: number;
  type: string | null;
  body: unknown;
}

export const token = { authorization: 'Bearer any-token' };

/** Sends one request. A body that is not a string is serialized as JSON. */
export async function send(
  service: MockService,
  method: string,
  path: string,
  options: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<ServiceResponse> {
  const { body, headers = token } = options;
  const response = await fetch(service.url + path, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** A response with a JSON body. */
export function json(status: number, body: unknown): ServiceResponse {
  return { status, type: 'application/json; charset=utf-8', body };
}
