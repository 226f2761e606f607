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

describe('a collector that is of no use holds nothing up', () => {
  test.each([
    ['gives no answer', () => startCollector({ isSilent: true })],
    [
      'is not there',
      async () => {
        const gone = await startCollector();
        await gone.stop();
        return { ...gone, stop: () => Promise.resolve() };
      },
    ],
  ])('when it %s', async (_what, start) => {
    const other = await start();
    const program = startGatewayProcess({
      env: {
        SERVICE_URL: service.url,
        OTEL_EXPORTER_OTLP_ENDPOINT: other.url,
        DRAIN_DELAY_MS: '0',
        SHUTDOWN_GRACE_MS: '1000',
      },
    });
    const origin = await program.listening();
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
      body: JSON.stringify({ query: READ }),
    });
    expect(await response.json()).toEqual({ data: { notifications: { messages: [] } } });
    const toldAt = performance.now();
    program.kill('SIGTERM');
    expect(await program.exited).toMatchObject({ code: 0, stderr: '' });
    expect(performance.now() - toldAt).toBeLessThan(9000); // an export alone would take ten seconds
    await other.stop();
  });
});
