/** The programs of docs/clients.md for front ends: they compile as in a new Vite app, and do in Chromium what the page says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { programsOf } from '../../docs/support/markdown.js';
import { bundle } from '../../support/browser/bundle.js';
import { openPage, useChromium } from '../../support/browser/chromium.js';
import { TOKEN, useGateway } from '../../support/gateway/gateway.js';
import { validArguments } from '../../support/graphql/rootFields.js';
import {
  CLIENT_PACKAGE_NAME,
  installPackage,
  VITE_COMPILER_OPTIONS,
  type InstalledPackage,
} from '../../support/process/installedPackage.js';
import { skipIf } from '../../support/process/requirements.js';
import { toolsMissing } from '../../support/setup/skipWithoutTools.js';

skipIf(toolsMissing);

const TIMEOUT_MS = 300_000; // a compilation, on a busy machine

const FOLDER = './'; // of the page

/** Shows one of the components. */
const PAGE = `
import { ApolloProvider } from '@apollo/client/react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { client } from '${FOLDER}apollo.js';
import { CreateButton } from '${FOLDER}button.js';
import { NotificationForm } from '${FOLDER}form.js';
import { TrackButton } from '${FOLDER}tanstack.js';
import { Tracking } from '${FOLDER}tracking.js';

const components: Record<string, (given: never) => ReactNode> = { CreateButton, NotificationForm, TrackButton, Tracking };

export function show(name: string, given: object): void {
  const Component = components[name] as (given: object) => ReactNode;
  createRoot(document.body).render(
    <ApolloProvider client={client}>
      <QueryClientProvider client={new QueryClient()}>
        <Component {...given} />
      </QueryClientProvider>
    </ApolloProvider>,
  );
}
`;
describe('the programs of docs/clients.md', { timeout: TIMEOUT_MS }, () => {
  const gateway = useGateway({ env: { IDEMPOTENCY_STORE: 'memory' } });
  const browser = useChromium();
  const programs = [...programsOf('docs/clients.md'), { file: 'page.tsx', text: PAGE }];
  let installed: InstalledPackage;
  let script: string;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    installed = await installPackage(CLIENT_PACKAGE_NAME);
    installed.link(
      ...['@apollo/client', '@tanstack/react-query', '@types/react', '@types/react-dom'],
      ...['graphql', 'graphql-request', 'react', 'react-dom', 'react-hook-form', 'rxjs'],
    );
    writeFileSync(join(installed.folder, 'package.json'), '{ "type": "module" }');
    for (const { file, text } of programs) writeFileSync(join(installed.folder, file), text);
    const tsconfig = { compilerOptions: VITE_COMPILER_OPTIONS, files: programs.map(({ file }) => file) };
    await installed.compile(tsconfig); // fails with what the compiler prints
    script = await bundle(join(installed.folder, 'page.js'), 'programs');
  }, TIMEOUT_MS);
  afterAll(() => installed.remove());
  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  /** Shows a component on a page of the gateway's origin. Of the requests, it loses as many responses as asked to. */
  const show = async (component: string, given: object, { lost = 0 } = {}) => {
    ({ page, problems } = await openPage(browser()));
    const requests: string[] = [];
    let left = lost;
    await page.route('**/graphql', async (route) => {
      requests.push(route.request().postData() ?? '');
      const headers = { ...route.request().headers(), authorization: `Bearer ${TOKEN}` };
      if (left === 0) return route.continue({ headers });
      left -= 1;
      await route.fetch({ headers });
      return route.abort();
    });
    const { origin } = new URL(gateway.url);
    await page.route(`${origin}/page`, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(`${origin}/page`);
    await page.addScriptTag({ content: script });
    await page.evaluate(`programs.show(${JSON.stringify(component)}, ${JSON.stringify(given)})`);
    gateway.takeCalls();
    return requests;
  };
  const output = () => page.locator('output').textContent();
  const click = (name: string | RegExp) => page.getByRole('button', { name }).click();
  const keysIn = (requests: readonly string[]) =>
    requests.map(
      (body) => (JSON.parse(body) as { variables: { idempotencyKey: string } }).variables.idempotencyKey,
    );
  const writes = () => gateway.takeCalls().filter(({ method }) => method === 'POST').length;
  const definition = validArguments('createNotification') as { input: object };
  const shipment = validArguments('trackShipment') as { input: object };

  test('create a notification with useMutation, once, though its response is lost', async () => {
    const requests = await show('CreateButton', definition, { lost: 1 });
    await click('Create');
    await expect.poll(output).toBe('Done.');
    expect([new Set(keysIn(requests)).size, requests.length, writes()]).toEqual([1, 2, 1]);
    problems.length = 0; // the browser reports the lost connection
  });

  test('tell with useMutation what to do after a failure', async () => {
    await show('CreateButton', { input: { ...definition.input, notificationName: ' ' } });
    await click('Create');
    await expect.poll(output).toBe('Correct it, then send it again.');
    expect(writes()).toBe(0);
  });

  test('show at the field of a form what is wrong with it, and send the corrected form', async () => {
    await show('NotificationForm', {});
    await click('Save');
    await expect.poll(() => page.locator('em').textContent()).toBe('Fill this in.');
    expect([await output(), writes()]).toEqual(['Correct it, then send it again.', 0]);
    await page.getByLabel('Name').fill('Arrivals');
    await click('Save');
    await expect.poll(output).toBe('Done.');
    expect([await page.locator('em').textContent(), writes()]).toEqual(['', 1]);
  });

  test('send each row of a list once', async () => {
    const rows = [1, 2, 3].map((number) => ({
      input: {
        ...shipment.input,
        shipment: {
          hauler: {
            freightProviderReferenceNumber: `REF-${1000 + number}`,
            freightHaulerProviderXid: `XID-${2000 + number}`,
          },
        },
        carrier: { mc: String(900_000 + number) },
      },
    }));
    await show('Tracking', { rows });
    const steps = () => page.getByRole('listitem').allTextContents();
    await click('Track 3');
    await expect.poll(steps).toEqual(['NONE', 'NONE', 'NONE']);
    await click('Track 3');
    await expect.poll(() => page.getByRole('button').isEnabled()).toBe(true);
    expect([await steps(), writes()]).toEqual([['NONE', 'NONE', 'NONE'], 3]);
  });

  test('track with TanStack Query, with the same key after a lost response', async () => {
    const requests = await show('TrackButton', shipment, { lost: 1 });
    await click('Track');
    await expect.poll(output, { timeout: 10_000 }).toBe('Done.');
    expect([new Set(keysIn(requests)).size, requests.length, writes()]).toEqual([1, 2, 1]);
    problems.length = 0; // the browser reports the lost connection
  });

  test('repeat with TanStack Query what failed and may be repeated', async () => {
    const requests = await show('TrackButton', shipment);
    gateway.injectFaults({ status: 429, headers: { 'retry-after': '1' } });
    await click('Track');
    await expect.poll(output, { timeout: 10_000 }).toBe('Done.');
    expect([new Set(keysIn(requests)).size, requests.length, writes()]).toEqual([1, 2, 2]);
  });
});
