/** Documents that would cost much: no REST call, an answer that says so, and the event loop is soon free again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startReferenceService,
  type ReferenceService,
} from '../../../src/reference-service/referenceService.js';
import { documentBombs } from '../../support/graphql/documentBombs.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { EVENT_LOOP_PROBE } from '../../support/process/probes.js';

const MOST_DELAY_MS = 20;
/** What else runs on the machine can hold the gateway up as well, though not every time. */
const MOST_TRIES = 100;

let service: ReferenceService;
let gateway: GatewayProcess;
let url: string;
beforeAll(async () => {
  service = await startReferenceService();
  gateway = startGatewayProcess({
    env: { NODE_ENV: 'production', SERVICE_URL: service.url },
    probe: EVENT_LOOP_PROBE,
  });
  url = `${await gateway.listening()}/graphql`;
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  await service.stop();
});

test.each(Object.entries(documentBombs))('%s', async (_name, bomb) => {
  const { code = 'QUERY_TOO_COMPLEX', ...operation } = bomb;
  let leastDelayMs = Infinity;
  let tries = 0;
  for (; tries < MOST_TRIES && leastDelayMs > MOST_DELAY_MS; tries += 1) {
    await gateway.ask('begin');
    const { status, errors } = await send(operation);
    leastDelayMs = Math.min(leastDelayMs, (await gateway.ask('end')) as number);
    expect(status).toBe(400);
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toContain(code);
    const isMutation = operation.query.includes('mutation');
    expect(new Set(errors.map(({ extensions }) => extensions.outcome))).toEqual(
      new Set([isMutation ? 'NOT_APPLIED' : expect.toBeOneOf([undefined, 'NOT_APPLIED'])]),
    );
  }
  expect(service.calls).toEqual([]);
  console.log(`${leastDelayMs.toFixed(1)} ms at the least in ${tries} tries`);
  expect(leastDelayMs).toBeLessThanOrEqual(MOST_DELAY_MS);
});

async function send(operation: { query: string; variables?: Record<string, unknown> }) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
    body: JSON.stringify(operation),
  });
  const { errors } = (await response.json()) as {
    errors: { message: string; extensions: { code: string; outcome?: string } }[];
  };
  return { status: response.status, errors };
}
