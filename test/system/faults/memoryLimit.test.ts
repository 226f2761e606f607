/** Large lists and requests of one address in a process of 512 MiB: it survives, and another client is served all the while. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dockerfileInstruction } from '../../support/deploy/deployment.js';
import { about } from '../../support/graphql/faultOperations.js';
import { bulkOperation, itemAbout } from '../../support/graphql/bulkFields.js';
import { asVariables, type Operation } from '../../support/graphql/rootFields.js';
import { createOtherClient, type OtherClient } from '../../support/http/otherClient.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import {
  limitMemory,
  peakMebibytes,
  removeControlGroup,
  residentBytes,
} from '../../support/process/memory.js';
import { HEAP_PROBE } from '../../support/process/probes.js';
import { notification, startFaultServer, type FaultServer } from '../../support/service/faultServer.js';
import { scrape } from '../../support/telemetry/metrics.js';
import { freePort } from '../../support/tools/freePort.js';

const MEMORY_BYTES = 536_870_912;
const LIST_BYTES = 9_500_000;
const CLIENTS = 64;
/** Of each list. Their messages are twice what it keeps. */
const ITEMS = 100;
const LARGE_REQUESTS = 384;
const REQUEST_BYTES = 258_000;
/** For which the service stays slow once a request has been rejected. */
const SLOW_MS = 2000;
/** In use after a garbage collection. */
const MAX_IDLE_HEAP_BYTES = 60_000_000;
/** Twice the limit on a response of the service, and the errors. */
const MAX_RESULT_BYTES = 21_000_000;
/** Requests at a time that have a large response. */
const MAX_LARGE_RESPONSES = 3;

interface BulkResponse {
  data?: { trackShipments: { results: unknown[] } | null };
  errors?: { path: (number | string)[]; extensions: object }[];
}

const heapOption = /--max-old-space-size=\d+/.exec(dockerfileInstruction('CMD'))?.[0] ?? '';

let service: FaultServer;
let gateway: GatewayProcess;
let origin = '';
let metricsUrl = '';
let clients: Pool;
let other: OtherClient;
let rows = 0;
/** When the slow service responds. */
let recovery = Promise.resolve();
beforeAll(async () => {
  service = await startFaultServer();
  const row = notification('a-guid-of-a-notification-in-the-list', 'robin.planner');
  rows = Math.floor(LIST_BYTES / (JSON.stringify(row).length + 1));
  const body = JSON.stringify({ data: Array(rows).fill(row), messages: [], totalPossibleCount: rows });
  const headers = { 'content-length': String(body.length) };
  const longMessages = JSON.stringify({ messages: [{ message: 'No. '.repeat(2400) }] });
  service.plan = ({ subject }) => {
    if (subject.startsWith('rejected')) return { kind: 'respond', status: 403, body: longMessages };
    if (subject === 'large') return { kind: 'respond', headers, body };
    return subject === 'slow' ? { kind: 'delay', until: () => recovery } : undefined;
  };
  const metricsPort = await freePort();
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  gateway = startGatewayProcess({
    env: {
      ...productionEnv,
      SERVICE_URL: service.url,
      METRICS_PORT: String(metricsPort),
      SERVICE_TIMEOUT_MS: '60000',
    },
    probe: HEAP_PROBE,
    nodeOptions: [heapOption, '--expose-gc'],
  });
  limitMemory(gateway, MEMORY_BYTES);
  origin = await gateway.listening();
  clients = new Pool(origin, { connections: CLIENTS });
  other = createOtherClient(origin);
}, 60_000);
afterAll(async () => {
  await Promise.all([clients.destroy(), other.close()]);
  await gateway.stop();
  await service.stop();
  removeControlGroup();
});

async function send(operation: Operation, token: string) {
  const { body } = await clients.request({
    path: '/graphql',
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(operation),
  });
  const text = await body.text();
  const codes = [
    ...text.slice(-2000).matchAll(/"code":"(\w+)"/g),
    ...text.slice(0, 2000).matchAll(/"code":"(\w+)"/g),
  ];
  return { bytes: text.length, code: codes[0]?.[1] };
}

async function serveMeanwhile<T>(attack: Promise<T>): Promise<T> {
  const result = await other.isServedDuring(attack, { mayBeShed: true });
  console.log(`memory in MiB: ${peakMebibytes()} at most`);
  return result;
}

const largeResponses = async () => (await scrape(metricsUrl))['shipment_gateway_large_responses'] ?? 0;

async function expectMemoryFree(): Promise<void> {
  await expect.poll(largeResponses).toBe(0);
  expect(gateway.child.exitCode).toBeNull();
  expect(await gateway.ask('heap')).toBeLessThan(MAX_IDLE_HEAP_BYTES);
}

/** Sends requests for large lists, whose responses are not read. */
function requestUnreadLists(count: number): Socket[] {
  const { hostname, port } = new URL(origin);
  const body = JSON.stringify(list(`notifications ${ROW}`));
  const request = [
    'POST /graphql HTTP/1.1',
    'host: gateway',
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  return Array.from({ length: count }, (_, index) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('error', () => undefined);
    socket.pause();
    const token = `authorization: Bearer slow-${index}`; // equal reads of one token would be one
    socket.write(`${[...request, token].join('\r\n')}\r\n\r\n${body}`);
    return socket;
  });
}

const list = (selection: string) =>
  asVariables('notifications', { additionalParameters: { subject: 'large' } }, `{ ${selection} }`);
const ROW = '{ notificationGuid notificationName notificationTypes lastUpdateDate recipient { __typename } }';

