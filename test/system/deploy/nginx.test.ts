import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '../../support/tools/freePort.js';
import { startNginx } from '../../support/deploy/nginx.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';

skipIf(reasonToSkip('nginx'));

const toStop: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of toStop.splice(0).reverse()) await stop();
});

const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{a}"}' };
const LOST = { message: 'Internal server error', code: 'INTERNAL_SERVER_ERROR' };

describe('a request', () => {
  test('goes to either replica as it came, with the address and the request id of the caller', async () => {
    const { url, requests } = await startBoth(answer, answer);
    const id = 'caller-1:a.b_c';
    for (let count = 0; count < 2; count++) {
      const response = await fetch(`${url}/graphql?a=1`, {
        ...post,
        headers: { ...post.headers, 'x-request-id': id, 'x-forwarded-for': '203.0.113.9', 'x-other': 'y' },
      });
      expect(await response.json()).toEqual({ body: post.body });
    }
    expect(requests.map(({ replica, method, url: target }) => [replica, method, target])).toEqual([
      [0, 'POST', '/graphql?a=1'],
      [1, 'POST', '/graphql?a=1'],
    ]);
    for (const { headers } of requests) {
      expect(headers).toMatchObject({
        'x-request-id': id,
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'http',
        'x-other': 'y',
      });
    }
  });

  test.each([
    ['none', {}],
    ['one that the gateway would not accept', { 'x-request-id': '"},{"' }],
  ])('has a request id when the caller sends %s', async (_what, headers) => {
    const { url, requests } = await startBoth(answer, answer);
    await fetch(`${url}/graphql`, { ...post, headers: { ...post.headers, ...headers } });
    expect(requests[0]?.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  test('shares the connections to the replicas with others', async () => {
    const { url, requests } = await startBoth(answer, answer);
    for (let count = 0; count < 10; count++) await (await fetch(`${url}/graphql`, post)).text();
    expect(requests.length).toBe(10);
    expect(new Set(requests.map(({ socket }) => socket)).size).toBeLessThan(10);
  });

  test('that is too large is answered in GraphQL JSON and goes to no replica', async () => {
    const { url, requests } = await startBoth(answer, answer);
    const response = await fetch(`${url}/graphql`, {
      ...post,
      headers: { ...post.headers, 'x-request-id': 'id-1' },
      body: ' '.repeat(262_145),
    });
    await expectProblem(response, 413, { message: 'Request body is too large', code: 'BAD_REQUEST' });
    expect(requests).toEqual([]);
    expect((await fetch(`${url}/graphql`, { ...post, body: ' '.repeat(262_144) })).status).toBe(200);
  });

  test('on another path goes to no replica', async () => {
    const { url, requests } = await startBoth(answer, answer);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect(requests).toEqual([]);
  });
});

describe('a replica that fails', () => {
  test('and refuses is made up for by the other', async () => {
    const { url, requests } = await startBoth(answer, undefined);
    for (let count = 0; count < 10; count++) {
      expect(await (await fetch(`${url}/graphql`, post)).json()).toEqual({ body: post.body });
    }
    expect(requests.length).toBe(10);
  });

  test('after a POST was sent does not have it sent again', async () => {
    const { url, requests } = await startBoth(hangUp, hangUp);
    const response = await fetch(`${url}/graphql`, {
      ...post,
      headers: { ...post.headers, 'x-request-id': 'id-1' },
    });
    await expectProblem(response, 502, LOST);
    expect(requests.length).toBe(1);
  });

  test('after a GET was sent has it sent to the other', async () => {
    const { url, requests } = await startBoth(hangUp, answer);
    expect((await fetch(`${url}/graphql?query=%7Ba%7D`)).status).toBe(200);
    expect(requests.map(({ replica }) => replica)).toEqual([0, 1]);
  });

  test('is seen in readiness only when none is left', async () => {
    const { url, requests } = await startBoth(unready, answer);
    for (let count = 0; count < 2; count++) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(requests.map(({ replica }) => replica)).toContain(0);

    const { url: none } = await startBoth(unready, unready);
    expect((await fetch(`${none}/readyz`)).status).toBe(503);
    expect((await fetch(`${none}/livez`)).status).toBe(200);
  });
});

const answer: RequestListener = (request, response) => {
  void request.toArray().then((chunks) => {
    response.end(JSON.stringify({ body: Buffer.concat(chunks as Buffer[]).toString() }));
  });
};
const hangUp: RequestListener = (request) => request.socket.destroy();
const unready: RequestListener = (_request, response) => response.writeHead(503).end();

/** Starts nginx before two replicas; one without a listener refuses connections. */
async function startBoth(...listeners: [RequestListener | undefined, RequestListener | undefined]) {
  const requests: (IncomingMessage & { replica: number })[] = [];
  const ports = await Promise.all(
    listeners.map(async (listener, replica) => {
      if (!listener) return freePort();
      const server = createServer((request, response) => {
        requests.push(Object.assign(request, { replica }));
        listener(request, response);
      });
      return listen(server);
    }),
  );
  const nginx = await startNginx(ports as [number, number]);
  toStop.push(() => nginx.stop());
  return { url: nginx.url, requests, nginx };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  toStop.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function expectProblem(response: Response, status: number, problem: { message: string; code: string }) {
  const { message, code } = problem;
  expect({
    status: response.status,
    type: response.headers.get('content-type'),
    id: response.headers.get('x-request-id'),
    body: await response.json(),
  }).toEqual({
    status,
    type: 'application/json; charset=utf-8',
    id: 'id-1',
    body: { errors: [{ message, extensions: { code, retryable: false, requestId: 'id-1' } }] },
  });
}
