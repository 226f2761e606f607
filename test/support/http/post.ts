/** The client of the tests: sends GraphQL requests over HTTP, and parses what comes back. */

/** The bearer token that requests send by default. Its characters are all that RFC 6750 permits. */
export const TOKEN = 'a-token.of~the_client+/==';

export interface GraphQLResponse {
  status: number;
  headers: Headers;
  /** The raw body. */
  text: string;
  data: unknown;
  errors: readonly GraphQLResponseError[] | undefined;
  extensions: Record<string, unknown> | undefined;
}

export interface GraphQLResponseError {
  message: string;
  locations?: readonly object[];
  path?: readonly (string | number)[];
  extensions: Record<string, unknown>;
}

export interface PostOptions {
  /** Null sends no Authorization header. @default TOKEN */
  token?: string | null;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Sends an object as JSON, and any other body as it is. */
export async function post(
  url: string | URL,
  body: object | string,
  { token = TOKEN, headers, signal }: PostOptions = {},
): Promise<GraphQLResponse> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const { data, errors, extensions } = JSON.parse(text) as Partial<GraphQLResponse>;
  return { status: response.status, headers: response.headers, text, data, errors, extensions };
}
