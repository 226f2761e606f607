/** The memory that documents take is bounded, however many different ones arrive. */
import pMap from 'p-map';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMockService, type MockService } from '../../../src/mock/mockService.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { HEAP_PROBE } from '../../support/process/probes.js';

/** Of which the cache holds a third. */
const DOCUMENTS = 2000;
const MEBIBYTE = 1_048_576;

let service: MockService;
let gateway: GatewayProcess;
let clients: Pool;
beforeAll(async () => {
  service = await startMockService();
  gateway = startGatewayProcess({
    env: { ...productionEnv, SERVICE_URL: service.url },
    probe: HEAP_PROBE,
    nodeOptions: ['--expose-gc'],
  });
  clients = new Pool(await gateway.listening(), { connections: 16 });
}, 60_000);
afterAll(async () => {
  await clients.destroy();
  await gateway.stop();
  await service.stop();
});

/** Sends documents that differ by prefix and index; returns the heap size afterwards. */
async function heapAfter(prefix: string, count: number): Promise<number> {
  const indices = Array.from({ length: count }, (_, index) => index);
  const responses = await pMap(
    indices,
    async (index) => {
      const alias = `${prefix}${index}`;
      const query = `query ${alias} { ${alias}: __typename ${'b: __typename '.repeat(20)} }`;
      const send = async () => {
        const { body } = await clients.request({
          path: '/graphql',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query }),
        });
        return (await body.json()) as { data?: Record<string, string> };
      };
      let response = await send();
      while (!response.data) response = await send(); // shed, because the event loop of a busy machine lags
      return response.data;
    },
    { concurrency: 16 },
  );
  expect(responses.filter((data, index) => data[`${prefix}${index}`] !== 'Query')).toEqual([]);
  return (await gateway.ask('heap')) as number;
}

test(
  'keeps 2,000 different documents within 32 MB of heap, of which the second half adds less than 1 MB',
  { timeout: 300_000 },
  async () => {
    const before = await heapAfter('warmUp', 500);
    const afterHalf = await heapAfter('first', DOCUMENTS / 2);
    const afterBoth = await heapAfter('second', DOCUMENTS / 2);
    console.log(
      [before, afterHalf, afterBoth].map((bytes) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`).join(', '),
    );
    expect(afterBoth - before).toBeLessThan(32_000_000);
    expect(afterBoth - afterHalf).toBeLessThan(1_000_000);
  },
);
