/**
 * One address that misbehaves, through deploy/nginx.conf: the gateway does not notice, and another client is served. Slow bodies and
 * unread responses stay in nginx, and of the requests only as many reach the gateway as an address may have in flight.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startNginx, type Nginx } from '../../support/deploy/nginx.js';
import { about } from '../../support/graphql/faultOperations.js';
import { asVariables } from '../../support/graphql/rootFields.js';
import { createOtherClient, type OtherClient } from '../../support/http/otherClient.js';
import { open, parseResponses, textOf } from '../../support/http/rawHttp.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/process/gatewayProcess.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { HEAP_PROBE } from '../../support/process/probes.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { notification, startFaultServer } from '../../support/service/faultServer.js';
import { scrape } from '../../support/telemetry/metrics.js';
import { freePort } from '../../support/tools/freePort.js';
import { createGate, until, untilHolds } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';

skipIf(reasonToSkip('nginx'));

/** Requests in flight: `limit_conn client` of deploy/nginx.conf. */
const MAX_OF_ADDRESS = 125;
/** In use after a garbage collection, more than before. */
const MAX_GROWTH_BYTES = 20_000_000;
/** A kilobyte in the response of the service, and in the result. */
const row = { ...notification('guid', 'robin.planner'), notificationName: 'name'.repeat(120) };
const bodyOf = (rows: number) =>
  JSON.stringify({ data: Array(rows).fill(row), messages: [], totalPossibleCount: rows });

const service = useStarted(startFaultServer);
let gateway: GatewayProcess;
let nginx: Nginx;
let metricsUrl = '';
let other: OtherClient;
let idleHeapBytes = 0;
/** Connections of the attack. Each attack comes from another address. */
const sockets: Socket[] = [];
let address = '';
let addresses = 0;
/** The service responds to the attack once it is open. */
let gate = createGate();

beforeAll(async () => {
  service.plan = ({ subject }) => {
    const [, rows] = /^list of (\d+)$/.exec(subject) ?? [];
    if (rows !== undefined) return { kind: 'respond', body: bodyOf(Number(rows)) };
    return subject.startsWith('slow') ? { kind: 'delay', until: () => gate.opened } : undefined;
  };
  const metricsPort = await freePort();
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  gateway = startGatewayProcess({
    env: {
      ...productionEnv,
      SERVICE_URL: service.url,
      METRICS_PORT: String(metricsPort),
      TRUST_PROXY: '1',
      SERVICE_CONNECTIONS: '256', // so that it is nginx that limits what is in flight
    },
    probe: HEAP_PROBE,
    nodeOptions: ['--expose-gc'],
  });
  const port = Number(new URL(await gateway.listening()).port);
  // Or a slow machine ends the connections of clients that do not read yet.
  nginx = await startNginx([port, port], 'send_timeout 300s;');
  other = createOtherClient(nginx.url);
  await other.isServedDuring(sleep(1000));
  idleHeapBytes = await heapBytes();
});
afterAll(async () => {
  await other.close();
  await nginx.stop();
  await gateway.stop();
});
beforeEach(() => {
  addresses += 1;
  address = `127.0.1.${addresses}`;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  gate.open();
  gate = createGate();
  await until(async () => (await metric('requests_in_flight')) === 0);
});

const heapBytes = async () => (await gateway.ask('heap')) as number;
const metric = async (name: string) => (await scrape(metricsUrl))[`shipment_gateway_${name}`] ?? NaN;

