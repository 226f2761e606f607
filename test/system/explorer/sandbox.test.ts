import { expect, test } from 'vitest';
import { EXAMPLE_TOKEN, examples } from '../../../src/explorer/examples.js';
import { openPage, useChromium } from '../../support/browser/chromium.js';
import { useGateway } from '../../support/gateway/gateway.js';
import { post } from '../../support/http/post.js';

const SANDBOX_SCRIPT = 'https://embeddable-sandbox.cdn.apollographql.com/**';

/** The configuration that the page passes to Apollo's script. */
interface SandboxConfig {
  initialEndpoint: string;
  initialState: { document: string; variables: Record<string, unknown>; headers: Record<string, string> };
}
const gateway = useGateway({ env: { EXPLORER: 'true', IDEMPOTENCY_STORE: 'memory' } });
const browser = useChromium();

test('Apollo Sandbox starts with the examples and an Authorization header', async () => {
  const { page, problems } = await openPage(browser());
  // Replaces Apollo's script, as tests run offline. The CSP is that of the real page.
  await page.route(SANDBOX_SCRIPT, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'window.EmbeddedSandbox = function (config) { window.sandboxConfig = config; };',
    }),
  );
  await page.route('https://fonts.googleapis.com/**', (route) => route.fulfill({ contentType: 'text/css' }));
  await page.route('https://apollo-server-landing-page.cdn.apollographql.com/**', (route) =>
    route.fulfill({ body: '' }),
  );
  await page.goto(gateway.url);
  const { initialEndpoint, initialState } = await page.evaluate<SandboxConfig>('window.sandboxConfig');
  expect(problems).toEqual([]);
  expect({ initialEndpoint, initialState }).toEqual({
    initialEndpoint: gateway.url,
    initialState: {
      document: expect.any(String) as string,
      variables: expect.any(Object) as object,
      headers: { authorization: `Bearer ${EXAMPLE_TOKEN}` },
      includeCookies: false,
    },
  });

  const { document, variables, headers } = initialState;
  const names = [...document.matchAll(/^(?:query|mutation) (\w+)/gm)].map(([, name]) => name);
  expect(names.length).toBe(examples.length);
  for (const operationName of names) {
    const request = { query: document, variables, operationName };
    const { errors } = await post(initialEndpoint, request, { token: null, headers });
    expect({ operationName, errors }).toEqual({ operationName, errors: undefined });
  }
});

test('where nothing of Apollo can be loaded, the page names this gateway, and leads to the explorer', async () => {
  const { page } = await openPage(browser());
  await page.route(/^https:/, (route) => route.abort());
  await page.goto(gateway.url);
  expect([await page.title(), await page.getByRole('heading').allTextContents()]).toEqual([
    'Shipment GraphQL gateway',
    ['Shipment GraphQL gateway'],
  ]);
  await page.getByRole('link', { name: 'The explorer of this gateway' }).click();
  await page.waitForURL(/\/explorer\/$/);
  expect(await page.title()).toBe('Shipment GraphQL explorer');
  await page.close();
});
