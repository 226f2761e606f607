/** Callers that are slow, silent, or many: their connections end in time, with an answer where one is due. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway/gateway.js';
import { answersOf, open, textOf } from '../support/http/rawHttp.js';

/** How often Node looks for connections that are over their time, and what a busy machine may take. */
const SLACK_MS = 1000 + 4000;

let gateway: TestGateway;
let small: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    env: { HEADERS_TIMEOUT_MS: '300', REQUEST_TIMEOUT_MS: '600', KEEP_ALIVE_TIMEOUT_MS: '200' },
  });
  small = await startGateway({ env: { MAX_CONNECTIONS: '3' } });
});
afterAll(async () => {
  await gateway.stop();
  await small.stop();
});

const head = 'POST /graphql HTTP/1.1\r\nhost: any\r\ncontent-type: application/json\r\n';

test.each([
  ['nothing at all', '', 300],
  ['a part of the headers', head, 300],
  ['a part of a body of known length', `${head}content-length: 100\r\n\r\n{"query":`, 600],
  ['a part of a body in chunks', `${head}transfer-encoding: chunked\r\n\r\n9\r\n{"query":\r\n`, 600],
])('who sends %s is answered with 408 in GraphQL JSON', async (_what, bytes, timeoutMs) => {
  const socket = open(gateway.url);
  const startedAt = performance.now();
  socket.write(bytes);
  const answers = answersOf(await textOf(socket));
  const elapsedMs = performance.now() - startedAt;
  expect(answers).toEqual([
    {
      status: 408,
      headers: expect.objectContaining({
        'content-type': 'application/json; charset=utf-8',
        connection: 'close',
      }) as object,
      body: JSON.stringify({
        errors: [
          {
            message: 'The request did not arrive in time',
            extensions: { code: 'BAD_REQUEST', retryable: false },
          },
        ],
      }),
    },
  ]);
  expect(elapsedMs).toBeGreaterThan(timeoutMs - 50);
  expect(elapsedMs).toBeLessThan(timeoutMs + SLACK_MS);
});

test('who sends byte after byte is no better off', async () => {
  const socket = open(gateway.url);
  socket.write(head);
  const drip = setInterval(() => socket.write('x'), 20);
  const answers = answersOf(await textOf(socket));
  clearInterval(drip);
  expect(answers.map(({ status }) => status)).toEqual([408]);
});

test('a connection without a request is closed after a while', async () => {
  const socket = open(gateway.url);
  const body = JSON.stringify({ query: '{ __typename }' });
  socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`);
  const startedAt = performance.now();
  const answers = answersOf(await textOf(socket));
  const elapsedMs = performance.now() - startedAt;
  expect(answers.map(({ status }) => status)).toEqual([200]);
  expect(elapsedMs).toBeGreaterThan(150);
  expect(elapsedMs).toBeLessThan(200 + SLACK_MS);
});

test('more connections than MAX_CONNECTIONS are closed at once, until one of them ends', async () => {
  const sockets = [open(small.url), open(small.url), open(small.url)];
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const request = `GET /livez HTTP/1.1\r\nhost: any\r\n\r\n`;
  for (const socket of sockets) {
    socket.write(request);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  }

  const oneMore = open(small.url);
  oneMore.write(request);
  expect(await textOf(oneMore)).toBe('');

  const [first] = sockets;
  first?.destroy();
  await expect
    .poll(async () => {
      const socket = open(small.url);
      socket.end(request);
      return (await textOf(socket)).slice(0, 15);
    })
    .toBe('HTTP/1.1 200 OK');
  for (const socket of sockets) socket.destroy();
});
