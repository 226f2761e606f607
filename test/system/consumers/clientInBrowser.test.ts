/** What browsers do to writes, and what the package for front ends makes of it: resent requests, lost connections, reloads, dead buttons. */
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundle } from '../../support/browser/bundle.js';
import { useChromium } from '../../support/browser/chromium.js';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { serve } from '../../support/http/serve.js';
import { validArguments } from '../../support/graphql/rootFields.js';
import { until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';
import type * as pageModule from '../../consumers/support/clientPage.js';

const entry = fileURLToPath(new URL('../../consumers/support/clientPage.ts', import.meta.url));
const { input } = validArguments('trackShipment') as { input: { driverPhoneNumber: string } };

describe('in Chromium', { timeout: 60_000 }, () => {
  const browser = useChromium();
  let script: string;
  beforeAll(async () => {
    script = await bundle(entry, 'client');
  });
  const pages = useStarted(() =>
    serve(
      createServer((_request, response) =>
        response.setHeader('content-type', 'text/html').end('<!doctype html><main></main>'),
      ),
    ),
  );

  const start = async (): Promise<{ gateway: TestGateway; page: Page }> => {
    const gateway = await startGateway({ env: { CORS_ORIGINS: pages.url, IDEMPOTENCY_STORE: 'memory' } });
    const context = await browser().newContext();
    const page = await context.newPage();
    onTestFinished(async () => {
      await context.close();
      await gateway.stop();
    });
    await open(page);
    return { gateway, page };
  };
  const open = async (page: Page) => {
    await page.goto(pages.url);
    await page.addScriptTag({ content: script });
  };
  /** Calls an export of `clientPage.ts` in the page. */
  const call = <Name extends keyof typeof pageModule>(
    page: Page,
    name: Name,
    options: Parameters<(typeof pageModule)[Name]>[0],
  ) =>
    page.evaluate(
      ([exported, given]) => {
        const { client } = globalThis as unknown as { client: Record<string, (options: unknown) => unknown> };
        return client[exported]?.(given);
      },
      [name, options] as const,
    ) as Promise<Awaited<ReturnType<(typeof pageModule)[Name]>>>;

  test.each([
    ['twice without a key', false, ['POST', 'POST']],
    ['once with a key', true, ['POST']],
  ])(
    'a POST that Chromium repeats by itself after a reset is applied %s',
    async (_times, hasKey, methods) => {
      const { gateway, page } = await start();
      const proxy = await startResettingProxy(gateway.url);
      const token = { uri: proxy.url, input, hasKey };
      await call(page, 'trackWithFetch', { ...token, hasKey: true }); // leaves its connection open
      gateway.takeCalls();
      proxy.resetNext();
      const result = await call(page, 'trackWithFetch', {
        ...token,
        input: { ...input, driverPhoneNumber: '+13035550199' },
      });
      expect(result).toMatchObject({
        data: { trackShipment: { outcome: 'APPLIED', evidence: hasKey ? 'REPLAY' : 'RESPONSE' } },
      });
      expect(gateway.takeCalls().map(({ method }) => method)).toEqual(methods);
    },
  );

  test('of a hook, a second click is the same write, and another write is sent after it', async () => {
    const { gateway, page } = await start();
    const inputs: [object, object] = [
      { ...input, driverPhoneNumber: '+13035551000' },
      { ...input, driverPhoneNumber: '+13035551001' },
    ];
    const { sent, sources, isSame } = await call(page, 'writeTogether', { uri: gateway.url, inputs });
    expect([sent, isSame]).toEqual([inputs, true]);
    const [one, two] = ['+13035551000', '+13035551001'].map((driverPhoneNumber) => ({
      data: { trackShipment: { outcome: 'APPLIED', errors: [], driverPhoneNumber } },
    }));
    expect(sources).toEqual([one, one, two]);
    expect(gateway.takeCalls()).toHaveLength(2);
  });

  test('of a hook, a second click after a success writes nothing, nor does one after a reload, until it starts over', async () => {
    const { gateway, page } = await start();
    const options = { uri: gateway.url, input };
    await call(page, 'writeAgain', { ...options, isLost: true });
    await until(() => gateway.takeCalls().length === 1);
    await open(page);
    expect(await call(page, 'writeAgain', { ...options, isLost: false })).toEqual({
      before: 'REPEAT',
      sent: 2,
      evidence: ['REPLAY', 'REPLAY', 'RESPONSE'], // the second is the result of the first
    });
    expect(gateway.takeCalls()).toHaveLength(1);
    await open(page);
    expect(await call(page, 'writeAgain', { ...options, isLost: false })).toMatchObject({
      before: 'NONE',
      sent: 1,
    });
    expect(gateway.takeCalls()).toHaveLength(1); // after it has started over
  });
});

/** A TCP proxy that resets a kept-alive connection after the gateway has the request, and before its response. */
async function startResettingProxy(gatewayUrl: string) {
  const { hostname, port, pathname } = new URL(gatewayUrl);
  let resets = 0;
  const server = createTcpServer((client) => {
    const gateway = connect(Number(port), hostname);
    let isReset = false;
    for (const socket of [client, gateway]) socket.on('error', () => undefined);
    client.once('close', () => {
      if (!isReset) gateway.destroy();
    });
    gateway.once('close', () => client.destroy());
    client.on('data', (chunk) => {
      gateway.write(chunk);
      if (resets > 0 && chunk.toString('latin1').startsWith('POST ')) {
        resets -= 1;
        isReset = true;
        // The gateway gets the whole request, and its response goes nowhere.
        gateway.once('data', () => client.resetAndDestroy());
      }
    });
    gateway.on('data', (chunk) => {
      if (!isReset) client.write(chunk);
    });
  });
  const { url, stop } = await serve(server);
  onTestFinished(stop);
  return { url: `${url}${pathname}`, resetNext: () => (resets += 1) };
}
