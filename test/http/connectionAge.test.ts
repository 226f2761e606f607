/** Connections of clients end with a response once they have reached their age, and never without the response to a request. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway/gateway.js';
import { open, parseResponses, postOf, textOf } from '../support/http/rawHttp.js';

const AGE_MS = 300;
/** With jitter, after this time every connection has reached its age. */
const OLD_MS = AGE_MS * 1.1 + 20;
const REQUEST = postOf('{ __typename }');
const GRAPHQL = '{"data":{"__typename":"Query"}}\n';

let gateway: TestGateway;
let socket: Socket;
afterEach(async () => {
  socket.destroy();
  await gateway.stop();
});

async function connect({ config, ...options }: TestGatewayOptions = {}): Promise<void> {
  gateway = await startGateway({
    config: { http: { maxConnectionAgeMs: AGE_MS, ...config?.http } },
    ...options,
  });
  socket = open(gateway.url);
  await once(socket, 'connect');
}

/** `[status, body, Connection header]` of the response to a request. */
async function send(request = REQUEST): Promise<unknown[]> {
  socket.write(request);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return summaryOf(chunk.toString())[0] ?? [];
}

function summaryOf(text: string): unknown[][] {
  return parseResponses(text).map(({ status, body, headers }) => [status, body, headers['connection']]);
}

const kept = [200, GRAPHQL, 'keep-alive'];
const last = [200, GRAPHQL, 'close'];

test('closes a connection that has reached its age with the response to the next request', async () => {
  await connect();
  expect(await send()).toEqual(kept);
  await sleep(OLD_MS);
  const rest = textOf(socket);
  socket.write(REQUEST);
  expect(summaryOf(await rest)).toEqual([last]);
});

test.each([
  ['a rejected operation', postOf('{ missing }'), 422],
  ['an unknown path', 'GET /missing HTTP/1.1\r\nhost: x\r\n\r\n', 404],
  ['a health check', 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\n', 200],
])('closes it with the response to %s as well', async (_what, request, status) => {
  await connect();
  await sleep(OLD_MS);
  socket.write(request);
  expect(summaryOf(await textOf(socket))).toEqual([[status, expect.any(String), 'close']]);
});

test('leaves an idle connection open, on which a request may be in transit', async () => {
  await connect();
  expect(await send()).toEqual(kept);
  await sleep(3 * AGE_MS);
  expect(socket.readableEnded).toBe(false);
  expect(await send()).toEqual(last);
});

test('lets a request finish that arrived before the connection reached its age', async () => {
  await connect();
  gateway.injectFaults({ delayMs: 2 * AGE_MS });
  const slow = postOf('{ notifications { totalPossibleCount } }', ['authorization: Bearer any']);
  expect(await send(slow)).toEqual([200, expect.stringContaining('totalPossibleCount'), 'keep-alive']);
  expect(await send()).toEqual(last);
});

test('responds to all pipelined requests, and closes the connection with the last response', async () => {
  await connect();
  await sleep(OLD_MS);
  socket.write(REQUEST + REQUEST + REQUEST);
  expect(summaryOf(await textOf(socket))).toEqual([kept, kept, last]);
});

test('serves a connection that has idled for longer than the timeouts of a request', async () => {
  await connect({
    env: { KEEP_ALIVE_TIMEOUT_MS: '700000' },
    config: { http: { maxConnectionAgeMs: Infinity, headersTimeoutMs: 100, requestTimeoutMs: 300 } },
  });
  expect(await send()).toEqual(kept);
  await sleep(2100); // Node looks for expired requests once a second
  expect(await send()).toEqual(kept);
});
