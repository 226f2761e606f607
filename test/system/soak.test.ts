/** Memory leaks: after each round of load, the heap of the gateway is as large as after the first. */
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  startReferenceService,
  type ReferenceService,
} from '../../src/reference-service/referenceService.js';
import { sizes } from '../support/tools/scale.js';
import { freePort } from '../support/tools/freePort.js';
import { startGatewayProcess, type GatewayProcess } from '../support/process/gatewayProcess.js';
import { HEAP_PROBE } from '../support/process/probes.js';
import { SEED_GUID } from '../support/graphql/rootFields.js';

vi.setConfig({ testTimeout: 20 * sizes.loadMs + 60_000, hookTimeout: 60_000 });

const ROUNDS = 5;
const CLIENTS = 20;
const MEBIBYTE = 1_048_576;

let service: ReferenceService;
let gateway: GatewayProcess;
let clients: Pool;
beforeAll(async () => {
  service = await startReferenceService({ record: false });
  gateway = startGatewayProcess({
    env: {
      NODE_ENV: 'production',
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
  await service.stop();
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
    // The warm-up has sent all 50 of them; documentMemory.test.ts covers documents that never repeat.
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

/** Sends operations until the time is up; returns how many. */
async function load(): Promise<number> {
  const until = performance.now() + sizes.loadMs;
  let sent = 0;
  const call = async () => {
    while (performance.now() < until) {
      sent += 1;
      const { body } = await clients.request({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer token-${sent % 1000}` },
        body: JSON.stringify(operations[sent % operations.length]?.(sent)),
      });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, call));
  return sent;
}

test(`the heap stays within 2 MB of its size after the first of ${ROUNDS} rounds of load`, async () => {
  const heaps: number[] = [];
  let sent = await load(); // warm up: fill the caches, compile hot functions
  for (let round = 0; round < ROUNDS; round += 1) {
    sent += await load();
    heaps.push((await gateway.ask('heap')) as number);
  }
  const mebibytes = heaps.map((bytes) => (bytes / MEBIBYTE).toFixed(2)).join(', ');
  console.log(
    `After ${ROUNDS} rounds of ${sizes.loadMs} ms, ${sent} requests in all: MiB of heap ${mebibytes}`,
  );
  const [first = 0, ...others] = heaps;
  expect(others.filter((bytes) => Math.abs(bytes - first) > 2_000_000)).toEqual([]);
});
