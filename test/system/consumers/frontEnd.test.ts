import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type * as frontEnd from '../../consumers/frontEnd/index.js';
import {
  clients,
  expectedCalls,
  expectedResult,
  faults,
  optionsFor,
  startPageServer,
} from '../../consumers/support/frontEndScenario.js';
import { bundle } from '../../support/browser/bundle.js';
import { useChromium } from '../../support/browser/chromium.js';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';
import { useStarted } from '../../support/tools/useStarted.js';

const entry = fileURLToPath(new URL('../../consumers/frontEnd/index.ts', import.meta.url));

describe('in Chromium', { timeout: 60_000 }, () => {
  const browser = useChromium();
  let script: string;
  const pageServer = useStarted(startPageServer);
  beforeAll(async () => {
    script = await bundle(entry, 'frontEnd');
  });

  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway({ env: { CORS_ORIGINS: pageServer.origin, IDEMPOTENCY_STORE: 'memory' } });
  });
  afterEach(() => gateway.stop());

  test.each(clients)(
    '%s reads, repeats a rejected update, updates its cache and distinguishes errors',
    async (_client, run) => {
      gateway.injectFaults(...faults);
      const page = await browser().newPage();
      await page.goto(pageServer.origin);
      await page.addScriptTag({ content: script });
      const result = await page.evaluate(
        ([name, scenarioOptions]) =>
          (globalThis as unknown as { frontEnd: typeof frontEnd }).frontEnd[name](scenarioOptions),
        [run, optionsFor(gateway.url)] as const,
      );
      await page.close();
      expect(result).toEqual(expectedResult);
      expect(gateway.takeCalls().map((call) => `${call.method} ${call.path}`)).toEqual(expectedCalls);
    },
  );
});
