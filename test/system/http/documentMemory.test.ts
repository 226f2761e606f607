/** Any number of different documents: of those that were read only so many are kept. */
import pMap from 'p-map';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  startReferenceService,
  type ReferenceService,
} from '../../../src/reference-service/referenceService.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { HEAP_PROBE } from '../../support/process/probes.js';

const DOCUMENTS = 20_000;
const MEBIBYTE = 1_048_576;

let service: ReferenceService;
let gateway: GatewayProcess;
let callers: Pool;
beforeAll(async () => {
  service = await startReferenceService();
  gateway = startGatewayProcess({
    env: { NODE_ENV: 'production', SERVICE_URL: service.url },
    probe: HEAP_PROBE,
    nodeOptions: ['--expose-gc'],
  });
  callers = new Pool(await gateway.listening(), { connections: 16 });
}, 60_000);
afterAll(async () => {
  await callers.destroy();
  await gateway.stop();
  await service.stop();
});

/** Sends documents that no other part of the test sends; gives the heap after them. */
async function heapAfter(part: string, count: number): Promise<number> {
  const indices = Array.from({ length: count }, (_, index) => index);
  const answers = await pMap(
    indices,
    async (index) => {
      const alias = `${part}${index}`;
      const query = `query ${alias} { ${alias}: __typename ${'b: __typename '.repeat(20)} }`;
      const { body } = await callers.request({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return (await body.json()) as { data?: Record<string, string> };
    },
    { concurrency: 16 },
  );
  expect(answers.filter(({ data }, index) => data?.[`${part}${index}`] !== 'Query')).toEqual([]);
  return (await gateway.ask('heap')) as number;
}

test(
  '20,000 of them take less than 32 MB, and the second half takes none',
  { timeout: 300_000 },
  async () => {
    const atFirst = await heapAfter('warmUp', 500);
    const halfway = await heapAfter('first', DOCUMENTS / 2);
    const atLast = await heapAfter('second', DOCUMENTS / 2);
    console.log([atFirst, halfway, atLast].map((bytes) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`).join(', '));
    expect(atLast - atFirst).toBeLessThan(32_000_000);
    expect(atLast - halfway).toBeLessThan(2_000_000);
  },
);
