/** Clients that do not read their responses: their connections are reset, and their requests end. */
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { useFaultGateway } from '../support/gateway/faultGateway.js';
import { useGateway } from '../support/gateway/gateway.js';
import { open, parseResponses, postOf, textOf } from '../support/http/rawHttp.js';
import { notification } from '../support/service/faultServer.js';
import { scrape } from '../support/telemetry/metrics.js';
import { freePort } from '../support/tools/freePort.js';
import { createGate, until, untilHolds } from '../support/tools/waiting.js';

const TIMEOUT_MS = 1000;

/** More than the kernel buffers for a connection whose client does not read. */
const LARGE = 9_000_000;
const READ = '{ notifications { notifications { notificationName } } }';
/** Of messages, the gateway cuts long texts. */
const listOfOne = (bytes: number) => {
  const record = { ...notification('any', 'robin.planner'), notificationName: 'x'.repeat(bytes) };
  return JSON.stringify({ data: [record], messages: [], totalPossibleCount: 1 });
};
const large = { body: listOfOne(LARGE) };
const AUTHORIZATION = ['authorization: Bearer any'];
// The interval at which the gateway looks at its connections: here it passes when a test says so.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
const look = () => void vi.advanceTimersByTime(TIMEOUT_MS);
const gateway = useGateway({
  env: {
    MAX_IN_FLIGHT_REQUESTS: '2',
    EXPLORER: 'true',
  },
  config: { http: { responseTimeoutMs: TIMEOUT_MS }, graphql: { maxResultBytes: 4 * LARGE } },
});
const slowGateway = useGateway({
  config: {
    http: { responseTimeoutMs: TIMEOUT_MS, minResponseBytesPerSecond: 3 * LARGE },
    graphql: { maxResultBytes: 4 * LARGE },
  },
});
afterAll(() => void vi.useRealTimers()); // before they stop
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
    look();
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
    const trickle = setInterval(() => socket.write('\r\n'), TIMEOUT_MS / 20);
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
    const [largest = ''] = files
      .filter((file) => /\.js\.gz$/.test(file))
      .sort((a, b) => sizeOf(b) - sizeOf(a));
    const path = largest.replace(/\.gz$/, '');
    const count = Math.ceil(LARGE / sizeOf(largest) / 3); // uncompressed, four times as large
    const socket = sendUnread(`GET /explorer/${path} HTTP/1.1\r\nhost: any\r\n\r\n`.repeat(count));
    await untilHolds(() => {
      look();
      expect(records()).toContainEqual({ reason: 'response_timeout' });
    });
    await expectReset(socket);
    await expectServed();
  });
});

/** So many that the kernel takes more of the response, which the gateway sees at its next look. */
const NOTICED = 3_000_000;

/** Reads at least a number of bytes, or until the end; resolves with how many they are. */
async function receive(socket: Socket, bytes: number): Promise<number> {
  let received = 0;
  while (received < bytes && !socket.readableEnded && !socket.destroyed) {
    const chunk = socket.read() as Buffer | null;
    received += chunk?.length ?? 0;
    if (chunk === null) await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  }
  return received;
}

const THREE_TIMES = `{ notifications {
  notifications { a: notificationName b: notificationName c: notificationName }
} }`;

test('a client that reads slowly gets its whole response, and the next one on the same connection', async () => {
  gateway.injectFaults(large);
  const socket = sendUnread(postOf(THREE_TIMES, AUTHORIZATION));
  let received = 0;
  for (let looks = 0; looks < 4; looks += 1) {
    received += await receive(socket, NOTICED);
    await gateway.execute('{ __typename }'); // the event loop has had the time to write more
    look();
  }
  await receive(socket, 3 * LARGE - received);
  socket.end(postOf('{ __typename }'));
  const responses = parseResponses((await textOf(socket)).replace(/^[^H]*/, ''));
  expect(responses.map(({ status }) => status)).toEqual([200]);
  await untilHolds(() => {
    expect(records()).toEqual(Array(6).fill({ status: 200 }));
  });
});

test('a client that reads below the minimum rate is disconnected in the middle of its response', async () => {
  slowGateway.injectFaults(large);
  const socket = open(slowGateway.url);
  sockets.push(socket);
  socket.write(postOf(THREE_TIMES, AUTHORIZATION));
  const rejected = () => slowGateway.logLines.filter(({ msg }) => msg === 'Request rejected');
  let received = 0;
  for (let looks = 0; looks < 4 && rejected().length === 0; looks += 1) {
    received += await receive(socket, NOTICED);
    await slowGateway.execute('{ __typename }');
    look();
  }
  expect(rejected()).toMatchObject([{ reason: 'slow_response' }]);
  received += (await textOf(socket)).length;
  expect(received).toBeLessThan(3 * LARGE);
});

describe('Unread responses', () => {
  let metricsUrl = '';
  const full = useFaultGateway(async () => {
    const metricsPort = String(await freePort());
    metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    return {
      env: { TRUST_PROXY: '1', METRICS_PORT: metricsPort },
      config: { http: { responseTimeoutMs: 600_000 } },
    };
  });
  const listOf = (bytes: number) =>
    `{ notifications(additionalParameters: { subject: "${bytes}" }) { notifications { notificationName } } }`;
  const megabytesInFlight = async () =>
    Math.floor(((await scrape(metricsUrl))['shipment_gateway_bytes_in_flight'] ?? NaN) / 1e6);
  beforeEach(async () => {
    await until(async () => (await megabytesInFlight()) === 0);
    full.service.plan = ({ subject }) => ({
      kind: 'respond',
      body: listOfOne(Number(subject)),
    });
  });

  test.each([
    ['a token at many addresses', (index: number) => ({ token: 'greedy', address: `192.0.2.${index}` })],
    ['many tokens of an address', (index: number) => ({ token: `greedy-${index}`, address: '192.0.2.1' })],
  ])('leave the second half of the memory budget to others: %s', async (_name, clientOf) => {
    for (const index of [0, 1]) {
      const { token, address } = clientOf(index);
      const socket = open(full.url);
      sockets.push(socket);
      socket.write(postOf(listOf(LARGE), [`authorization: Bearer ${token}`, `x-forwarded-for: ${address}`]));
      await until(async () => (await megabytesInFlight()) === 9 * (index + 1));
    }
    const { data, errors } = await full.execute({ query: listOf(LARGE) }, clientOf(2));
    expect([data, errors]).toMatchObject([
      { notifications: null },
      [{ extensions: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 1 } }],
    ]);
    const other = { token: 'other', address: '198.51.100.1' };
    for (const bytes of [40_000, LARGE])
      expect((await full.execute({ query: listOf(bytes) }, other)).data).toEqual({
        notifications: { notifications: [{ notificationName: 'x'.repeat(bytes) }] },
      });
  });
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
  const { opened, open: respond } = createGate();
  gateway.injectFaults({ heldUntil: opened });
  const response = gateway.execute(READ);
  await until(() => gateway.takeCalls().length === 1);
  for (let looks = 0; looks < 3; looks += 1) look();
  respond();
  expect((await response).status).toBe(200);
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
