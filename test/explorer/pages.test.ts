import { describe, expect, test } from 'vitest';
import { startGateway } from '../support/gateway/gateway.js';
import { forTest } from '../support/tools/useStarted.js';

type Env = Record<string, string>;

test.each<[when: string, env: Env, enabled: boolean]>([
  ['disabled in production', {}, false],
  ['enabled in production by EXPLORER=true', { EXPLORER: 'true' }, true],
  ['enabled outside production', { NODE_ENV: 'development' }, true],
  ['disabled outside production by EXPLORER=false', { NODE_ENV: 'development', EXPLORER: 'false' }, false],
])('Sandbox and the explorer are %s', async (_when, env, enabled) => {
  const { sandbox, explorer } = await startPages(env);
  expect([(await sandbox()).status, (await explorer('/')).status]).toEqual(enabled ? [200, 200] : [403, 404]);
});

test.each<[when: string, env: Env, status: number]>([
  ['disabled in production', {}, 422],
  ['enabled in production together with the pages', { EXPLORER: 'true' }, 200],
  ['enabled outside production even without the pages', { NODE_ENV: 'development', EXPLORER: 'false' }, 200],
])('introspection is %s', async (_when, env, status) => {
  const gateway = await forTest(startGateway({ env }));
  expect((await gateway.execute('{ __schema { queryType { name } } }')).status).toBe(status);
});

describe('the explorer', () => {
  test('revalidates its page each time, caches its assets forever and loads nothing from other origins', async () => {
    const { explorer } = await startPages();
    const page = await explorer('/');
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': [
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self' data:",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    });

    const files = [...(await page.text()).matchAll(/(?:src|href)="\.([^"]+)"/g)].map(([, path = '']) => path);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const { status, headers } = await explorer(file);
      expect([file, status, headers.get('cache-control')]).toEqual([
        file,
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  test('serves its assets compressed, also behind a proxy that accepts no coding', async () => {
    const { explorer } = await startPages();
    const [, path = ''] = /src="\.([^"]+)"/.exec(await (await explorer('/')).text()) ?? [];
    const response = await explorer(path, { 'accept-encoding': 'identity' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const bytes = Number(response.headers.get('content-length'));
    expect(bytes).toBeLessThan((await response.text()).length / 2); // fetch decompresses it
  });

  test.each([
    [true, 'mock'],
    [false, 'configured'],
  ])('knows whether the gateway uses the mock service: %s', async (usesMockService, service) => {
    const gateway = await forTest(startGateway({ env: { EXPLORER: 'true' }, usesMockService }));
    const page = await (await fetch(new URL('explorer/', gateway.url))).text();
    expect(page).toContain(
      `<html lang="en" data-service="${service}" data-schema-prefix="" data-client-keys="false">`,
    );
  });

  test('is where the root path and the one without a slash redirect, with a relative URL, so that it works behind any path prefix', async () => {
    const { explorer } = await startPages();
    for (const path of ['', '/..']) {
      const { status, headers } = await explorer(path);
      expect([path, status, headers.get('location')]).toEqual([path, 302, './explorer/']);
    }
  });

  test('serves nothing but its own files', async () => {
    const { explorer } = await startPages();
    const paths = ['/index.html', '/assets', '/assets/', '/..%2f..%2fpackage.json', '//'];
    const statuses = await Promise.all(paths.map(async (path) => (await explorer(path)).status));
    expect(statuses).toEqual(paths.map(() => 404));
  });
});

/** Requests pages as a browser does, without following redirects. */
async function startPages(env: Env = { EXPLORER: 'true' }) {
  const { origin } = new URL((await forTest(startGateway({ env }))).url);
  const get = (path: string, headers = {}) =>
    fetch(origin + path, { headers: { accept: 'text/html', ...headers }, redirect: 'manual' });
  return {
    sandbox: () => get('/graphql'),
    explorer: (path: string, headers = {}) => get(`/explorer${path}`, headers),
  };
}
