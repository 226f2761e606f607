/** Request bodies that arrive slowly: they have limits of their own and hold up nobody else. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { open, parseResponses, postOf, textOf, type RawResponse } from '../support/http/rawHttp.js';

const REQUEST = postOf('{ __typename }', ['connection: close']);
/** Bytes of the body that slow clients keep back. */
const REST = 5;

interface Limits {
  maxBodies?: number;
  minBytesPerSecond?: number;
}

const startWithLimits = (limits: Limits, env: Record<string, string> = {}) =>
  startGateway({
    env,
    config: {
      http: {
        incomingBodies: { maxBodies: 512, minBytesPerSecond: 1024, ...limits },
      },
    },
  });

let gateway: TestGateway;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await gateway.stop();
});

interface SlowClient {
  /** Sends the rest of the body. */
  complete: () => void;
  readonly response: Promise<RawResponse | undefined>;
}

/** Sends a request but for the end of its body; resolves once the gateway has had the time to read that. */
async function startBody(request = REQUEST, localAddress?: string): Promise<SlowClient> {
  const socket = open(gateway.url, localAddress);
  sockets.push(socket);
  await once(socket, 'connect');
  const withHeaders = request.indexOf('{') + 1;
  socket.write(request.slice(0, withHeaders));
  await execute();
  socket.write(request.slice(withHeaders, -REST));
  await execute();
  return {
    complete: () => socket.write(request.slice(-REST)),
    response: textOf(socket).then((text) => parseResponses(text)[0]),
  };
}

async function execute(): Promise<number> {
  return (await gateway.execute('{ __typename }')).status;
}

const OK = { status: 200, body: '{"data":{"__typename":"Query"}}\n' };

/** The response with which a body is rejected. */
function rejection(
  status: number,
  message: string,
  extensions: { code: string; retryable: boolean; retryAfterSeconds?: number },
  type = 'application/graphql-response+json',
): unknown {
  const { retryAfterSeconds } = extensions;
  return expect.toSatisfy(({ body, headers, ...others }: RawResponse) => {
    const requestId = headers['x-request-id'];
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
    expect({ ...others, body: JSON.parse(body) as unknown, headers }).toEqual({
      status,
      headers: expect.objectContaining({
        connection: 'close',
        'content-type': `${type}; charset=utf-8`,
        ...(retryAfterSeconds !== undefined && { 'retry-after': `${retryAfterSeconds}` }),
      }) as unknown,
      body: { errors: [{ message, extensions: { ...extensions, outcome: 'NOT_APPLIED', requestId } }] },
    });
    return true;
  });
}

const overloaded = rejection(503, 'The gateway is overloaded', {
  code: 'SERVICE_UNAVAILABLE',
  retryable: true,
  retryAfterSeconds: 1,
});
const slowness = { code: 'BAD_REQUEST', retryable: false };
const tooSlow = rejection(408, 'The request did not arrive in time', slowness);
/** On another path than that of the endpoint. */
const tooSlowElsewhere = rejection(408, 'The request did not arrive in time', slowness, 'application/json');

function expectNoProblems(...reasons: string[]): void {
  const problems = gateway.logLines.filter(({ level, msg }) => Number(level) >= 40 && msg !== 'Request');
  expect(problems).toEqual([]);
  const rejected = gateway.logLines.filter(({ msg }) => msg === 'Request rejected');
  expect(rejected.map(({ reason }) => reason)).toEqual(reasons);
}

test('a request is in flight only once its body is complete', async () => {
  gateway = await startWithLimits({}, { MAX_IN_FLIGHT_REQUESTS: '2' });
  const clients = [await startBody(), await startBody(), await startBody()];
  expect(await execute()).toBe(200);
  for (const { complete, response } of clients) {
    complete();
    expect(await response).toMatchObject(OK);
  }
  expectNoProblems();
});

test('bodies beyond the limit get 503, unless they arrive with their headers', async () => {
  gateway = await startWithLimits({ maxBodies: 2, minBytesPerSecond: 0 });
  const first = await startBody();
  const second = await startBody();
  expect(await (await startBody()).response).toEqual(overloaded);
  expect(await execute()).toBe(200);
  first.complete();
  expect(await first.response).toMatchObject(OK);
  const third = await startBody();
  for (const { complete, response } of [second, third]) {
    complete();
    expect(await response).toMatchObject(OK);
  }
  expectNoProblems('incoming_bodies');
});

