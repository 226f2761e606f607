import { describe, expect, test } from 'vitest';
import { startGateway } from '../support/gateway/gateway.js';

type Environment = Record<string, string>;

test.each<[where: string, env: Environment, isOn: boolean]>([
  ['off in production', {}, false],
  ['on in production when asked for', { EXPLORER: 'true' }, true],
  ['on outside production', { NODE_ENV: 'development' }, true],
  ['off outside production when unwanted', { NODE_ENV: 'development', EXPLORER: 'false' }, false],
])('the pages are %s', async (_where, env, isOn) => {
  await withPages(env, async (sandbox, explorer) => {
    expect([(await sandbox()).status, (await explorer('/')).status]).toEqual(isOn ? [200, 200] : [400, 404]);
  });
});

test.each<[where: string, env: Environment, status: number]>([
  ['in production there is none', {}, 400],
  ['in production the pages bring it', { EXPLORER: 'true' }, 200],
  ['outside production it is there without the pages', { NODE_ENV: 'development', EXPLORER: 'false' }, 200],
])('introspection: %s', async (_where, env, status) => {
  const gateway = await startGateway({ env });
  const answer = await gateway.execute('{ __schema { queryType { name } } }');
  await gateway.stop();
  expect(answer.status).toBe(status);
});

describe('the explorer', () => {
  test('has a page that is asked for each time, and loads nothing from elsewhere', async () => {
    await withPages({ EXPLORER: 'true' }, async (_sandbox, explorer) => {
      const page = await explorer('/');
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      });

      const files = [...(await page.text()).matchAll(/(?:src|href)="\.([^"]+)"/g)].map(
        ([, path = '']) => path,
      );
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
  });

  test('is found without the last slash, whatever path a proxy puts in front', async () => {
    await withPages({ EXPLORER: 'true' }, async (_sandbox, explorer) => {
      const { status, headers } = await explorer('');
      expect([status, headers.get('location')]).toEqual([302, './explorer/']);
    });
  });

  test('has nothing but its files', async () => {
    await withPages({ EXPLORER: 'true' }, async (_sandbox, explorer) => {
      const paths = ['/index.html', '/assets', '/assets/', '/..%2f..%2fpackage.json', '//'];
      const statuses = await Promise.all(paths.map(async (path) => (await explorer(path)).status));
      expect(statuses).toEqual(paths.map(() => 404));
    });
  });
});

/** Asks as a browser does, without following a redirect. */
async function withPages(
  env: Environment,
  use: (sandbox: () => Promise<Response>, explorer: (path: string) => Promise<Response>) => Promise<void>,
): Promise<void> {
  const gateway = await startGateway({ env });
  const ask = (path: string) =>
    fetch(new URL(gateway.url).origin + path, { headers: { accept: 'text/html' }, redirect: 'manual' });
  try {
    await use(
      () => ask('/graphql'),
      (path) => ask(`/explorer${path}`),
    );
  } finally {
    await gateway.stop();
  }
}
