/** Expensive documents are rejected before any REST call and without blocking the event loop for long. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMockService, type MockService } from '../../../src/mock/mockService.js';
import { documentBombs } from '../../support/graphql/documentBombs.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { EVENT_LOOP_PROBE } from '../../support/process/probes.js';
import { post } from '../../support/http/post.js';

const MAX_DELAY_MS = 20;
/** Other processes delay the gateway as well, but not in every attempt: the shortest delay counts. */
const MAX_ATTEMPTS = 100;

let service: MockService;
let gateway: GatewayProcess;
let url: string;
beforeAll(async () => {
  service = await startMockService();
  gateway = startGatewayProcess({
    env: { ...productionEnv, SERVICE_URL: service.url },
    probe: EVENT_LOOP_PROBE,
  });
  url = `${await gateway.listening()}/graphql`;
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  await service.stop();
});

test.each(Object.entries(documentBombs))(
  'rejects %s without blocking the event loop',
  async (_name, bomb) => {
    const { code = 'QUERY_TOO_COMPLEX', ...operation } = bomb;
    let shortestDelayMs = Infinity;
    let attempts = 0;
    for (; attempts < MAX_ATTEMPTS && shortestDelayMs > MAX_DELAY_MS; attempts += 1) {
      await gateway.ask('begin');
      const { status, errors } = await send(operation);
      shortestDelayMs = Math.min(shortestDelayMs, (await gateway.ask('end')) as number);
      expect(status).toBe(errors[0]?.extensions['code'] === 'GRAPHQL_PARSE_FAILED' ? 400 : 422);
      expect(new Set(errors.map(({ extensions }) => extensions['code']))).toContain(code);
      const isMutation = operation.query.includes('mutation');
      expect(new Set(errors.map(({ extensions }) => extensions['outcome']))).toEqual(
        new Set([isMutation ? 'NOT_APPLIED' : expect.toBeOneOf([undefined, 'NOT_APPLIED'])]),
      );
    }
    expect(service.calls).toEqual([]);
    console.log(`Shortest event-loop delay in ${attempts} attempts: ${shortestDelayMs.toFixed(1)} ms`);
    expect(shortestDelayMs).toBeLessThanOrEqual(MAX_DELAY_MS);
  },
);

async function send(operation: { query: string; variables?: Record<string, unknown> }) {
  const { status, errors = [] } = await post(url, operation);
  return { status, errors };
}
