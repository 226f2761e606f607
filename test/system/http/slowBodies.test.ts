/** A thousand slow request bodies, pipelined packets, and clients that never close: others are served all the while. */
import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { startMockService } from '../../../src/mock/mockService.js';
import { startGateway } from '../../support/gateway/gateway.js';
import { productionEnv } from '../../support/process/minimalEnv.js';
import { parseLogLines, startGatewayProcess } from '../../support/process/gatewayProcess.js';
import { CPU_TIME_PROBE } from '../../support/process/probes.js';
import { killProcesses } from '../../support/process/startProcess.js';
import { exchange, parseResponses, postOf } from '../../support/http/rawHttp.js';
import { untilHolds } from '../../support/tools/waiting.js';

vi.setConfig({ testTimeout: 300_000 });

const CLIENTS = 1000;
/** Long enough for bodies to be cut off, or as long as a busy machine needs for the requests of the other client. */
const DURATION_MS = 6000;
const MIN_REQUESTS = 20;
/** Another address than that of the slow clients. */
const OTHER_ADDRESS = '127.0.0.2';
const READ = '{ notifications { totalPossibleCount } }';
/** Everything but the end of the body, which is sent byte by byte. It is too small to count in the memory budget. */
const BODY = `{"query":"{ __typename }","variables":{"x":"${'x'.repeat(30_000)}"}}`;
const SLOW = `POST /graphql HTTP/1.1\r\nhost: any\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY.slice(0, 1000)}`;

const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  killProcesses();
});

/** Sends slow bodies on connections that it opens again when they are closed; counts the statuses of the responses. */
function sendSlowBodies(origin: string, statuses: Map<number, number>): () => void {
  const { port } = new URL(origin);
  let isStopped = false;
  const start = () => {
    if (isStopped) return;
    const socket = connect({ host: '127.0.0.1', port: Number(port) });
    sockets.add(socket);
    let received = '';
    socket.write(SLOW);
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('error', () => undefined);
    const trickle = setInterval(() => socket.write('x'), 500);
    socket.on('close', () => {
      clearInterval(trickle);
      sockets.delete(socket);
      for (const { status } of parseResponses(received))
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      setTimeout(start, 2000);
    });
  };
  for (let count = 0; count < CLIENTS; count += 1) start();
  return () => {
    isStopped = true;
  };
}

/** Sends a request from the other address on a new connection; resolves with its status. */
async function statusOf(url: string, body?: string): Promise<number | undefined> {
  const request = send(url, {
    agent: false,
    localAddress: OTHER_ADDRESS,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer any' },
  });
  const responded = once(request, 'response');
  if (body !== undefined) {
    // In two parts, as over a network.
    request.write(body.slice(0, 20));
    await sleep(50);
  }
  request.end(body?.slice(20));
  const [response] = (await responded) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response.statusCode;
}

test('1,000 slow bodies from one address do not keep another client from being served', async () => {
  const service = await startMockService();
  const gateway = startGatewayProcess({
    env: { ...productionEnv, SERVICE_URL: service.url },
    nodeOptions: ['--max-old-space-size=128'],
  });
  const origin = await gateway.listening();
  expect(await statusOf(`${origin}/graphql`, JSON.stringify({ query: READ }))).toBe(200);
  const slowStatuses = new Map<number, number>();
  const stop = sendSlowBodies(origin, slowStatuses);
  const statuses: (number | undefined)[] = [];
  let longestMs = 0;
  const until = performance.now() + DURATION_MS;
  while (performance.now() < until || statuses.length < MIN_REQUESTS) {
    const sentAt = performance.now();
    statuses.push(
      await statusOf(`${origin}/graphql`, JSON.stringify({ query: READ })),
      await statusOf(`${origin}/readyz`),
    );
    longestMs = Math.max(longestMs, performance.now() - sentAt);
    await sleep(20);
  }
  stop();
  console.log(
    `${statuses.length} requests, the longest pair took ${Math.round(longestMs)} ms; slow clients got ${JSON.stringify([...slowStatuses])}`,
  );
  const rejected = statuses.filter((status) => status !== 200);
  expect(rejected).toEqual([]);
  expect([...slowStatuses.keys()].filter((status) => ![408, 503].includes(status))).toEqual([]);
  expect(slowStatuses.get(503)).toBeGreaterThan(0);
  expect(gateway.output()).not.toContain('"level":"error"');
  await service.stop();
});

test('a packet of 2,500 pipelined requests takes less CPU time than 300 requests on connections of their own', async () => {
  const gateway = startGatewayProcess({
    env: { ...productionEnv, SERVICE_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'debug' },
    probe: CPU_TIME_PROBE,
  });
  const origin = await gateway.listening();
  const cpuMsOf = async (requests: number, bytes: string) => {
    const before = (await gateway.ask('CPU time')) as number;
    for (let count = 0; count < requests; count += 1) await exchange(origin, bytes);
    return ((await gateway.ask('CPU time')) as number) - before;
  };
  const single = 'GET / HTTP/1.1\r\nhost:a\r\n\r\n';
  const packet = single.repeat(2500);
  await cpuMsOf(500, single); // compiles it
  await cpuMsOf(20, packet);
  const singleMs = (await cpuMsOf(500, single)) / 500;
  const packetMs = (await cpuMsOf(40, packet)) / 40;
  console.log(`CPU time: ${singleMs.toFixed(2)} ms for a request, ${packetMs.toFixed(2)} ms for a packet`);
  expect(await statusOf(`${origin}/livez`)).toBe(200);
  await untilHolds(() => {
    const rejected = parseLogLines(gateway.output()).filter(({ msg }) => msg === 'Request rejected');
    expect(rejected.map(({ reason }) => reason)).toEqual(Array(60).fill('pipelined_requests'));
  });
  expect(packetMs / singleMs).toBeLessThan(300);
});

test('closes connections of clients that get 408 for sending nothing but never close themselves', async () => {
  const gateway = await startGateway({
    config: { http: { headersTimeoutMs: 300, requestTimeoutMs: 900, maxConnections: 10 } },
  });
  onTestFinished(() => gateway.stop());
  const { origin, port } = new URL(gateway.url);
  const silent = Array.from({ length: 10 }, () =>
    connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true }).resume(),
  );
  for (const socket of silent) {
    sockets.add(socket);
    socket.on('error', () => undefined);
  }
  await Promise.all(silent.map((socket) => once(socket, 'end')));
  await untilHolds(async () => {
    expect(await statusOf(`${origin}/readyz`)).toBe(200);
  });
  const next = connect({ host: '127.0.0.1', port: Number(port) });
  sockets.add(next);
  next.write(postOf('{ __typename }'));
  expect(String((await once(next, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
});
