import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);

/** Whether tests with a browser are to be skipped; they fail instead where REQUIRE_ALL is 1. */
export const browserMissing = executablePath === undefined && process.env['REQUIRE_ALL'] !== '1';
if (browserMissing) console.warn('Tests with a browser are skipped: Chromium is not installed here.');

/** A browser for which no other host than this one exists. */
export function startChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('Expected Chromium in /usr/bin, got nothing');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
}

/** A page, with what it asks for and what goes wrong in it. */
export interface WatchedPage {
  page: Page;
  /** Addresses of its requests. */
  requests: string[];
  /** Errors of scripts, and of the console: what the content security policy forbids is among them. */
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
