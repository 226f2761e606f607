import type { FormattedExecutionResult } from 'graphql';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { openPage, type WatchedPage } from './chromium.js';

export const desktop = { width: 1440, height: 900 };

/** A JavaScript expression for the page's editor models. */
const MODELS = 'globalThis.__MONACO.editor.getModels()';

/** Opens a gateway's explorer and waits until it has loaded the schema. */
export async function openExplorer(
  browser: Browser,
  graphqlUrl: string,
  options: BrowserContextOptions = { viewport: desktop },
  search = '',
): Promise<WatchedPage> {
  const watched = await openPage(browser, options);
  const introspected = watched.page.waitForResponse(graphqlUrl);
  await watched.page.goto(new URL(`explorer/${search}`, graphqlUrl).href);
  await introspected;
  await watched.page.locator('.graphiql-query-editor .view-line').first().waitFor();
  // Against the mock service, the page runs its first example; an operation of a link is never run.
  const runs = `document.documentElement.dataset.service === 'mock'`;
  if (search === '' && (await watched.page.evaluate(runs)))
    await watched.page.getByRole('region', { name: 'Response' }).waitFor();
  return watched;
}

/** Executes the operation in the editor; returns the gateway's response. */
export async function run(page: Page): Promise<FormattedExecutionResult> {
  const response = page.waitForResponse((each) => each.url().endsWith('/graphql'));
  await page.locator('.graphiql-execute-button').click();
  return (await response).json() as Promise<FormattedExecutionResult>;
}

/** Opens an example from the list in the side bar. */
export async function openExample(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: title, exact: true }).click();
}

/** The text of an editor. */
export function shown(page: Page, name: string): Promise<string> {
  return page.evaluate(`${MODELS}.find(({ uri }) => uri.path.endsWith('${name}')).getValue()`);
}

export async function setModel(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(
    `${MODELS}.find(({ uri }) => uri.path.endsWith('${name}')).setValue(${JSON.stringify(text)})`,
  );
}
