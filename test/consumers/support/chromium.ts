/** Front-end bundles, and the Chromium to run them in. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { build, type Rolldown } from 'vite';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);

/** Returns undefined if Chromium is not installed; throws instead if REQUIRE_ALL is 1. */
export async function launchChromium(): Promise<Browser | undefined> {
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: ['--no-sandbox'] });
  if (process.env['REQUIRE_ALL'] === '1') throw new Error('REQUIRE_ALL is 1, but Chromium is not installed');
  return undefined;
}

/** Bundles a module into a single browser script that assigns its exports to a global variable. */
export async function bundle(entry: string, globalName: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, name: globalName, formats: ['iife'] } },
  });
  const [output] = [result].flat() as Rolldown.RolldownOutput[];
  const [chunk] = output?.output ?? [];
  if (chunk === undefined) throw new Error(`Expected a bundle of ${entry}`);
  return chunk.code;
}
