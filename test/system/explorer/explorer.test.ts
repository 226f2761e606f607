/** The explorer in Chromium: one page for most tests, because opening it takes longer than what they do in it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { errorExamples } from '../../../src/explorer/errorExamples.js';
import { openPage, useChromium } from '../../support/browser/chromium.js';
import {
  desktop,
  openExample,
  openExplorer,
  run,
  setModel,
  shown,
} from '../../support/browser/explorerPage.js';
import { startGateway, useGateway } from '../../support/gateway/gateway.js';
import { bulkOperation, itemAbout } from '../../support/graphql/bulkFields.js';
import { keyLine, writeKeysFile } from '../../support/http/clientCredentials.js';
import { minimalEnv } from '../../support/process/minimalEnv.js';
import { freePort } from '../../support/tools/freePort.js';
import { untilHolds } from '../../support/tools/waiting.js';

const phone = { width: 390, height: 844 };

interface Tracked {
  trackShipment: { evidence: string };
}

const browser = useChromium();

describe('the explorer', { timeout: 120_000 }, () => {
  const gateway = useGateway({
    env: { EXPLORER: 'true', NODE_ENV: 'development', SERVICE_TIMEOUT_MS: '1000' },
    usesMockService: true,
  });
  beforeEach(() => void gateway.takeCalls());
  const open = () =>
    openExplorer(browser(), gateway.url, {
      viewport: desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
  let opened: ReturnType<typeof open> | undefined;
  const openOnce = () => (opened ??= open());

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

  test('lists an example for each error code, with the token and headers that it takes', async () => {
    const { page } = await openOnce();
    const titles = await page.getByLabel('Errors', { exact: true }).getByRole('button').allInnerTexts();
    expect(titles).toEqual(errorExamples.map(({ title }) => title));
    // The others are tested without the page.
    for (const title of ['FORBIDDEN', 'SERVICE_ERROR', 'UNAUTHENTICATED']) {
      await openExample(page, title);
      const { errors = [] } = await run(page);
      expect(errors.map(({ extensions }) => extensions?.['code'])).toEqual([title]);
      await expect.poll(() => page.locator('.failure').innerText()).toContain(title);
      if (title === 'SERVICE_ERROR') expect(await page.locator('.rest-call').count()).toBeGreaterThan(1); // retried
    }
    await page.getByLabel('Bearer token').fill('demo');
  });

  test('counts the errors of a response, in payloads, too, and the outcomes of its writes', async () => {
    const { page } = await openOnce();
    const failures = page.locator('.failure');
    const outcomes = page.locator('.response-info');
    await openExample(page, 'Track several shipments');
    await run(page);
    await expect.poll(() => failures.innerText()).toBe('1 error: BAD_USER_INPUT');
    expect(await outcomes.innerText()).toContain('Outcome: NOT_APPLIED × 9');
    await openExample(page, 'BAD_USER_INPUT');
    const { length } = (await run(page)).errors ?? [];
    expect(length).toBeGreaterThan(1);
    await expect.poll(() => failures.innerText()).toBe(`${length} errors: BAD_USER_INPUT × ${length}`);
    await openExample(page, 'Create a notification');
    await run(page);
    await expect.poll(() => outcomes.innerText()).toContain('Outcome: APPLIED');
    expect(await failures.count()).toBe(0);
  });

  test('shows status, time, size and request ID of a response', async () => {
    const { page } = await openOnce();
    await openExample(page, 'List notifications');
    const requestId = page.waitForResponse((each) => each.url().endsWith('/graphql'));
    await run(page);
    const info = await page.getByLabel('Response').innerText();
    expect(info.replaceAll(/\s+/g, ' ')).toMatch(/^200 OK \d+\.\d ms \d+\.\d kB Request ID [\w-]+ Copy$/);
    expect(info).toContain((await requestId).headers()['x-request-id']);
  });

  test('says in plain words that the gateway does not respond, or that a proxy does', async () => {
    const { page, problems } = await openOnce();
    await page.route('**/graphql', (route) => route.abort(), { times: 1 });
    await page.locator('.graphiql-execute-button').click();
    await expect
      .poll(() => shown(page, 'response.json'))
      .toContain(`The gateway at ${new URL(gateway.url).origin} does not respond.`);
    expect(await page.getByLabel('Response').innerText()).toContain('No response');

    const message =
      'Expected a JSON object from the gateway, got something else with the status 502 Bad Gateway';
    for (const body of ['<h1>Bad gateway</h1>', 'null']) {
      await run(page);
      await expect.poll(() => shown(page, 'response.json')).not.toContain(message);
      await page.route('**/graphql', (route) => route.fulfill({ status: 502, body }), { times: 1 });
      await page.locator('.graphiql-execute-button').click();
      await expect.poll(() => shown(page, 'response.json')).toContain(message);
    }
    problems.length = 0; // the browser reports the failed requests
  });

  test('copies a link that opens the operation with its variables, without the token', async () => {
    const { page } = await openOnce();
    await openExample(page, 'Read a notification');
    const operation = await shown(page, 'operation.graphql');
    const variables = await shown(page, 'variables.json');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const link = new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
    expect(link.href).not.toContain('demo');
    expect(Object.fromEntries(link.searchParams)).toEqual({ query: operation, variables });

    const { page: opened } = await openPage(browser(), { viewport: desktop });
    gateway.takeCalls();
    await opened.goto(link.href);
    await opened.locator('.graphiql-query-editor .view-line').first().waitFor();
    expect(await shown(opened, 'operation.graphql')).toBe(operation);
    expect(await shown(opened, 'variables.json')).toBe(variables);
    expect(gateway.takeCalls()).toEqual([]);
    await opened.close();
  });

  test('opens an example in a new tab rather than overwrite an edited operation', async () => {
    const { page } = await openOnce();
    await openExample(page, 'Read a notification');
    expect(await page.locator('.graphiql-tab').count()).toBe(1);
    await page.locator('.graphiql-query-editor .monaco-editor').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# Mine\n');
    await openExample(page, 'List notifications');
    expect(await page.locator('.graphiql-tab').count()).toBe(2);
    await page.locator('.graphiql-tab').first().click();
    await expect.poll(() => shown(page, 'operation.graphql')).toMatch(/^# Mine/);
  });

  test('sends the idempotency key, keeps it over a reload, and shows that a repeat was replayed', async () => {
    const { page } = await openOnce();
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      const isMutation = request.postData()?.includes('TrackShipment') ?? false;
      if (isMutation) keys.push(request.headers()['idempotency-key']);
    });
    const evidence = async () => ((await run(page)).data as unknown as Tracked).trackShipment.evidence;
    const field = page.getByLabel('Idempotency key');
    gateway.takeCalls();
    await openExample(page, 'Track a shipment');
    expect([await field.inputValue(), await evidence()]).toEqual(['', 'RESPONSE']);

    expect(await field.isVisible()).toBe(false);
    await page.getByText('Idempotency key', { exact: true }).click();
    await page.getByRole('button', { name: 'New', exact: true }).click();
    const key = await field.inputValue();
    expect(key).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect([await evidence(), await evidence()]).toEqual(['RESPONSE', 'REPLAY']);
    await expect.poll(() => shown(page, 'response.json')).toMatch(/"evidence": "REPLAY"/);

    const introspected = page.waitForResponse(gateway.url);
    await page.reload();
    await introspected;
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    await openExample(page, 'Track a shipment'); // GraphiQL may not have stored its variables yet
    expect([await field.inputValue(), await evidence()]).toEqual([key, 'REPLAY']);
    await page.getByRole('button', { name: 'New', exact: true }).click();
    expect([(await field.inputValue()) === key, await evidence()]).toEqual([false, 'RESPONSE']);
    await field.fill(' ');
    expect(await evidence()).toBe('RESPONSE');

    expect(keys).toEqual([undefined, key, key, key, expect.not.stringMatching(key), undefined]);
    expect(gateway.takeCalls().map(({ method }) => method)).toEqual(Array(4).fill('POST'));
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

  describe('REST calls', () => {
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
      const { query, variables } = bulkOperation('trackShipments', items, {
        selection: 'results { outcome }',
      });
      const { page, problems } = await openOnce();
      await page.locator('.graphiql-tab-add').click();
      // The editors of the new tab are emptied one after the other.
      await untilHolds(async () => {
        await setModel(page, 'operation.graphql', query);
        await setModel(page, 'variables.json', JSON.stringify(variables));
        const { results } = (await run(page)).data?.['trackShipments'] as { results: unknown[] };
        expect(results.length).toBe(40);
      });
      problems.length = 0; // the browser reports an operation that was sent before they were empty
      const calls = page.getByLabel('REST calls', { exact: true });
      await calls.getByText('REST calls (40)').waitFor();
      if ((await calls.getAttribute('open')) === null) await calls.locator('summary').click();
      const lanes = page.getByRole('img', { name: /^40 calls, at most \d+ at a time$/ });
      const { height = 0 } = (await lanes.boundingBox()) ?? {};
      expect(height).toBeLessThanOrEqual(105);
      expect(await lanes.locator('.lane span').count()).toBe(40);
      await expect.poll(() => page.locator('.rest-call').count()).toBe(10);
      await page.getByRole('button', { name: 'Show 30 more' }).click();
      await expect.poll(() => page.locator('.rest-call').count()).toBe(40);
      for (const viewport of [desktop, phone]) {
        await page.setViewportSize(viewport);
        const [result, footer] = await Promise.all(
          ['.result-window', '.graphiql-footer'].map((selector) => page.locator(selector).boundingBox()),
        );
        expect(result?.height).toBeGreaterThan(120);
        expect(footer?.y).toBe((result?.y ?? 0) + (result?.height ?? 0));
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
});

describe('a gateway in front of a configured service', { timeout: 120_000 }, () => {
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
