import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { errorExamples } from '../../../src/explorer/errorExamples.js';
import { useChromium } from '../../support/browser/chromium.js';
import {
  desktop,
  openExplorer,
  openExample,
  run,
  setModel,
  shown,
} from '../../support/browser/explorerPage.js';
import { bulkOperation, itemAbout } from '../../support/graphql/bulkFields.js';
import { startGateway, useGateway } from '../../support/gateway/gateway.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';
import { freePort } from '../../support/tools/freePort.js';
import { untilHolds } from '../../support/tools/waiting.js';

describe('the REST calls of an operation', { timeout: 60_000 }, () => {
  const gateway = useGateway({
    env: { EXPLORER: 'true', IDEMPOTENCY_STORE: 'memory' },
    usesMockService: true,
  });
  const browser = useChromium();
  let opened: ReturnType<typeof openExplorer> | undefined;
  /** For all tests: opening it takes longer than what they do in it. */
  const openOnce = () =>
    (opened ??= openExplorer(browser(), gateway.url, {
      viewport: desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    }));
  beforeEach(() => void gateway.takeCalls());

  test('are listed one per attempt on a time axis', async () => {
    const { page, problems } = await openOnce();
    gateway.injectFaults({ status: 503, headers: { 'retry-after': '0' } });
    await openExample(page, 'Read a notification');
    await run(page);
    await expect
      .poll(() => rows(page))
      .toEqual([
        'GET /v1/customnotifications/{notificationGuid} | 503 · # ms · sent',
        'GET /v1/customnotifications/{notificationGuid} | 200 · # ms · attempt 2 · sent',
      ]);
    const bars = page.locator('.rest-call .timeline span');
    const [first, retry] = await Promise.all([bars.nth(0).boundingBox(), bars.nth(1).boundingBox()]);
    expect(retry?.x).toBeGreaterThan(first?.x ?? Infinity);
    expect(problems).toEqual([]);
  });

  test('of a bulk mutation overlap, whatever their outcome', async () => {
    const { page, problems } = await openOnce();
    await openExample(page, 'Track several shipments');
    const { data } = await run(page);
    expect(data).toMatchObject({ trackShipments: { applied: 0, notApplied: 9, unknown: 0 } });
    expect(gateway.takeCalls()).toEqual([]);

    const variables = JSON.parse(await shown(page, 'variables.json')) as object;
    await setModel(page, 'variables.json', JSON.stringify({ ...variables, dryRun: false }));
    gateway.injectFaults({ delayMs: 300 }, { delayMs: 300 });
    const { trackShipments } = (await run(page)).data as { trackShipments: { unknown: number } };
    expect(trackShipments.unknown).toBeGreaterThan(0);
    const bars = page.locator('.rest-call .timeline span');
    await expect.poll(() => bars.count()).toBeGreaterThan(2);
    const [first, second] = await Promise.all([bars.nth(0).boundingBox(), bars.nth(1).boundingBox()]);
    expect(second?.x).toBeLessThan((first?.x ?? 0) + (first?.width ?? 0) / 2);
    expect(problems).toEqual([]);
  });

  test('are copied as curl commands that a shell runs as they are', async () => {
    const { page } = await openOnce();
    await openExample(page, 'Track a shipment');
    await run(page);
    const [sent] = gateway.takeCalls();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    const env = { ...minimalEnv, SERVICE_URL: gateway.serviceUrl, TOKEN: 'demo' };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    expect(stdout).toBe('true');
    const [repeated] = gateway.takeCalls();
    expect(repeated).toMatchObject({
      method: sent?.method,
      path: sent?.path,
      body: sent?.body,
      headers: {
        'content-type': sent?.headers['content-type'],
        authorization: sent?.headers.authorization,
      },
    });
    expect(repeated?.headers).not.toHaveProperty('accept-encoding');
  });

  test('are led to by a request that is copied as a curl command, with its variables and headers, and without the token', async () => {
    const { page } = await openOnce();
    await openExample(page, 'Track a shipment');
    await setModel(page, 'request-headers.json', JSON.stringify({ 'x-note': "it's $HOME" }));
    await page.getByLabel('Dry run').check();
    gateway.takeCalls(); // of the first example
    const shown = await run(page);
    await page.getByLabel('Bearer token').fill('secret-of-mine');
    await page.getByRole('button', { name: 'curl', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByLabel('Bearer token').fill('demo');
    await page.getByLabel('Dry run').uncheck();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).not.toContain('secret-of-mine');
    expect(command).toContain(String.raw`-H 'x-note: it'\''s $HOME'`);
    const env = { ...minimalEnv, TOKEN: 'demo' };
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env });
    expect(JSON.parse(stdout)).toMatchObject({ data: shown.data });
    expect(shown.data).toMatchObject({ trackShipment: { evidence: 'NOT_SENT', errors: [] } });
    expect(gateway.takeCalls()).toEqual([]); // the dry run was copied, too
    const sending = command.replace("-H 'x-gateway-dry-run: 1' ", '');
    await promisify(execFile)('sh', ['-c', sending], { env });
    expect(gateway.takeCalls()).toMatchObject([
      { method: 'POST', headers: { authorization: 'Bearer demo' } },
    ]);
  });

  test('follow from Ctrl-Enter after the switch of the dry run, too', async () => {
    const { page } = await openOnce();
    await openExample(page, 'Track a shipment');
    await page.getByLabel('Dry run').click();
    const response = page.waitForResponse((each) => each.url().endsWith('/graphql'));
    await page.keyboard.press('Control+Enter');
    expect(await (await response).json()).toMatchObject({
      data: { trackShipment: { evidence: 'NOT_SENT' } },
    });
    expect(gateway.takeCalls()).toEqual([]);
    await page.getByLabel('Dry run').click();
    let count = 0;
    page.on('request', (request) => (count += Number(request.url().endsWith('/graphql'))));
    const again = page.waitForResponse((each) => each.url().endsWith('/graphql'));
    await page.locator('.graphiql-query-editor .view-lines').click();
    await page.keyboard.press('Control+Enter'); // in the editor, which runs it itself
    await again;
    await expect.poll(() => rows(page)).toHaveLength(1);
    expect([count, gateway.takeCalls().length]).toEqual([1, 1]);
  });

  test('are shown as not sent in a dry run', async () => {
    const { page } = await openOnce();
    await openExample(page, 'Delete a notification');
    await page.getByLabel('Dry run').check();
    gateway.takeCalls();
    await run(page);
    await expect
      .poll(() => rows(page))
      .toEqual(['DELETE /v1/customnotifications/{notificationGuid} | not sent (dry run)']);
    expect(gateway.takeCalls()).toEqual([]);
    await page.getByLabel('Dry run').uncheck();
  });

  test('leave the result where it can be read where they are forty, and are unfolded on demand', async () => {
    const items = Array.from({ length: 40 }, (_, index) => itemAbout('trackShipment', `load-${index}`));
    const { query, variables } = bulkOperation('trackShipments', items, { selection: 'results { outcome }' });
    const { page, problems } = await openOnce();
    await page.locator('.graphiql-tab-add').click();
    // The editors of the new tab are emptied one after the other.
    await untilHolds(async () => {
      await setModel(page, 'operation.graphql', query);
      await setModel(page, 'variables.json', JSON.stringify(variables));
      const { results } = (await run(page)).data?.['trackShipments'] as { results: unknown[] };
      expect(results.length).toBe(40);
    });
    const calls = page.getByLabel('REST calls', { exact: true });
    await calls.getByText('REST calls (40)').waitFor();
    if ((await calls.getAttribute('open')) === null) await calls.locator('summary').click();
    const lanes = page.getByRole('img', { name: /^40 calls, at most \d+ at a time$/ });
    const { height = 0 } = (await lanes.boundingBox()) ?? {};
    expect(height).toBeLessThanOrEqual(105);
    const bars = await lanes.locator('.lane').all();
    expect(bars.length).toBeGreaterThan(1);
    // No two calls of a lane overlap, and none is missing.
    let count = 0;
    for (const bar of bars) {
      const spans = await Promise.all((await bar.locator('span').all()).map((span) => span.boundingBox()));
      count += spans.length;
      for (const [position, span] of spans.entries()) {
        const next = spans[position + 1];
        if (span && next) expect(span.x + span.width).toBeLessThanOrEqual(next.x + 2); // at least 2 px wide
      }
    }
    expect(count).toBe(40);
    await expect.poll(() => page.locator('.rest-call').count()).toBe(10);
    await page.getByRole('button', { name: 'Show 30 more' }).click();
    await expect.poll(() => page.locator('.rest-call').count()).toBe(40);
    for (const viewport of [desktop, { width: 390, height: 844 }]) {
      await page.setViewportSize(viewport);
      const [result, footer] = await Promise.all(
        ['.result-window', '.graphiql-footer'].map((selector) => page.locator(selector).boundingBox()),
      );
      expect(result?.height).toBeGreaterThan(150);
      expect(footer?.y).toBe((result?.y ?? 0) + (result?.height ?? 0));
      const scrolled = await page.evaluate<number>(
        "document.querySelector('#graphiql-session').scrollHeight",
      );
      expect(scrolled).toBeLessThan(1.5 * viewport.height);
      await page.locator('.rest-call').last().scrollIntoViewIfNeeded();
      expect((await page.locator('.rest-call').last().boundingBox())?.y).toBeLessThan(viewport.height);
    }
    await page.setViewportSize(desktop);
    expect(problems).toEqual([]);
  });

  test('are not requested while "Show REST calls" is off, which survives a reload', async () => {
    const { page } = await openOnce();
    await page.getByLabel('Show REST calls').uncheck();
    await page.reload();
    expect(await page.getByLabel('Show REST calls').isChecked()).toBe(false);
    await openExample(page, 'Track a shipment'); // what was open before appears in one editor after the other
    expect(Object.keys(await run(page))).toEqual(['data']);
    await page.getByLabel('Response').waitFor();
    expect(await page.getByLabel('REST calls', { exact: true }).count()).toBe(0);
  });
});

