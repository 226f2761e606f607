import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { skipIf } from '../process/requirements.js';
import { minimalEnv } from '../process/minimalEnv.js';

/** The first one draws no window, and opens a page in two thirds of the time. */
const programs = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const executablePath = (minimalEnv['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => programs.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Starts Chromium for the tests of the file or suite that calls this, or skips them where it is not installed. */
export function useChromium(): () => Browser {
  let browser: Browser | undefined;
  skipIf(executablePath === undefined ? 'chromium not installed' : undefined);
  beforeAll(async () => {
    // A failing hook would have the tests skipped even if REQUIRE_ALL=1.
    if (executablePath !== undefined) browser = await startChromium(executablePath);
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('Expected Chromium to run');
    return browser;
  };
}

/** A browser that can reach no other host than this machine. */
function startChromium(executable: string): Promise<Browser> {
  return chromium.launch({
    executablePath: executable,
    env: minimalEnv,
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
}

/** A page that records its requests and everything that goes wrong in it. */
export interface WatchedPage {
  page: Page;
  /** URLs of its requests. */
  requests: string[];
  /** Script errors and console errors, among them violations of the content security policy. */
  problems: string[];
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const page = await browser.newPage(options);
  const requests: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return { page, requests, problems };
}
