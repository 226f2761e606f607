import { afterEach, describe, expect, test } from 'vitest';
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

describe('LOG_LEVEL drops lines below its level', () => {
  const listening = expect.stringMatching(/^Server listening at/) as string;
  test.each([
    ['debug', ['REST call', 'Request', listening]],
    ['warn', []],
  ])('%s', async (LOG_LEVEL, expected) => {
    service = await startMockService();
    const port = await freePort();
    const program = startGatewayProcess({
      env: { SERVICE_URL: service.url, PORT: String(port), LOG_LEVEL },
    });
    await query(port);
    program.kill('SIGINT');
    const { code, stdout, stderr } = await program.exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(
      parseLogLines(stdout)
        .map(({ msg }) => String(msg))
        .sort(),
    ).toEqual(expected);
  });
});

test('log lines have the name of the level, the service and the version', async () => {
  service = await startMockService();
  const port = await freePort();
  const env = { SERVICE_URL: service.url, PORT: String(port) };
  const versions = { version: readVersion(), pid: expect.any(Number) as number };
  for (const OTEL_SERVICE_NAME of ['', 'freight']) {
    const program = startGatewayProcess({ env: { ...env, OTEL_SERVICE_NAME } });
    await query(port);
    program.kill('SIGINT');
    const { stdout } = await program.exited;
    const name = OTEL_SERVICE_NAME || 'shipment-graphql-gateway';
    expect(parseLogLines(stdout)).toMatchObject([
      { level: 'info', service: name, ...versions },
      { level: 'info', service: name, ...versions, msg: 'Request' },
    ]);
  }
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