describe('a gateway in front of a configured service', { timeout: 60_000 }, () => {
  const browser = useChromium();

  test('starts with dry runs, even if they were switched off while it used the mock service, and without a token', async () => {
    const env = { EXPLORER: 'true', PORT: String(await freePort()) };
    const withMock = await startGateway({ env, usesMockService: true });
    const { page } = await openExplorer(browser(), withMock.url);
    const dryRun = page.getByLabel('Dry run');
    await dryRun.check();
    await dryRun.uncheck();
    await withMock.stop();

    const gateway = await startGateway({ env });
    await page.reload();
    const token = page.getByLabel('Bearer token');
    expect([await dryRun.isChecked(), await token.inputValue()]).toEqual([true, '']);
    const examples = page.getByLabel('Errors', { exact: true }).getByRole('button');
    expect(await examples.allInnerTexts()).toEqual(
      errorExamples.filter(({ needs }) => needs !== 'mock').map(({ title }) => title),
    );
    await openExample(page, 'Track a shipment');
    expect(await run(page)).toMatchObject({ data: { trackShipment: { evidence: 'NOT_SENT' } } });
    expect(gateway.takeCalls()).toEqual([]);
    await page.getByLabel('REST calls', { exact: true }).waitFor();
    // Those whose result is another one without a token wait for it.
    const example = page.getByRole('button', { name: 'Create a notification', exact: true });
    expect(await example.isEnabled()).toBe(false);
    await token.fill('a-token');
    await example.click();
    expect(await run(page)).toMatchObject({
      data: { createNotification: { outcome: 'NOT_APPLIED', errors: [] } },
    });

    await dryRun.uncheck();
    await page.reload();
    expect(await dryRun.isChecked()).toBe(false);
    await page.close();
    await gateway.stop();
  });
});

/** The rows of the panel, with `#` for each duration. */
async function rows(page: Page): Promise<string[]> {
  const calls = await page.locator('.rest-call').all();
  return Promise.all(
    calls.map(async (call) => {
      const name = await call.locator('code').innerText();
      const facts = await call.locator('.facts').innerText();
      return `${name} | ${facts.replace(/[\d.]+ ms/, '# ms')}`;
    }),
  );
}
