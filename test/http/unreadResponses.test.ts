/** Clients that do not read their responses: their connections are reset, and their requests end. */
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startGateway, useGateway } from '../support/gateway/gateway.js';
import { open, parseResponses, postOf, textOf } from '../support/http/rawHttp.js';
import { until, untilHolds } from '../support/tools/waiting.js';

const TIMEOUT_MS = 1000;

/** More than the kernel buffers for a connection whose client does not read. */
const LARGE = 9_000_000;
const READ = '{ notifications { messages } }';
const large = { body: JSON.stringify({ data: [], messages: ['x'.repeat(LARGE)], totalPossibleCount: 0 }) };
const AUTHORIZATION = ['authorization: Bearer any'];
const gateway = useGateway({
  env: {
    MAX_IN_FLIGHT_REQUESTS: '2',
    EXPLORER: 'true',
  },
  config: { http: { responseTimeoutMs: TIMEOUT_MS }, graphql: { maxResultBytes: 4 * LARGE } },
});
const sockets: Socket[] = [];
beforeEach(() => {
  gateway.logLines.splice(0);
  gateway.takeCalls();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Opens a connection and sends bytes, but reads nothing. */
function sendUnread(bytes: string): Socket {
  const socket = open(gateway.url);
  sockets.push(socket);
  socket.write(bytes);
  return socket;
}

/** The log records of requests, and of reasons for rejecting or cutting them off. */
function records(): unknown[] {
  return gateway.logLines.flatMap<object>(({ msg, status, reason }) => {
    if (msg === 'Request') return [{ status }];
    return msg === 'Request rejected' ? [{ reason }] : [];
  });
}

async function expectCutOff(socket: Socket, ...requests: object[]): Promise<void> {
  await untilHolds(() => {
    expect(records()).toEqual([{ reason: 'response_timeout' }, ...requests]);
  });
  await expectReset(socket);
}

/** A reset, unlike an orderly end, discards what the kernel of the gateway's machine still has to send. */
async function expectReset(socket: Socket): Promise<void> {
  expect((await textOf(socket)).length).toBeLessThan(1_000_000);
}

async function expectServed(): Promise<void> {
  const both = await Promise.all([gateway.execute('{ __typename }'), gateway.execute('{ __typename }')]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
}

describe('A client that does not read its response', () => {
  test('is disconnected after the timeout, and its request is no longer in flight', async () => {
    gateway.injectFaults(large);
    const socket = sendUnread(postOf(READ, AUTHORIZATION));
    await expectCutOff(socket, { status: undefined });
    await expectServed();
  });

  test('is disconnected even if it keeps sending bytes', async () => {
    gateway.injectFaults(large);
    const socket = sendUnread(postOf(READ, AUTHORIZATION));
    const trickle = setInterval(() => socket.write('\r\n'), 50);
    await expectCutOff(socket, { status: undefined }).finally(() => clearInterval(trickle));
    await expectServed();
  });

  test('is disconnected if it speaks HTTP/1.0', async () => {
    gateway.injectFaults(large);
    const socket = sendUnread(postOf(READ, AUTHORIZATION, 'HTTP/1.0'));
    await expectCutOff(socket, { status: undefined });
    await expectServed();
  });

  test('loses the responses of its pipelined requests, too', async () => {
    gateway.injectFaults(large);
    const socket = sendUnread(postOf(READ, AUTHORIZATION) + postOf('{ __typename }'));
    await expectCutOff(socket, { status: undefined }, { status: undefined });
    await expectServed();
  });

  test('is disconnected for a file of the explorer', async () => {
    const folder = new URL('../../dist/explorer-pages/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const sizeOf = (file: string) => statSync(new URL(file, folder)).size;
    const [largest = ''] = files.filter((file) => /\.js$/.test(file)).sort((a, b) => sizeOf(b) - sizeOf(a));
    const count = Math.ceil(LARGE / sizeOf(largest));
    const socket = sendUnread(`GET /explorer/${largest} HTTP/1.1\r\nhost: any\r\n\r\n`.repeat(count));
    await untilHolds(() => {
      expect(records()).toContainEqual({ reason: 'response_timeout' });
    });
    await expectReset(socket);
    await expectServed();
  });
});

test('a client that reads slowly gets its whole response, and the next one on the same connection', async () => {
  gateway.injectFaults(large);
  const socket = sendUnread(
    postOf('{ notifications { a: messages b: messages c: messages } }', AUTHORIZATION),
  );
  let received = 0;
  const startedAt = performance.now();
  await once(socket, 'readable');
  while (received <= 3 * LARGE) {
    const chunk = socket.read() as Buffer | null;
    received += chunk?.length ?? 0;
    // So slowly that the gateway looks at the same response several times.
    if (performance.now() - startedAt < 3.5 * TIMEOUT_MS) await sleep(15);
    else if (chunk === null) await once(socket, 'readable');
  }
  socket.end(postOf('{ __typename }'));
  const responses = parseResponses((await textOf(socket)).replace(/^[^H]*/, ''));
  expect(responses.map(({ status }) => status)).toEqual([200]);
  await untilHolds(() => {
    expect(records()).toEqual([{ status: 200 }, { status: 200 }]);
  });
  await expectServed();
});

// On a busy machine the test itself may read nothing for the length of the timeout.
test(
  'a client that reads below the minimum rate is disconnected in the middle of its response',
  { retry: 3 },
  async () => {
    const slowGateway = await startGateway({
      config: { http: { responseTimeoutMs: TIMEOUT_MS, minResponseBytesPerSecond: 3 * LARGE } },
    });
    slowGateway.injectFaults(large);
    const socket = open(slowGateway.url);
    sockets.push(socket);
    socket.write(postOf(READ, AUTHORIZATION));
    await once(socket, 'readable');
    let received = 0;
    while (socket.readable && !socket.closed) {
      received += (socket.read() as Buffer | null)?.length ?? 0;
      await sleep(50);
    }
    expect(received).toBeLessThan(LARGE);
    expect(slowGateway.logLines.filter(({ msg }) => msg === 'Request rejected')).toMatchObject([
      { reason: 'slow_response' },
    ]);
    await slowGateway.stop();
  },
);

test('unread responses of one token leave memory for the lists of another client', async () => {
  const fullGateway = await startGateway({ env: { TRUST_PROXY: '1' } });
  fullGateway.injectFault(large);
  const ended = () => fullGateway.logLines.filter(({ msg }) => msg === 'REST call').length;
  for (let count = 1; count <= 4; count += 1) {
    const socket = open(fullGateway.url);
    sockets.push(socket);
    socket.write(postOf(READ, ['authorization: Bearer greedy', 'x-forwarded-for: 192.0.2.1']));
    await until(() => ended() === count);
  }
  for (let count = 5; count <= 10; count += 1) {
    const { data, errors } = await fullGateway.execute(READ);
    expect({ data, errors }).toEqual({ data: { notifications: { messages: ['x'.repeat(LARGE)] } } });
    expect(ended()).toBe(count);
  }
  await untilHolds(() => {
    const requests = fullGateway.logLines.filter(({ msg }) => msg === 'Request');
    expect(requests.map(({ errorCodes }) => errorCodes)).toEqual([
      ...Array<string[]>(3).fill(['SERVICE_UNAVAILABLE']), // the first list is unread
      ...Array<string[]>(6).fill([]),
    ]);
  });
  await fullGateway.stop();
});

test('a client that disconnects in the middle of its response is logged without a status', async () => {
  gateway.injectFaults(large);
  const socket = sendUnread(postOf(READ, AUTHORIZATION));
  await once(socket, 'readable');
  socket.resetAndDestroy();
  await untilHolds(() => {
    expect(records()).toEqual([{ status: undefined }]);
  });
});

test('a REST call may take longer than the timeout of an unread response', async () => {
  gateway.injectFaults({ delayMs: 2 * TIMEOUT_MS + 500 });
  expect((await gateway.execute(READ)).status).toBe(200);
});

test('pipelined requests of a client that disconnects are no longer in flight', async () => {
  gateway.injectFault({ delayMs: 500 });
  const socket = sendUnread(postOf(READ, AUTHORIZATION).repeat(2));
  await untilHolds(() => {
    expect(gateway.takeCalls().length).toBeGreaterThan(0);
  });
  socket.destroy();
  await untilHolds(() => {
    expect(records()).toEqual([{ status: undefined }, { status: undefined }]);
  });
  gateway.injectFault(undefined);
  await expectServed();
});
