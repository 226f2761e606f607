/** A log that nobody can write or read costs its lines, and nothing else. */
import { existsSync, openSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { freePort } from '../../support/tools/freePort.js';
import { until } from '../../support/tools/waiting.js';

afterEach(killProcesses);

/** Their lines fill every buffer of a pipe. */
const REQUESTS = 1200;

const FULL_VOLUME = '/dev/full';
const outputs: [string, () => number | 'unread', RegExp][] = [
  ...(existsSync(FULL_VOLUME)
    ? ([['a file on a full volume', () => openSync(FULL_VOLUME, 'w'), /ENOSPC/]] as [
        string,
        () => number,
        RegExp,
      ][])
    : []),
  ['a pipe that nothing reads', () => 'unread', /its reader does not read/],
];

test.each(outputs)(
  'goes on, and ends on SIGTERM, while log lines cannot be written to %s',
  async (_output, open, reason) => {
    const [port, metricsPort] = [String(await freePort()), String(await freePort())];
    const program = startGatewayProcess({
      env: {
        ...productionEnv,
        PORT: port,
        METRICS_PORT: metricsPort,
        SERVICE_URL: 'http://127.0.0.1:9',
        DRAIN_DELAY_MS: '0',
      },
      stdout: open(),
    });
    const origin = `http://127.0.0.1:${port}`;
    const statusOf = async (path: string, init?: RequestInit) =>
      (await fetch(origin + path, { ...init, signal: AbortSignal.timeout(5000) })).status;
    const query = () =>
      statusOf('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
        body: '{"query":"{ __typename }"}',
      });
    await until(() => statusOf('/livez').catch(() => undefined));
    const queryRepeatedly = async () => {
      for (let request = 0; request < REQUESTS / 30; request += 1) expect(await query()).toBe(200);
    };
    await Promise.all(Array.from({ length: 30 }, queryRepeatedly));
    expect(await statusOf('/livez')).toBe(200);

    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toMatch(/^shipment_gateway_log_lines_dropped_total 0$/m); // they may yet be written
    program.kill('SIGTERM');
    const { code, stderr } = await program.exited;
    expect({ code, warnings: stderr.trim().split('\n') }).toEqual({
      code: 0,
      warnings: [expect.stringMatching(reason)],
    });
  },
);
