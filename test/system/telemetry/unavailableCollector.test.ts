import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  startReferenceService,
  type ReferenceService,
} from '../../../src/reference-service/referenceService.js';
import { startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { startCollector } from '../../support/telemetry/collector.js';

const READ = 'query List { notifications { messages } }';

let service: ReferenceService;
beforeEach(async () => {
  service = await startReferenceService();
});
afterEach(async () => {
  killProcesses();
  await service.stop();
});

describe('the gateway responds and stops in time', () => {
  test.each([
    ['does not respond', () => startCollector({ isSilent: true })],
    [
      'is down',
      async () => {
        const stopped = await startCollector();
        await stopped.stop();
        return { ...stopped, stop: () => Promise.resolve() };
      },
    ],
  ])('if the collector %s', async (_what, start) => {
    const brokenCollector = await start();
    const gateway = startGatewayProcess({
      env: {
        SERVICE_URL: service.url,
        OTEL_EXPORTER_OTLP_ENDPOINT: brokenCollector.url,
        DRAIN_DELAY_MS: '0',
        SHUTDOWN_GRACE_MS: '1000',
      },
    });
    const origin = await gateway.listening();
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
      body: JSON.stringify({ query: READ }),
    });
    expect(await response.json()).toEqual({ data: { notifications: { messages: [] } } });
    const stoppedAt = performance.now();
    gateway.kill('SIGTERM');
    expect(await gateway.exited).toMatchObject({ code: 0, stderr: '' });
    expect(performance.now() - stoppedAt).toBeLessThan(9000); // waiting for the export would take 10 s
    await brokenCollector.stop();
  });
});
