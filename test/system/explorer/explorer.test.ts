import { mkdirSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useChromium } from '../../support/browser/chromium.js';
import { desktop, MODELS, openExplorer, run, shown } from '../../support/browser/explorerPage.js';
import { startGateway, type TestGateway } from '../../support/gateway/gateway.js';

const SCREENSHOTS = 'screenshots';
const phone = { width: 390, height: 844 };

describe('the explorer in a browser', { timeout: 60_000 }, () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    gateway = await startGateway({ env: { EXPLORER: 'true', EXPOSE_REST_CALLS: 'true' } });
  });
  afterAll(() => gateway.stop());
  const browser = useChromium();

  const open = (options?: BrowserContextOptions) => openExplorer(browser(), gateway.url, options);

  test('the first example runs with the token of the field, which stays out of the URL and of what is kept', async () => {
    const { page, requests, problems } = await open();
    expect(await page.title()).toBe('Shipment GraphQL explorer');
    await page.getByLabel('Bearer token').fill('my-own-token');
    gateway.takeCalls();
    const answer = await run(page);
    expect(answer).toMatchObject({ data: { notifications: { totalPossibleCount: 36 } } });
    await expect.poll(() => shown(page, 'response.json')).toBe(JSON.stringify(answer, null, 2));
    expect(
      gateway.takeCalls().map(({ method, path, headers }) => [method, path, headers.authorization]),
    ).toEqual([['GET', '/v1/customnotifications', 'Bearer my-own-token']]);

    expect(new URL(page.url()).href).toBe(new URL('explorer/', gateway.url).href);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('my-own-token');
    await page.reload();
    expect(await page.getByLabel('Bearer token').inputValue()).toBe('my-own-token');

    const { origin } = new URL(gateway.url);
    const elsewhere = requests.filter(
      (url) => !/^(?:data|blob):/.test(url) && new URL(url).origin !== origin,
    );
    expect({ elsewhere, problems }).toEqual({ elsewhere: [], problems: [] });
    await page.close();
  });

  test('the answer shows the REST calls, unless that is switched off', async () => {
    const { page } = await open();
    await run(page);
    await expect
      .poll(async () => JSON.parse(await shown(page, 'response.json')) as unknown)
      .toMatchObject({
        extensions: { trace: [{ method: 'GET', path: '/v1/customnotifications', status: 200 }] },
      });
    await page.getByLabel('Show REST calls').uncheck();
    expect(Object.keys(await run(page))).toEqual(['data']);
    await page.close();
  });

  test('a mutation with a @oneOf input can be written with what the editor proposes', async () => {
    const { page, problems } = await open();
    await page.locator('.graphiql-tab-add').click();
    await page.locator('.graphiql-query-editor .monaco-editor').click();
    await page.keyboard.type(
      'mutation { createNotification(input: { notificationName: "Proposed", trigger: { shipmentStatusChange: [DELIVERED] }, recipient: { ',
    );
    expect(await proposals(page)).toEqual(['shipmentLevel', 'stopLevel']);
    await page.screenshot({ path: `${SCREENSHOTS}/one-of.png` });
    await choose(page, 'stopLevel');
    expect(await proposals(page)).toEqual(['notifyStopContactsByEmail', 'notifyStopContactsBySms']);
    await choose(page, 'notifyStopContactsByEmail');
    await page.keyboard.type('true, notifyStopContactsBySms: false');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type(
      ' { notification { notificationName recipient { ... on StopLevelRecipient { notifyStopContactsByEmail',
    );
    gateway.takeCalls();
    expect((await run(page)).data).toEqual({
      createNotification: {
        notification: { notificationName: 'Proposed', recipient: { notifyStopContactsByEmail: true } },
      },
    });
    expect(gateway.takeCalls().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/customnotifications',
    ]);
    expect(problems).toEqual([]);
    await page.close();
  });

  test('two fields of a @oneOf input are marked as wrong while they are written', async () => {
    const { page } = await open();
    await page.locator('.graphiql-tab-add').click();
    await page.locator('.graphiql-query-editor .monaco-editor').click();
    await page.keyboard.type('{ a: __typename }');
    await page.evaluate(
      `${MODELS}.find(({ uri }) => uri.path.endsWith('operation.graphql')).setValue(${JSON.stringify(
        'mutation { deleteException(input: { shipment: { licensePlate: { freightProviderReferenceNumber: "R", portalLicensePlate: "P" } }, carrier: { mc: "1" }, target: { exceptionGuid: "a", exceptionFileGuid: "b" } }) { deleted } }',
      )})`,
    );
    await expect
      .poll(() =>
        page.evaluate('globalThis.__MONACO.editor.getModelMarkers({}).map(({ message }) => message)'),
      )
      .toEqual(['OneOf Input Object "ExceptionTargetInput" must specify exactly one key.']);
    await page.close();
  });

  test('the documentation says which inputs are @oneOf inputs', async () => {
    const { page } = await open();
    await page.getByLabel('Show Documentation Explorer').click();
    await page.locator('.graphiql-doc-explorer-search').click();
    await page.locator('.graphiql-doc-explorer-search input').pressSequentially('CarrierInput');
    await page.getByRole('option', { name: 'CarrierInput', exact: true }).click();
    expect(
      await page.locator('.graphiql-doc-explorer-content .graphiql-markdown-description').first().innerText(),
    ).toBe('@oneOf A carrier: exactly one of its three identifiers.');
    await page.screenshot({ path: `${SCREENSHOTS}/documentation.png` });
    await page.close();
  });

  test.each([
    ['desktop-light', desktop, 'light'],
    ['desktop-dark', desktop, 'dark'],
    ['phone-light', phone, 'light'],
    ['phone-dark', phone, 'dark'],
  ] as const)('nothing is cut off: %s', async (name, viewport, colorScheme) => {
    const { page, problems } = await open({ viewport, colorScheme });
    await run(page);
    await page.locator('.graphiql-response .view-line').nth(5).waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(viewport.height);
    const answer = await page.locator('.graphiql-response').boundingBox();
    expect(answer?.width).toBeGreaterThan(300);
    expect(answer?.height).toBeGreaterThan(300);
    expect(problems).toEqual([]);
    await page.close();
  });
});

/** What the editor proposes at the cursor. */
async function proposals(page: Page): Promise<string[]> {
  await page.keyboard.press('Control+Space');
  const rows = page.locator('.suggest-widget.visible .monaco-list-row');
  await rows.first().waitFor();
  return rows.locator('.label-name').allInnerTexts();
}

async function choose(page: Page, name: string): Promise<void> {
  await page.locator('.suggest-widget.visible .label-name', { hasText: name }).first().click();
}