const TOKEN = 'authorization: Bearer attacker';
const requestOf = (operation: object, ...headers: string[]) => {
  const body = JSON.stringify(operation);
  return [
    'POST /graphql HTTP/1.1',
    'host: gateway',
    'content-type: application/json',
    `content-length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
};
const listOf = (rows: number) =>
  asVariables(
    'notifications',
    { additionalParameters: { subject: `list of ${rows}` } },
    '{ notifications { notificationGuid notificationName again: notificationName } }',
  );

/** Connections of the address, each of which sends these bytes. */
async function connectAll(count: number, bytesOf: (index: number) => string): Promise<Socket[]> {
  const opened = Array.from({ length: count }, () => open(nginx.url, address));
  sockets.push(...opened);
  await Promise.all(opened.map((socket) => once(socket, 'connect')));
  for (const [index, socket] of opened.entries()) socket.write(bytesOf(index));
  return opened;
}

/** What the gateway has in flight at most while the other client is served and the attack lasts. */
async function attack(run: () => Promise<unknown>) {
  const state = { isOver: false, inFlight: 0 };
  const watch = async () => {
    while (!state.isOver) {
      state.inFlight = Math.max(state.inFlight, await metric('requests_in_flight'));
      await sleep(50);
    }
  };
  const watched = watch();
  // On a busy machine, the event loop may lag.
  await other.isServedDuring(run(), { mayBeShed: true }).finally(() => {
    state.isOver = true;
  });
  await watched;
  const grownBytes = (await heapBytes()) - idleHeapBytes;
  console.log(`${state.inFlight} requests in flight at most, ${Math.round(grownBytes / 1e6)} MB more in use`);
  expect(grownBytes).toBeLessThan(MAX_GROWTH_BYTES);
  return state.inFlight;
}

test('200 slow bodies do not reach the gateway', async () => {
  const head = requestOf({}, TOKEN).replace('content-length: 2', 'content-length: 200000').slice(0, -2);
  const inFlight = await attack(async () => {
    const slow = await connectAll(200, () => head);
    for (let count = 0; count < 10; count += 1) {
      for (const socket of slow) socket.write(' '.repeat(1000));
      await sleep(200);
    }
  });
  expect(inFlight).toBeLessThanOrEqual(1);
});

test(
  'six clients that do not read nine megabytes, more than the sockets on the way hold, keep no turn of a large response',
  { timeout: 120_000 },
  async () => {
    const [clients, rows] = [6, 9000];
    const list = listOf(rows);
    const rowsOf = (data: unknown) =>
      (data as { notifications: { notifications: unknown[] } }).notifications.notifications.length;
    let unread: Socket[] = [];
    await attack(async () => {
      unread = await connectAll(clients, (index) =>
        requestOf(list, `${TOKEN}-${index}`, 'connection: close'),
      );
      for (const socket of unread) socket.pause();
      const received = () => service.requests.filter(({ subject }) => subject === `list of ${rows}`).length;
      await until(() => received() >= clients);
      await until(async () => (await metric('large_responses')) === 0);
      // It may be shed while the event loop is late.
      await untilHolds(async () => {
        const { data, errors } = await other.send(list);
        expect(errors).toBeUndefined();
        expect(rowsOf(data)).toBe(rows);
      });
    });
    const texts = unread.map((socket) => textOf(socket.resume()));
    const responses = (await Promise.all(texts)).map((text) => parseResponses(text)[0]);
    expect(responses.map((response) => response?.status)).toEqual(Array(clients).fill(200));
    // On a slow machine, some may have waited too long for their turn.
    const complete = responses.filter((response) => !response?.body.includes('"errors":'));
    expect(complete).not.toEqual([]);
    for (const response of complete)
      expect(rowsOf((JSON.parse(response?.body ?? '') as { data: unknown }).data)).toBe(rows);
  },
);

test('one address with 2,000 connections has no more than its requests in flight', async () => {
  const inFlight = await attack(async () => {
    await connectAll(600, () => '');
    await connectAll(600, () => 'POST /graphql HTTP/1.1\r\nhost:');
    // Of a packet of pipelined requests, each connection has one in flight.
    await connectAll(800, (index) =>
      requestOf(about('notification', `slow ${index}`), `${TOKEN}-${index}`).repeat(10),
    );
    await until(async () => (await metric('requests_in_flight')) >= MAX_OF_ADDRESS);
    await sleep(1000);
  });
  expect(inFlight).toBeLessThanOrEqual(MAX_OF_ADDRESS + 1);
});

test('a request beyond those of an address is rejected with the response of an overloaded gateway', async () => {
  const head = requestOf({}).replace('content-length: 2', 'content-length: 9').slice(0, -2);
  await connectAll(MAX_OF_ADDRESS, () => head);
  await sleep(500);
  const [rejected] = await connectAll(1, () =>
    requestOf({ query: '{ __typename }' }, 'x-request-id: id-1', 'connection: close'),
  );
  const [response] = parseResponses(rejected ? await textOf(rejected) : '');
  expect(response).toMatchObject({
    status: 503,
    headers: {
      'content-type': 'application/graphql-response+json; charset=utf-8',
      'retry-after': '1',
      'x-request-id': 'id-1',
    },
  });
  expect(JSON.parse(response?.body ?? '')).toEqual({
    errors: [
      {
        message: 'The gateway is overloaded',
        extensions: {
          code: 'SERVICE_UNAVAILABLE',
          outcome: 'NOT_APPLIED',
          retryable: true,
          retryAfterSeconds: 1,
          requestId: 'id-1',
        },
      },
    ],
  });
});
