/** Variables that the OpenTelemetry SDK reads itself, from the environment of the process. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startCollector, type Collector } from '../../support/telemetry/collector.js';
import { post } from '../../support/http/post.js';

vi.setConfig({ testTimeout: 30_000 });

let collector: Collector;
beforeEach(async () => {
  collector = await startCollector();
});
afterEach(async () => {
  killProcesses();
  await collector.stop();
});

/** What a gateway with these variables logged, by message, after it has served a request and stopped. */
async function serveRequest(env: Record<string, string>) {
  const gateway = startGatewayProcess({
    env: {
      ...productionEnv,
      SERVICE_URL: 'http://127.0.0.1:9',
      DRAIN_DELAY_MS: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...env,
    },
  });
  await post(`${await gateway.listening()}/graphql`, { query: '{ __typename }' });
  gateway.kill('SIGTERM');
  const { code, stdout } = await gateway.exited;
  expect(code).toBe(0);
  return parseLogLines(stdout);
}

test('are logged if they are invalid, and then have their defaults', async () => {
  const lines = await serveRequest({
    OTEL_TRACES_SAMPLER: 'sometimes',
    OTEL_EXPORTER_OTLP_TIMEOUT: '-1',
  });
  expect(lines.filter(({ component }) => component === 'opentelemetry')).toMatchObject([
    { level: 'warn', msg: expect.stringContaining('OTEL_EXPORTER_OTLP_TIMEOUT is invalid') as string },
    {
      level: 'warn',
      msg: expect.stringContaining('OTEL_TRACES_SAMPLER value "sometimes" invalid') as string,
    },
  ]);
  expect(collector.spans).toHaveLength(1);
});
