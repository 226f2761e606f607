/** Browser access to the gateway in development, in production, and with CORS_ORIGINS. */
import { describe, expect, test } from 'vitest';
import { useGateway, type TestGateway } from '../support/gateway/gateway.js';

const SANDBOX = 'https://studio.apollographql.com';
const EMBEDDED_SANDBOX = 'https://sandbox.embed.apollographql.com';
const PAGE = 'https://app.example.com';
/** Origins of pages that are not loaded over HTTP: apps and extensions. */
const APPS = ['capacitor://localhost', 'tauri://localhost', 'chrome-extension://extension-id'];
const EXPOSED =
  'retry-after, traceparent, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, x-request-id';
/** Headers of HTTP, CORS and the request's id. */
const OF_THE_MESSAGE =
  /^(?:access-control-.+|allow|connection|content-length|content-type|date|keep-alive|vary|x-request-id)$/;

const REQUEST_HEADERS =
  'content-type,authorization,x-request-id,idempotency-key,x-client-key,x-client-authorization';

const origins = [
  PAGE,
  'http://localhost:3000',
  ...APPS,
  'https://*.pages.example',
  'https://*.dev.example:8443',
];
const development = useGateway({ env: { NODE_ENV: 'development' } });
const production = useGateway();
const configured = useGateway({ env: { CORS_ORIGINS: origins.join(', ') } });

const gateways: [name: string, gateway: TestGateway, allowed: string[], denied: string[]][] = [
  [
    'In development',
    development,
    [
      SANDBOX,
      EMBEDDED_SANDBOX,
      'http://localhost:3000',
      'https://localhost',
      'http://127.0.0.1:8080',
      'http://[::1]:80',
    ],
    [
      PAGE,
      'https://localhost.example.com',
      'https://studio.apollographql.com.example.com',
      'http://127.0.0.1.example',
      'null',
      `${SANDBOX}:444`,
    ],
  ],
  ['In production', production, [], [SANDBOX, EMBEDDED_SANDBOX, PAGE, 'http://localhost:3000', 'null']],
  [
    'With CORS_ORIGINS',
    configured,
    [
      PAGE,
      'http://localhost:3000',
      ...APPS,
      'https://a.pages.example',
      'https://pr-1.a.xn--bcher-kva.pages.example',
      'https://a.dev.example:8443',
    ],
    [
      'capacitor://localhost.example',
      'capacitor://app',
      'https://pages.example',
      'https://.pages.example',
      'https://a..pages.example',
      'https://apages.example',
      'https://a.pages-example',
      'https://a.pages.example.evil.example',
      'https://evil.example/.pages.example',
      'https://evil.example?.pages.example',
      'https://evil.example#.pages.example',
      'https://evil@a.pages.example',
      'https://a.pages.example:444',
      'http://a.pages.example',
      'https://*.pages.example',
      'https://a.dev.example',
      SANDBOX,
      EMBEDDED_SANDBOX,
      'http://localhost:3001',
      'http://app.example.com',
      `${PAGE}.other`,
      'null',
    ],
  ],
];

describe.each(gateways)('%s', (_mode, gateway, allowed, denied) => {
  test.each(allowed)('the gateway allows cross-origin requests from %s', async (origin) => {
    const { status, headers } = await preflight(gateway, origin);
    expect({ status, ...corsHeaders(headers) }).toEqual({
      status: 204,
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': REQUEST_HEADERS,
      'access-control-expose-headers': EXPOSED,
      'access-control-max-age': '600',
    });
    const response = await query(gateway, { origin });
    expect({ status: response.status, ...corsHeaders(response.headers) }).toEqual({
      status: 200,
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED,
    });
    expect(response.headers.get('vary')).toMatch(/\bOrigin\b/);
  });

  test.each(denied)('the gateway denies cross-origin requests from %s', async (origin) => {
    for (const { headers } of [await preflight(gateway, origin), await query(gateway, { origin })])
      expect(corsHeaders(headers)['access-control-allow-origin']).toBeUndefined();
  });

  test('every response has the security headers, whether or not it is a GraphQL response', async () => {
    const { url } = gateway;
    const responses = [
      await query(gateway),
      await fetch(url, { method: 'PUT' }),
      await fetch(url, { method: 'OPTIONS' }),
      await fetch(new URL('/elsewhere', url)),
      await fetch(new URL('/livez', url)),
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 405, 405, 404, 200, 400]);
    for (const { headers } of responses)
      expect(Object.fromEntries([...headers].filter(([name]) => !OF_THE_MESSAGE.test(name)))).toEqual({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'strict-transport-security': 'max-age=31536000',
        'x-content-type-options': 'nosniff',
      });
  });

  test('the response to an invalid URL has the most important security headers', async () => {
    const { status, headers } = await fetch(new URL('/%ff', gateway.url));
    expect({ status, headers: Object.fromEntries(headers) }).toMatchObject({
      status: 400,
      headers: {
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String) as string,
      },
    });
  });
});

describe('Introspection, suggestions and Sandbox', () => {
  const introspection = '{ __schema { queryType { name } } }';

  test('are available in development', async () => {
    expect((await development.execute(introspection)).data).toEqual({
      __schema: { queryType: { name: 'Query' } },
    });
    expect((await development.execute('{ notificatio }')).errors?.[0]?.message).toContain('Did you mean');
    const page = await fetch(development.url, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  });
});

function preflight({ url }: TestGateway, origin: string): Promise<Response> {
  return fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': REQUEST_HEADERS,
    },
  });
}

function query({ url }: TestGateway, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
}

function corsHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
}
