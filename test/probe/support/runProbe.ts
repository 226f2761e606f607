/** Runs the probe, and reads its report as a person does: lines, and what is to be added to .env. */
import { parseEnv } from 'node:util';
import { expect } from 'vitest';
import { shipmentPaths } from '../../../src/freight/operations.js';
import { parseConfig } from '../../../src/config/config.js';
import { runProbe } from '../../../src/probe/probe.js';

export const PROBE_TOKEN = 't0ken-of-the-probe';

/**
 * `findings` has what the lines of each point say, by the point: the verdict and what was seen. `settings` are what is to be added
 * to .env.
 */
export async function probe(
  environment: { SERVICE_URL: string; [name: string]: string },
  { token = PROBE_TOKEN } = {},
) {
  let stdout = '';
  const output = {
    write(text: Uint8Array | string) {
      stdout += String(text);
      return true;
    },
  };
  const given = { environment, files: new Map(), problems: [] };
  const config = { ...parseConfig(given.environment), SERVICE_URL: new URL(environment.SERVICE_URL) };
  const code = await runProbe(config, given, token || undefined, { stdout: output });
  expect(stdout).not.toMatch(/t0ken|5ecret/);
  const [table = '', ...advice] = stdout.split('\n\n');
  const settings: Record<string, string | undefined> = advice[0]?.startsWith('Add to .env')
    ? parseEnv(advice[1] ?? '')
    : {};
  const findings: Record<string, string> = {};
  for (const line of table.split('\n')) {
    const [, verdict = '', point = '', saw = ''] = /^(\w+) +(\S+(?: \S+)*?) {2,}(.*)$/.exec(line) ?? [];
    expect(verdict, line).toMatch(/^(?:failed|noted|open|proven|set)$/);
    const said = `${verdict}: ${saw}`;
    findings[point] = point in findings ? `${findings[point] ?? ''}\n${said}` : said;
  }
  return { code, stdout, findings, settings };
}

/** A finding about the path of each call on shipments. */
export function ofShipmentPaths(finding: (path: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(shipmentPaths).map(([call, path]) => [`${call}_PATH`, finding(path)]),
  );
}
