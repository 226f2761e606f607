import { afterEach, expect, test } from 'vitest';
import { startMockService, type MockService } from '../../../src/mock/mockService.js';
import { readVersion } from '../../../src/version.js';
import { freePort } from '../../support/tools/freePort.js';
import { MAIN, parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { reasonToSkip, skipTestIf } from '../../support/process/requirements.js';
import { killProcesses, startProcess } from '../../support/process/startProcess.js';
import { until } from '../../support/tools/waiting.js';

const QUERY = JSON.stringify({ query: 'query List { notifications { totalPossibleCount } }' });

let service: MockService | undefined;
afterEach(async () => {
  killProcesses();
  await service?.stop();
});

/** Sends a query once the gateway accepts connections on the port. */
async function query(port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/graphql`;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer any' };
  const response = await until(() =>
    fetch(url, { method: 'POST', headers, body: QUERY }).catch(() => undefined),
  );
  expect(await response.json()).toEqual({ data: { notifications: { totalPossibleCount: 36 } } });
}

/** The lines that a gateway logs of its start, a query and its end. */
async function linesWith(env: Record<string, string>) {
  service = await startMockService();
  const port = await freePort();
  const program = startGatewayProcess({ env: { SERVICE_URL: service.url, PORT: String(port), ...env } });
  await query(port);
  program.kill('SIGINT');
  const { code, stdout, stderr } = await program.exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return parseLogLines(stdout);
}

test('log lines have the name of the level, the service and the version', async () => {
  const lines = await linesWith({ LOG_LEVEL: 'debug', OTEL_SERVICE_NAME: 'freight' });
  expect(lines.map(({ level, msg }) => `${String(level)}: ${String(msg)}`).sort()).toEqual([
    'debug: REST call',
    'info: Request',
    expect.stringMatching(/^info: Server listening at/),
  ]);
  const versions = { version: readVersion(), pid: expect.any(Number) as number };
  for (const line of lines) expect(line).toMatchObject({ service: 'freight', ...versions });
});

test('LOG_LEVEL drops lines below its level', async () => {
  expect(await linesWith({ LOG_LEVEL: 'warn' })).toEqual([]);
});

test('log lines are human-readable on a terminal', async (context) => {
  skipTestIf(reasonToSkip('script'), context);
  service = await startMockService();
  const port = await freePort();
  const command = `exec ${process.execPath} ${MAIN}`;
  const terminal = startProcess('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { SERVICE_URL: service.url, PORT: String(port) },
  });
  await query(port);
  const [lines] = await terminal.printed(/[^\n]*INFO[^\n]*Request[^]*requestId[^]*durationMs/);
  const text = lines.replaceAll(/\u001b\[\d+m/g, '');
  expect(text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: Request\r\n {4}requestId: "/);
  expect(text).not.toContain('{"level"');
});
