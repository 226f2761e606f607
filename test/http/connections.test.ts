/** Slow, silent or too many clients: their connections are closed in time, with a response if one is due. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { useGateway } from '../support/gateway/gateway.js';
import { open, parseResponses, textOf } from '../support/http/rawHttp.js';

const gateway = useGateway({
  config: { http: { headersTimeoutMs: 300, requestTimeoutMs: 900, keepAliveTimeoutMs: 200 } },
});
const limitedGateway = useGateway({ config: { http: { maxConnections: 3 } } });

const head = 'POST /graphql HTTP/1.1\r\nhost: any\r\ncontent-type: application/json\r\n';

test.each([
  ['nothing', '', 300],
  ['part of its headers', head, 300],
  ['part of a body with content-length', `${head}content-length: 100\r\n\r\n{"query":`, 600],
  ['part of a chunked body', `${head}transfer-encoding: chunked\r\n\r\n9\r\n{"query":\r\n`, 600],
])(
  'responds with 408 and a GraphQL error to a client that stops after sending %s',
  async (_content, bytes, timeoutMs) => {
    const socket = open(gateway.url);
    const startedAt = performance.now();
    socket.write(bytes);
    const responses = parseResponses(await textOf(socket));
    const elapsedMs = performance.now() - startedAt;
    const requestId = responses[0]?.headers['x-request-id'];
    expect(requestId).toMatch(/^[\da-f-]{36}$/);
    expect(responses).toEqual([
      {
        status: 408,
        headers: expect.objectContaining({
          'content-type': 'application/graphql-response+json; charset=utf-8',
          connection: 'close',
        }) as object,
        body: JSON.stringify({
          errors: [
            {
              message: 'The request did not arrive in time',
              extensions: { code: 'BAD_REQUEST', outcome: 'NOT_APPLIED', retryable: false, requestId },
            },
          ],
        }),
      },
    ]);
    expect(elapsedMs).toBeGreaterThan(timeoutMs - 50);
  },
);

test('closes connections beyond the limit immediately, until another one ends, and says so once a minute', async () => {
  const sockets = [open(limitedGateway.url), open(limitedGateway.url), open(limitedGateway.url)];
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const request = `GET /livez HTTP/1.1\r\nhost: any\r\n\r\n`;
  for (const socket of sockets) {
    socket.write(request);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  }

  const oneMore = open(limitedGateway.url);
  oneMore.write(request);
  expect(await textOf(oneMore)).toBe('');
  const another = open(limitedGateway.url);
  another.write(request);
  expect(await textOf(another)).toBe('');
  expect(limitedGateway.logLines.filter(({ level }) => Number(level) >= 40)).toMatchObject([
    {
      level: 40,
      msg: 'Connections rejected: 10,000 are open',
      reason: 'connections',
      address: '127.0.0.1',
    },
  ]);

  const [first] = sockets;
  first?.destroy();
  await expect
    .poll(async () => {
      const socket = open(limitedGateway.url);
      socket.end(request);
      return (await textOf(socket)).slice(0, 15);
    })
    .toBe('HTTP/1.1 200 OK');
  for (const socket of sockets) socket.destroy();
});