test('rejects a list of 9.5 MB with 49 aliases each time', { timeout: 300_000 }, async () => {
  const aliases = Array.from({ length: 49 }, (_, index) => `a${index}: notifications ${ROW}`).join(' ');
  await serveMeanwhile(
    (async () => {
      for (let round = 0; round < 2; round += 1) {
        let { code } = await send(list(aliases), 'greedy');
        // Shed, because the event loop of a busy machine lags.
        while (code === 'SERVICE_UNAVAILABLE') ({ code } = await send(list(aliases), 'greedy'));
        expect(code).toBe('QUERY_TOO_COMPLEX');
      }
    })(),
  );
  await expectMemoryFree();
});

test(
  'serves 12 clients of a list of 9.5 MB in turn, and rejects those that wait for too long',
  { timeout: 300_000 },
  async () => {
    const read = (client: number) => send(list(`notifications ${ROW} totalPossibleCount`), `token-${client}`);
    const responses = await serveMeanwhile(
      Promise.all(Array.from({ length: 12 }, (_, client) => read(client))),
    );
    const outcomes = responses.map(({ code, bytes }) => code ?? (bytes > rows * 100 ? 'complete' : bytes));
    expect(outcomes).toContain('complete');
    const ends = ['complete', 'SERVICE_UNAVAILABLE', 'SERVICE_TIMEOUT'];
    expect(outcomes.filter((outcome) => !ends.includes(String(outcome)))).toEqual([]);
    await expectMemoryFree();
  },
);

test(
  'clients that do not read have a large response in turn until they disconnect',
  { timeout: 300_000 },
  async () => {
    const sockets = requestUnreadLists(8);
    await serveMeanwhile(expect.poll(largeResponses).toBe(MAX_LARGE_RESPONSES));
    await serveMeanwhile(sleep(1000));
    expect(await largeResponses()).toBe(MAX_LARGE_RESPONSES);
    for (const socket of sockets) socket.destroy();
    await expectMemoryFree();
  },
);

/** What explains their items: three times each as data, or as errors. */
const EXPLAINED = ['errors { code a: serviceMessages b: serviceMessages c: serviceMessages }', 'tracked'];

test(
  'survives 64 clients with 100 items each, which the service rejects with long messages, for half of them as data, three times',
  { timeout: 300_000 },
  async () => {
    const items = Array.from({ length: ITEMS }, (_, index) =>
      itemAbout('trackShipment', `rejected-${index}`),
    );
    const bodies = EXPLAINED.map((selection) =>
      JSON.stringify(bulkOperation('trackShipments', items, { selection: `results { ${selection} }` })),
    );
    let maxBytes = 0;
    /** The results that are not null without an error. */
    const attack = async (client: number): Promise<number> => {
      const response = await clients.request({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer bulk-${client}` },
        body: bodies[client % bodies.length] ?? '',
      });
      const text = await response.body.text();
      maxBytes = Math.max(maxBytes, text.length);
      const { data, errors = [] } = JSON.parse(text) as BulkResponse;
      const results = data?.trackShipments?.results ?? [];
      const named = new Set(errors.map(({ path }) => path[2]));
      return results.filter((result, index) => result !== null || named.has(index)).length;
    };
    const explained = await serveMeanwhile(
      Promise.all(Array.from({ length: CLIENTS }, (_, client) => attack(client))),
    );
    expect(explained).toEqual(Array(CLIENTS).fill(ITEMS));
    expect(maxBytes).toBeLessThan(MAX_RESULT_BYTES);
    await expectMemoryFree();
  },
);

test(
  'survives 384 requests of 258 kB while the service is slow and six lists are not read',
  { timeout: 300_000 },
  async () => {
    const attackers = new Pool(origin, { connections: LARGE_REQUESTS });
    const { query, variables } = about('trackShipment', 'slow');
    // A character that is not Latin-1 makes all of them take two bytes.
    const additionalParameters = { padding: `€${'x'.repeat(REQUEST_BYTES - 500)}` };
    const input = { ...(variables['input'] as object), additionalParameters };
    const body = JSON.stringify({ query, variables: { input } });
    const rejected = '"code":"SERVICE_UNAVAILABLE","outcome":"NOT_APPLIED"';
    const attack = () => {
      let onRejected = () => {};
      recovery = new Promise<void>((resolve) => {
        onRejected = resolve;
      }).then(() => sleep(SLOW_MS));
      const sendLarge = async () => {
        const response = await attackers.request({
          path: '/graphql',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        });
        const text = await response.body.text();
        const outcome = /"code":"\w+","outcome":"\w+"/.exec(text)?.[0];
        if (outcome === rejected) onRejected();
        return outcome ?? response.statusCode;
      };
      return serveMeanwhile(Promise.all(Array.from({ length: LARGE_REQUESTS }, sendLarge)));
    };
    const sockets = requestUnreadLists(6);
    const outcomes = await attack();
    expect(outcomes.filter((outcome) => outcome !== 200 && outcome !== rejected)).toEqual([]);
    expect(outcomes).toContain(rejected);
    for (const socket of sockets) socket.destroy();
    // Alone, as many are served as one address may have in flight.
    const alone = await attack();
    expect(new Set(alone)).toEqual(new Set([200, rejected]));
    await attackers.destroy();
    await expectMemoryFree();
    console.log(`resident: ${Math.round(residentBytes(gateway) / 1e6)} MB at most`);
    expect(residentBytes(gateway)).toBeLessThan(MEMORY_BYTES); // pages of the program's files included, which the limit does not count
  },
);
