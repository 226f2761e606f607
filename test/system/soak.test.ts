/** Memory leaks: the heap of the gateway does not grow with the number of requests. */
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startMockService } from '../../src/mock/mockService.js';
import { sizes } from '../support/tools/scale.js';
import { freePort } from '../support/tools/freePort.js';
import { productionEnv } from '../support/process/minimalEnv.js';
import { startGatewayProcess, type GatewayProcess } from '../support/process/gatewayProcess.js';
import { HEAP_PROBE } from '../support/process/probes.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';
import { useStarted } from '../support/tools/useStarted.js';

// Eight rounds take long on a busy machine.
vi.setConfig({ testTimeout: 3 * sizes.testTimeoutMs, hookTimeout: 60_000 });

const WARM_UP_ROUNDS = 3; // to fill the caches, and to compile hot functions
const ROUNDS = 5;
const CLIENTS = 20;
const MAX_BYTES_PER_REQUEST = 50;
const MEBIBYTE = 1_048_576;
let gateway: GatewayProcess;
let clients: Pool;
const service = useStarted(() => startMockService({ record: false }));
beforeAll(async () => {
  gateway = startGatewayProcess({
    env: {
      ...productionEnv,
      SERVICE_URL: service.url,
      METRICS_PORT: String(await freePort()),
      RATE_LIMIT: '1000000/60s',
    },
    probe: HEAP_PROBE,
    nodeOptions: ['--expose-gc'],
  });
  clients = new Pool(await gateway.listening(), { connections: CLIENTS });
});
afterAll(async () => {
  await clients.destroy();
  await gateway.stop();
});

const guid = (number: number) => `${SEED_GUID.slice(0, -8)}${number.toString(16).padStart(8, '0')}`;

/** Constant and varying documents: valid, failing, rejected and not GraphQL at all. */
const operations: ((number: number) => unknown)[] = [
  () => ({ query: '{ notifications { totalPossibleCount } }' }),
  (number) => ({
    query: `
      query ($guids: [ID!]!) {
        notificationsByGuid(notificationGuids: $guids) { notificationName }
      }
    `,
    variables: { guids: [SEED_GUID, guid(number), guid(number + 1)] },
  }),
  (number) => ({
    // documentMemory.test.ts covers documents that never repeat.
    query: `
      query Number${number % 50} {
        notification(notificationGuid: "${SEED_GUID}") { notificationName }
      }
    `,
  }),
  (number) => ({
    query: `mutation { deleteNotification(notificationGuid: "${guid(number)}") { messages } }`,
  }),
  () => ({ query: '{ notification(notificationGuid: "..") { notificationName } }' }),
  (number) => ({ query: `{ unknown${number} }` }),
  (number) => ({ query: `{ ${number}` }),
];

/** Sends a round of operations. All rounds are alike. */
async function load(): Promise<void> {
  let next = 0;
  const call = async () => {
    while (next < sizes.roundOfLoad) {
      const number = next++;
      const { body } = await clients.request({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer token-${number % 1000}` },
        body: JSON.stringify(operations[number % operations.length]?.(number)),
      });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, call));
}

// V8 compiles and discards code, which moves the heap by 2 MB in one round or another. A leak shows in every round.
test(`in the median round the heap grows by less than ${MAX_BYTES_PER_REQUEST} bytes per request`, async () => {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await load();
  const heaps = [(await gateway.ask('heap')) as number];
  for (let round = 0; round < ROUNDS; round += 1) {
    await load();
    heaps.push((await gateway.ask('heap')) as number);
  }
  const mebibytes = heaps.map((bytes) => (bytes / MEBIBYTE).toFixed(2)).join(', ');
  console.log(`MiB of heap before and after rounds of ${sizes.roundOfLoad} requests: ${mebibytes}`);
  const growths = heaps.slice(1).map((bytes, index) => bytes - (heaps[index] ?? 0));
  const median = growths.toSorted((a, b) => a - b)[(ROUNDS - 1) / 2] ?? Infinity;
  expect(median / sizes.roundOfLoad).toBeLessThan(MAX_BYTES_PER_REQUEST);
});
