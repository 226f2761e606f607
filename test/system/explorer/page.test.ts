import { describe, expect, test } from 'vitest';
import { errorExamples } from '../../../src/explorer/errorExamples.js';
import { useChromium, openPage } from '../../support/browser/chromium.js';
import { desktop, openExample, openExplorer, run, shown } from '../../support/browser/explorerPage.js';
import { useGateway } from '../../support/gateway/gateway.js';

interface Tracked {
  trackShipment: { evidence: string };
}

describe('the page of the explorer', { timeout: 60_000 }, () => {
  const gateway = useGateway({
    env: {
      EXPLORER: 'true',
      NODE_ENV: 'development',
      SERVICE_TIMEOUT_MS: '1000',
    },
    usesMockService: true,
  });
  const browser = useChromium();
  const open = () =>
    openExplorer(browser(), gateway.url, {
      viewport: desktop,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
  let opened: ReturnType<typeof open> | undefined;
  const openOnce = () => (opened ??= open()); // which takes longer than what most tests do

  test('wraps long lines, and shows each example from its first line', async () => {
    const { page } = await openOnce();
    const editor = page.locator('.graphiql-query-editor .monaco-editor').first();
    const { x = 0, width = 0 } = (await editor.boundingBox()) ?? {};
    const ends = async () => {
      const boxes = await Promise.all(
        (await editor.locator('.view-line > span').all()).map((line) => line.boundingBox()),
      );
      return boxes.map((box) => (box ? box.x + box.width : 0));
    };
    await expect.poll(async () => Math.max(...(await ends()))).toBeLessThanOrEqual(x + width);
    await editor.hover();
    await page.mouse.wheel(0, 2000);
    const firstNumber = async () => {
      const numbers = await editor.locator('.line-numbers').allTextContents();
      return Math.min(...numbers.filter((text) => text !== '').map(Number)); // none where a line was wrapped
    };
    await expect.poll(firstNumber).toBeGreaterThan(1);
    await openExample(page, 'Track several shipments');
    await expect.poll(firstNumber).toBe(1);
  });

  test('never grows beyond the window, however high an editor is', async () => {
    const { page } = await openOnce();
    const style = await page.addStyleTag({ content: '.monaco-editor { height: 3000px !important }' });
    await page.waitForFunction('document.querySelector(".monaco-editor").clientHeight === 3000');
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(desktop.height);
    await style.evaluate('(element) => element.remove()');
  });

  test('shows the token on request, and says when there is none without moving anything', async () => {
    const { page } = await openOnce();
    const token = page.getByLabel('Bearer token');
    const place = await token.boundingBox();
    expect(await token.getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(await token.getAttribute('type')).toBe('text');
    await token.fill('');
    expect(await token.getAttribute('placeholder')).toBe('needed for notifications');
    expect(await token.boundingBox()).toEqual(place);
    await token.fill('demo');
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
  });

  test('shows the headers of an example that has some, and the variables of others', async () => {
    const { page } = await openOnce();
    const tab = () => page.locator('.graphiql-editor-tools .active').innerText();
    await openExample(page, 'FORBIDDEN');
    await expect.poll(tab).toBe('Headers');
    await openExample(page, 'Read a notification');
    await expect.poll(tab).toBe('Variables');
  });

  test('sends a token that is entered with or without its scheme', async () => {
    const { page } = await openOnce();
    await openExample(page, 'List notifications');
    gateway.takeCalls();
    for (const typed of ['my-token', 'Bearer my-token', ' bearer  my-token ']) {
      await page.getByLabel('Bearer token').fill(typed);
      await run(page);
    }
    const tokens = gateway.takeCalls().map(({ headers }) => headers.authorization);
    expect(tokens).toEqual(Array(3).fill('Bearer my-token'));
  });

  test('has an example that is sent once however often it is executed', async () => {
    const { page } = await openOnce();
    await openExample(page, 'Repeat safely');
    gateway.takeCalls();
    for (const evidence of ['RESPONSE', 'REPLAY', 'REPLAY'])
      expect((await run(page)).data).toEqual({
        trackShipment: { outcome: 'APPLIED', evidence, errors: [], tracked: true },
      });
    expect(gateway.takeCalls().map(({ method }) => method)).toEqual(['POST']);
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
    const { page } = await openOnce();
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

  test('documents the schema as a whole, and hides the fields for subgraphs', async () => {
    const { page } = await openOnce();
    await page.getByLabel('Show Documentation Explorer').click();
    const content = page.locator('.graphiql-doc-explorer');
    await content.getByText('GraphQL for a freight REST service').waitFor();
    expect(await content.innerText()).not.toMatch(/_Any|_Service|_Entity/);
    await content.getByText('Query', { exact: true }).last().click();
    await content.getByText('notificationsByGuid').waitFor();
    expect(await content.innerText()).not.toMatch(/_entities|_service|_sdl/);
  });

  test('is where / leads', async () => {
    const { page } = await openPage(browser());
    const explorer = new URL('explorer/', gateway.url).href;
    await page.goto(new URL(gateway.url).origin, { waitUntil: 'commit' }); // which is after the redirect
    expect(page.url()).toBe(explorer);
    await page.close();
  });
});
