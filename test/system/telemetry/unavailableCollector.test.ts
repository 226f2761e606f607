/** A collector that fails is the collector's problem alone: requests and the end of the process are not affected. */
import { afterEach, expect, test } from 'vitest';
import { startMockService } from '../../../src/mock/mockService.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startCollector } from '../../support/telemetry/collector.js';
import { post } from '../../support/http/post.js';
import { useStarted } from '../../support/tools/useStarted.js';

const READ = 'query List { notifications { messages } }';

const service = useStarted(() => startMockService());
afterEach(killProcesses);

/** Nothing listens at another address of this machine, whatever ports other tests are given. */
async function closedPort() {
  const collector = await startCollector();
  return { ...collector, url: collector.url.replace('127.0.0.1', '127.0.0.77') };
}

/** Starts a gateway, makes a request, stops the gateway: what it logged, its code and how long the stop took. */
async function requestAndStop(env: Record<string, string>) {
  const gateway = startGatewayProcess({ env: { SERVICE_URL: service.url, DRAIN_DELAY_MS: '0', ...env } });
  const origin = await gateway.listening();
  const { data } = await post(`${origin}/graphql`, { query: READ });
  expect(data).toEqual({ notifications: { messages: [] } });
  const stoppedAt = performance.now();
  gateway.kill('SIGTERM');
  const { code, stdout, stderr } = await gateway.exited;
  return { code, stdout, stderr, stopMs: performance.now() - stoppedAt };
}

test.each([
  ['does not respond', () => startCollector({ status: 'silent' }), []],
  ['responds with 500', () => startCollector({ status: 500 }), ['Internal Server Error: 500']],
  ['is down', closedPort, []],
])(
  'if the collector %s, the gateway responds, stops within a second and exits with code 0',
  async (_what, start, messages) => {
    const brokenCollector = await start();
    const { code, stdout, stderr, stopMs } = await requestAndStop({
      OTEL_EXPORTER_OTLP_ENDPOINT: brokenCollector.url,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stopMs).toBeLessThan(9000); // the exporter itself would wait for ten seconds
    const warnings = parseLogLines(stdout).filter(({ level }) => level !== 'info');
    expect(warnings.map(({ component, msg }) => [component, msg])).toEqual(
      messages.map((message) => ['opentelemetry', message]),
    );
    await brokenCollector.stop();
  },
);

test('variables of the SDK that are invalid are logged, and then have their defaults', async () => {
  const collector = await startCollector();
  const { code, stdout } = await requestAndStop({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_EXPORTER_OTLP_TIMEOUT: '-1',
  });
  const lines = parseLogLines(stdout).filter(({ component }) => component === 'opentelemetry');
  expect({ code, lines, spans: collector.spans.length > 0 }).toMatchObject({
    code: 0,
    lines: [
      { level: 'warn', msg: expect.stringContaining('OTEL_EXPORTER_OTLP_TIMEOUT is invalid') as string },
      {
        level: 'warn',
        msg: expect.stringContaining('OTEL_TRACES_SAMPLER value "sometimes" invalid') as string,
      },
    ],
    spans: true,
  });
  await collector.stop();
});
