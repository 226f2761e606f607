import { expect, test } from 'vitest';
import { EXAMPLE_TOKEN, examples } from '../../src/explorer/examples.js';
import { useGateway } from '../support/gateway/gateway.js';

const gateway = useGateway({ env: { EXPLORER: 'true' } });

test('the page is Apollo Sandbox, and its policies allow everything it loads', async () => {
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

test('the page starts with the examples and an Authorization header', async () => {
  const html = await (await fetch(gateway.url, { headers: { accept: 'text/html' } })).text();
  const [, json = ''] = /embeddedSandboxConfig = (\{.*\});$/m.exec(html) ?? [];
  const { initialState } = JSON.parse(json) as { initialState: { document: string } };
  expect(initialState).toEqual({
    document: expect.any(String) as string,
    variables: expect.any(Object) as object,
    headers: { authorization: `Bearer ${EXAMPLE_TOKEN}` },
    includeCookies: false,
  });
  for (const { document } of examples) expect(initialState.document).toContain(document);
});

test('responses other than pages do not get the policy for pages', async () => {
  const response = await fetch(gateway.url, { method: 'POST' });
  expect(response.headers.get('content-security-policy') ?? '').not.toContain('object-src');
});
