import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { useChromium } from '../../support/browser/chromium.js';
import {
  desktop,
  openExample,
  openExplorer,
  run,
  setModel,
  shown,
} from '../../support/browser/explorerPage.js';
import { startGateway, useGateway } from '../../support/gateway/gateway.js';
import { keyLine, writeKeysFile } from '../../support/http/clientCredentials.js';
import { untilHolds } from '../../support/tools/waiting.js';

const phone = { width: 390, height: 844 };
const TWO_TARGETS = `mutation {
  deleteException(
    input: {
      shipment: { licensePlate: { freightProviderReferenceNumber: "R", portalLicensePlate: "P" } }
      carrier: { mc: "1" }
      target: { exceptionGuid: "a", exceptionFileGuid: "b" }
    }
  ) {
    deleted
  }
}`;

describe('the explorer in a browser', { timeout: 60_000 }, () => {
  const gateway = useGateway({ env: { EXPLORER: 'true' }, usesMockService: true });
  beforeEach(() => void gateway.takeCalls());
  const browser = useChromium();

  const open = (options?: BrowserContextOptions) => openExplorer(browser(), gateway.url, options);
  let opened: ReturnType<typeof open> | undefined;
  const openOnce = () => (opened ??= open()); // which takes longer than what most tests do

  test('runs the first example at the first visit, with the token from the toolbar afterwards, and nothing at the next visit', async () => {
    const { page, requests, problems } = await openOnce();
    expect(await page.title()).toBe('Shipment GraphQL explorer');
    await expect.poll(() => shown(page, 'response.json')).toContain('"totalPossibleCount": 36');
    expect(await page.locator('.graphiql-query-editor').textContent()).toContain('notificationName');
    await page.getByLabel('Bearer token').fill('my-own-token');
    const response = await run(page);
    expect(response).toMatchObject({ data: { notifications: { totalPossibleCount: 36 } } });
    const { data } = response;
    await expect.poll(() => shown(page, 'response.json')).toBe(JSON.stringify({ data }, null, 2));

    // The token stays out of the URL and local storage.
    expect(new URL(page.url()).href).toBe(new URL('explorer/', gateway.url).href);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('my-own-token');
    await page.reload();
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    expect(await page.getByLabel('Bearer token').inputValue()).toBe('my-own-token');
    await run(page);
    expect(
      gateway.takeCalls().map(({ method, path, headers }) => [method, path, headers.authorization]),
    ).toEqual([
      ['GET', '/v1/customnotifications', 'Bearer demo'],
      ['GET', '/v1/customnotifications', 'Bearer my-own-token'],
      ['GET', '/v1/customnotifications', 'Bearer my-own-token'],
    ]);

    const { origin } = new URL(gateway.url);
    const externalRequests = requests.filter(
      (url) => !/^(?:data|blob):/.test(url) && new URL(url).origin !== origin,
    );
    expect({ externalRequests, problems }).toEqual({ externalRequests: [], problems: [] });
  });

  test('runs an example with Ctrl-Enter as soon as it is chosen', async () => {
    const { page } = await openOnce();
    await openExample(page, 'Track a shipment');
    const response = page.waitForResponse((each) => each.url().endsWith('/graphql'));
    await page.keyboard.press('Control+Enter');
    expect(await (await response).json()).toMatchObject({ data: { trackShipment: { outcome: 'APPLIED' } } });
  });

  test('counts an outcome for each field, however many errors it has, and wraps long variables', async () => {
    const invalid =
      'input: { notificationName: "", recipient: { shipmentLevel: { emailList: ["x", "y"], smsList: [] } }, trigger: { shipmentStatusChange: [] } }';
    const { page } = await openOnce();
    await page.locator('.graphiql-tab-add').click();
    // The editors of the new tab are emptied one after the other.
    await untilHolds(async () => {
      await setModel(
        page,
        'operation.graphql',
        `mutation { a: createNotification(${invalid}) { messages } b: deleteNotification(notificationGuid: "") { messages } }`,
      );
      await setModel(page, 'variables.json', JSON.stringify({ unused: 'long '.repeat(200) }));
      expect((await run(page)).errors?.length).toBeGreaterThan(3);
    });
    const info = page.getByRole('region', { name: 'Response' });
    await expect.poll(() => info.textContent()).toContain('Outcome: NOT_APPLIED × 2');
    await expect.poll(() => page.locator('.graphiql-editor-tool .view-line').count()).toBeGreaterThan(2);
  });

  test('asks for a client key where the gateway has some, sends it, and keeps it in this tab alone', async () => {
    const KEY = 'the-key-of-the-warehouse';
    const CLIENT_KEYS_FILE = writeKeysFile(keyLine('warehouse', KEY));
    const env = {
      EXPLORER: 'true',
      ANONYMOUS_CLIENTS: 'reject',
      SHIPMENT_PARAMETERS: '{"Key":"k"}',
      CLIENT_KEYS_FILE,
    };
    const guarded = await startGateway({ env, usesMockService: true });
    onTestFinished(() => guarded.stop());
    const { page } = await openExplorer(browser(), guarded.url);
    const code = async () => {
      const { data } = await run(page);
      const { trackShipment } = data as { trackShipment: { errors: { code: string }[] } };
      return trackShipment.errors.map((error) => error.code);
    };
    await openExample(page, 'Track a shipment');
    expect(await code()).toEqual(['UNAUTHENTICATED']);
    await page.getByLabel('Client key').fill(` ${KEY} `);
    expect(await code()).toEqual([]);
    expect(page.url()).not.toContain(KEY);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(KEY);
    await page.reload();
    expect((await page.getByLabel('Client key').inputValue()).trim()).toBe(KEY);
    await page.close();

    const { page: other } = await openOnce();
    expect(await other.getByLabel('Client key').count()).toBe(0);
  });

  test('autocompletes a mutation with a @oneOf input', async () => {
    const { page, problems } = await openOnce();
    await page.locator('.graphiql-tab-add').click();
    await page.locator('.graphiql-query-editor .monaco-editor').click();
    // On one line because the editor indents and closes brackets automatically.
    await page.keyboard.type(
      'mutation { createNotification(input: { notificationName: "Autocompleted", ' +
        'trigger: { shipmentStatusChange: [DELIVERED] }, recipient: { ',
    );
    expect(await suggestions(page)).toEqual(['shipmentLevel', 'stopLevel']);
    await accept(page, 'stopLevel');
    expect(await suggestions(page)).toEqual(['notifyStopContactsByEmail', 'notifyStopContactsBySms']);
    await accept(page, 'notifyStopContactsByEmail');
    await page.keyboard.type('true, notifyStopContactsBySms: false');
    await page.keyboard.press('Control+End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.type(
      ' { notification { notificationName recipient { ... on StopLevelRecipient { notifyStopContactsByEmail',
    );
    gateway.takeCalls();
    expect((await run(page)).data).toEqual({
      createNotification: {
        notification: { notificationName: 'Autocompleted', recipient: { notifyStopContactsByEmail: true } },
      },
    });
    expect(gateway.takeCalls().map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/customnotifications',
    ]);
    expect(problems).toEqual([]);
  });

  test('marks two fields of a @oneOf input as an error while typing', async () => {
    const { page } = await openOnce();
    await page.locator('.graphiql-tab-add').click();
    await page.locator('.graphiql-query-editor .monaco-editor').click();
    await page.keyboard.type('{ a: __typename }');
    await setModel(page, 'operation.graphql', TWO_TARGETS);
    await expect
      .poll(() =>
        page.evaluate('globalThis.__MONACO.editor.getModelMarkers({}).map(({ message }) => message)'),
      )
      .toEqual(['OneOf Input Object "ExceptionTargetInput" must specify exactly one key.']);
  });

  test('marks @oneOf inputs in the documentation', async () => {
    const { page } = await openOnce();
    await page.getByLabel('Show Documentation Explorer').click();
    await page.locator('.graphiql-doc-explorer-search').click();
    await page.locator('.graphiql-doc-explorer-search input').pressSequentially('CarrierInput');
    await page.getByRole('option', { name: 'CarrierInput', exact: true }).click();
    expect(
      await page.locator('.graphiql-doc-explorer-content .graphiql-markdown-description').first().innerText(),
    ).toBe('@oneOf Identifies a carrier: set exactly one field.');
  });

  test.each([
    [desktop, 'light'],
    [phone, 'dark'],
  ] as const)('fits the viewport without clipping: %o in %s mode', async (viewport, colorScheme) => {
    const { page, problems } = await open({ viewport, colorScheme });
    await run(page);
    await page.locator('.graphiql-response .view-line').nth(5).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(viewport.height);
    const responsePane = await page.locator('.graphiql-response').boundingBox();
    expect(responsePane?.width).toBeGreaterThan(300);
    expect(responsePane?.height).toBeGreaterThan(300);
    // At once; on a phone once it is opened.
    const variables = await page.locator('.graphiql-editor-tool').boundingBox();
    const isShown = [(variables?.x ?? 0) >= 0, await page.locator('.rest-call').isVisible()];
    expect(isShown).toEqual(Array(2).fill(viewport === desktop));
    expect(problems).toEqual([]);
    await page.close();
  });
});

/** The editor's suggestions at the cursor. */
async function suggestions(page: Page): Promise<string[]> {
  await page.keyboard.press('Control+Space');
  const rows = page.locator('.suggest-widget.visible .monaco-list-row');
  await rows.first().waitFor();
  return rows.locator('.label-name').allInnerTexts();
}

async function accept(page: Page, name: string): Promise<void> {
  await page.locator('.suggest-widget.visible .label-name', { hasText: name }).first().click();
}
