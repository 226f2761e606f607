import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type * as frontEnd from '../../consumers/frontEnd/index.js';
import {
  clients,
  expectedCalls,
  expectedResult,
  optionsFor,
  startPages,
} from '../../consumers/support/frontEndCase.js';
import { bundle } from '../../support/browser/bundle.js';
import { useChromium } from '../../support/browser/chromium.js';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';

const entry = fileURLToPath(new URL('../../consumers/frontEnd/index.ts', import.meta.url));

describe('in Chromium', { timeout: 60_000 }, () => {
  const browser = useChromium();
  let pages: Awaited<ReturnType<typeof startPages>>;
  let script: string;
  beforeAll(async () => {
    pages = await startPages();
    script = await bundle(entry, 'frontEnd');
  });
  afterAll(() => {
    pages.stop();
  });

  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway({ env: { CORS_ORIGINS: pages.origin } });
  });
  afterEach(() => gateway.stop());

  test.each(clients)('%s reads, updates its cache and distinguishes errors', async (_client, run) => {
    const page = await browser().newPage();
    await page.goto(pages.origin);
    await page.addScriptTag({ content: script });
    const outcome = await page.evaluate(
      ([name, setting]) => (globalThis as unknown as { frontEnd: typeof frontEnd }).frontEnd[name](setting),
      [run, optionsFor(gateway.url)] as const,
    );
    await page.close();
    expect(outcome).toEqual(expectedResult);
    expect(gateway.takeCalls().map((call) => `${call.method} ${call.path}`)).toEqual(expectedCalls);
  });
});
