/** Clients in a browser read data and errors from the body of a response, whatever its status (docs/http.md, Clients). */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { startPageServer } from '../../consumers/support/frontEndScenario.js';
import type { ClientResult } from '../../consumers/support/clientResult.js';
import { startStatusGateways } from '../../consumers/support/statusCases.js';
import type * as statusClients from '../../consumers/support/statusClients.js';
import { bundle } from '../../support/browser/bundle.js';
import { useChromium } from '../../support/browser/chromium.js';
import { useStarted } from '../../support/tools/useStarted.js';

const entry = fileURLToPath(new URL('../../consumers/support/statusClients.ts', import.meta.url));

describe('In Chromium, on a page of another origin,', { timeout: 60_000 }, () => {
  const browser = useChromium();
  let script: string;
  const pageServer = useStarted(startPageServer);
  const gateways = useStarted(() => startStatusGateways({ CORS_ORIGINS: pageServer.origin }));
  beforeAll(async () => {
    script = await bundle(entry, 'statusClients');
  });

  /** What a client on a page reports, with the statuses and codings of the responses. */
  async function runOnPage(client: ClientName, urlOf = (url: string) => url) {
    const page = await browser().newPage();
    const responses: [status: number, reason: string, coding: string | undefined][] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'POST')
        responses.push([response.status(), response.statusText(), response.headers()['content-encoding']]);
    });
    await page.goto(pageServer.origin);
    await page.addScriptTag({ content: script });
    const results: ClientResult[] = [];
    for (const { url, query } of gateways.cases) {
      results.push(
        await page.evaluate(
          ([name, ...request]) =>
            (globalThis as unknown as { statusClients: typeof statusClients }).statusClients[name](
              ...request,
              fetch,
            ),
          [client, urlOf(url), query] as const,
        ),
      );
    }
    await page.close();
    return { results, responses };
  }

  const clients: [title: string, client: ClientName][] = [
    ['Apollo Client', 'apolloClient'],
    ['urql', 'urql'],
    ['fetch', 'plainFetch'],
  ];

  test.each(clients)('%s reads responses with 294, 422, 429 and 503', async (_title, client) => {
    const { results, responses } = await runOnPage(client);
    expect(results).toEqual(gateways.cases.map(({ content }) => content));
    expect(responses).toEqual(gateways.cases.map(({ status, reason }) => [status, reason, undefined]));
  });

  test('a script that fetches as Apollo Sandbox does reads responses with 200, 422, 429 and 503', async () => {
    const { results, responses } = await runOnPage('apolloSandbox');
    expect(results).toEqual(gateways.cases.map(({ content }) => content));
    // It does not ask for application/graphql-response+json.
    const [, ...rejections] = gateways.cases;
    expect(responses).toEqual([
      [200, 'OK', undefined],
      ...rejections.map(({ status, reason }) => [status, reason, undefined]),
    ]);
  });
});

type ClientName = 'apolloClient' | 'apolloSandbox' | 'plainFetch' | 'urql';
