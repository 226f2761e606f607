import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLE_TOKEN, examples } from '../../src/explorer/examples.js';
import { browserMissing, openPage, startChromium } from '../support/chromium.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

const SANDBOX_SCRIPT = 'https://embeddable-sandbox.cdn.apollographql.com/**';

/** The configuration that the page passes to Apollo's script. */
interface SandboxConfig {
  initialEndpoint: string;
  initialState: { document: string; variables: Record<string, unknown>; headers: Record<string, string> };
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { EXPLORER: 'true' } });
});
afterAll(() => gateway.stop());

test('the landing page is Apollo Sandbox, and its CSP allows what Sandbox loads', async () => {
  const response = await fetch(gateway.url, { headers: { accept: 'text/html' } });
  const html = await response.text();
  expect({ status: response.status, policy: response.headers.get('content-security-policy') }).toEqual({
    status: 200,
    policy: "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  });
  const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
  const [, nonce = ''] = /script-src [^;]*'nonce-(\w+)'/.exec(policy) ?? [];
  const [, source = ''] = new RegExp(`<script nonce="${nonce}" src="([^"]+)"`).exec(html) ?? [];
  expect(policy).toContain(` ${new URL(source).origin} `);
  expect(policy).toContain('frame-src https://explorer.embed.apollographql.com https://sandbox.embed');
});

test('responses that are not pages keep their own CSP', async () => {
  const response = await fetch(gateway.url, { method: 'POST' });
  expect(response.headers.get('content-security-policy') ?? '').not.toContain('object-src');
});

describe.skipIf(browserMissing)('Apollo Sandbox in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());

  test('starts with the examples and an Authorization header', async () => {
    const { page, problems } = await openPage(browser);
    // Replaces Apollo's script, as tests run offline. The CSP is that of the real page.
    await page.route(SANDBOX_SCRIPT, (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: 'window.EmbeddedSandbox = function (config) { window.sandboxConfig = config; };',
      }),
    );
    await page.route('https://fonts.googleapis.com/**', (route) =>
      route.fulfill({ contentType: 'text/css' }),
    );
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
      const response = await fetch(initialEndpoint, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ query: document, variables, operationName }),
      });
      const { errors } = (await response.json()) as { errors?: unknown };
      expect({ operationName, errors }).toEqual({ operationName, errors: undefined });
    }
  });
});