test('at the limit, a body below the minimum rate makes room for a new one', async () => {
  gateway = await startWithLimits({ maxBodies: 2 });
  const [first, second] = [await startBody(), await startBody()];
  await sleep(1100);
  const third = await startBody();
  expect(await first.response).toEqual(tooSlow);
  for (const { complete, response } of [second, third]) {
    complete();
    expect(await response).toMatchObject(OK);
  }
  expectNoProblems('slow_body');
});

test('at the limit, the address with most makes room for another one with less', async () => {
  gateway = await startWithLimits({ maxBodies: 3 });
  const [oldest, second] = [await startBody(), await startBody()];
  const single = await startBody(REQUEST, '127.0.0.2');
  const newest = await startBody(REQUEST, '127.0.0.3');
  expect(await oldest.response).toEqual(overloaded);
  expect(await (await startBody(REQUEST, '127.0.0.4')).response).toEqual(overloaded); // all have one
  for (const { complete, response } of [second, single, newest]) {
    complete();
    expect(await response).toMatchObject(OK);
  }
  expectNoProblems('incoming_bodies', 'incoming_bodies');
});

test('a body below the minimum rate is cut off after five seconds, on any path; a faster one is not', async () => {
  gateway = await startWithLimits({ minBytesPerSecond: 100 });
  const startedAt = performance.now();
  const slow = await startBody();
  const lost = await startBody(REQUEST.replace('/graphql', '/elsewhere'));
  const chunked = await startBody(
    REQUEST.replace(/content-length: \d+/, 'transfer-encoding: chunked').replace(
      '\r\n\r\n{',
      '\r\n\r\n20\r\n{',
    ),
  );
  const fast = await startBody(postOf(`{ __typename } # ${'x'.repeat(10_000)}`, ['connection: close']));
  for (const { response } of [slow, chunked]) expect(await response).toEqual(tooSlow);
  expect(await lost.response).toEqual(tooSlowElsewhere);
  expect(performance.now() - startedAt).toBeGreaterThan(4900);
  fast.complete();
  expect(await fast.response).toMatchObject(OK);
  expectNoProblems('slow_body', 'slow_body', 'slow_body');
});

test('a body in more than a thousand small chunks is rejected, one in fewer or larger ones is not', async () => {
  gateway = await startWithLimits({});
  const [head = '', body = ''] = postOf(
    `mutation { deleteNotification(notificationGuid: "a") { messages } } # ${'x'.repeat(250_000)}`,
    ['connection: close', 'authorization: Bearer demo'],
  ).split('\r\n\r\n');
  const inChunks = (bytes: number, text: string) => {
    const chunks = text.match(new RegExp(`[^]{1,${bytes}}`, 'g')) ?? [];
    const lines = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    const headers = head.replace(/content-length: \d+/, 'transfer-encoding: chunked');
    return `${headers}\r\n\r\n${lines.join('')}0\r\n\r\n`;
  };
  const send = async (bytes: string) => {
    const socket = open(gateway.url);
    socket.write(bytes);
    return parseResponses(await textOf(socket));
  };
  const tooMany = rejection(400, 'Expected chunks of at least 256 bytes on average, got smaller ones', {
    code: 'BAD_REQUEST',
    retryable: false,
  });
  expect(await send(inChunks(1, body.slice(0, 1100)))).toEqual([tooMany]);
  // The rest of the body that is not read resets the connection, perhaps before the response is read.
  expect([[], [tooMany]]).toContainEqual(await send(inChunks(100, body)));
  expect(gateway.takeCalls()).toEqual([]);
  for (const request of [inChunks(1, `${body.slice(0, 900)}"}`), inChunks(300, body)])
    expect(await send(request)).toEqual([expect.objectContaining({ status: 200 })]);
  expect(gateway.takeCalls().map(({ method }) => method)).toEqual(['DELETE', 'DELETE']);
  expectNoProblems('small_chunks', 'small_chunks');
});

test('a body that nobody waits for is ignored', async () => {
  gateway = await startWithLimits({ maxBodies: 1, minBytesPerSecond: 1_048_576 });
  const get = 'GET /graphql?query={__typename} HTTP/1.1\r\nhost: any\r\napollo-require-preflight: 1\r\n';
  for (let count = 0; count < 3; count += 1) {
    const { response } = await startBody(`${get}connection: close\r\ncontent-length: 10\r\n\r\n0123456789`);
    expect(await response).toMatchObject(OK);
  }
  const clients = [await startBody(), await startBody(postOf('{ a }', ['connection: close']), '127.0.0.2')];
  sockets.at(-2)?.resetAndDestroy(); // the first disconnects
  expect(await clients[1]?.response).toEqual(overloaded);
  await execute();
  const next = await startBody();
  next.complete();
  expect(await next.response).toMatchObject(OK);
  expectNoProblems('incoming_bodies');
});
