/** Chromium, where the machine has it. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { build, type Rolldown } from 'vite';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);

/** Undefined where the machine has none; fails instead when REQUIRE_ALL is 1. */
export async function launchChromium(): Promise<Browser | undefined> {
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: ['--no-sandbox'] });
  if (process.env['REQUIRE_ALL'] === '1') throw new Error('Expected Chromium, not found here');
  return undefined;
}

/** A module as one script for a browser, which leaves its exports in a global variable. */
export async function bundle(entry: string, globalName: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, name: globalName, formats: ['iife'] } },
  });
  const [output] = [result].flat() as Rolldown.RolldownOutput[];
  const [chunk] = output?.output ?? [];
  if (chunk === undefined) throw new Error(`Expected a script of ${entry}`);
  return chunk.code;
}
