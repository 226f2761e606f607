import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startStatusGateways, type StatusGateways } from '../../consumers/support/statusCases.js';
import { resultOf, type GraphQLContent } from '../../consumers/support/statusClients.js';
import { freePort } from '../../support/tools/freePort.js';
import { startNginx } from '../../support/deploy/nginx.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';

skipIf(reasonToSkip('nginx'));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{a}"}' };
const BAD_GATEWAY = { message: 'Internal server error', code: 'INTERNAL_SERVER_ERROR' };

describe('nginx', () => {
  test('forwards requests to both replicas unchanged, with the client’s address and request ID', async () => {
    const { url, requests } = await startReplicas(echo, echo);
    const id = 'client-1:a.b_c';
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
    ['no request ID', {}],
    ['one that the gateway would reject', { 'x-request-id': '"},{"' }],
  ])('generates a request ID if the client sends %s', async (_what, headers) => {
    const { url, requests } = await startReplicas(echo, echo);
    await fetch(`${url}/graphql`, { ...post, headers: { ...post.headers, ...headers } });
    expect(requests[0]?.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
  });

  test('reuses its connections to the replicas', async () => {
    const { url, requests } = await startReplicas(echo, echo);
    for (let count = 0; count < 10; count++) await (await fetch(`${url}/graphql`, post)).text();
    expect(requests.length).toBe(10);
    expect(new Set(requests.map(({ socket }) => socket)).size).toBeLessThan(10);
  });

  test('rejects a body that is too large with GraphQL JSON, without forwarding it', async () => {
    const { url, requests } = await startReplicas(echo, echo);
    const response = await fetch(`${url}/graphql`, {
      ...post,
      headers: { ...post.headers, 'x-request-id': 'id-1' },
      body: ' '.repeat(262_145),
    });
    await expectErrorResponse(response, 413, { message: 'Request body is too large', code: 'BAD_REQUEST' });
    expect(requests).toEqual([]);
    expect((await fetch(`${url}/graphql`, { ...post, body: ' '.repeat(262_144) })).status).toBe(200);
  });

  test('forwards a GET as long as Node.js accepts it', async () => {
    const { url, requests } = await startReplicas(echo, echo);
    const target = `/graphql?query=${'a'.repeat(15_000)}`;
    expect((await fetch(url + target)).status).toBe(200);
    expect(requests.map((request) => request.url)).toEqual([target]);
  });

  test('responds with 404 to other paths, without forwarding them', async () => {
    const { url, requests } = await startReplicas(echo, echo);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect(requests).toEqual([]);
  });
});

describe('if a replica fails, nginx', () => {
  test('sends requests to the other one when connections are refused', async () => {
    const { url, requests } = await startReplicas(echo, undefined);
    for (let count = 0; count < 10; count++) {
      expect(await (await fetch(`${url}/graphql`, post)).json()).toEqual({ body: post.body });
    }
    expect(requests.length).toBe(10);
  });

  test('does not resend a POST that was sent', async () => {
    const { url, requests } = await startReplicas(disconnect, disconnect);
    const response = await fetch(`${url}/graphql`, {
      ...post,
      headers: { ...post.headers, 'x-request-id': 'id-1' },
    });
    await expectErrorResponse(response, 502, BAD_GATEWAY);
    expect(requests.length).toBe(1);
  });

  test('resends a GET to the other one', async () => {
    const { url, requests } = await startReplicas(disconnect, echo);
    expect((await fetch(`${url}/graphql?query=%7Ba%7D`)).status).toBe(200);
    expect(requests.map(({ replica }) => replica)).toEqual([0, 1]);
  });

  test('stays ready until no replica is ready', async () => {
    const { url, requests } = await startReplicas(unready, echo);
    for (let count = 0; count < 2; count++) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(requests.map(({ replica }) => replica)).toContain(0);

    const { url: unreadyUrl } = await startReplicas(unready, unready);
    expect((await fetch(`${unreadyUrl}/readyz`)).status).toBe(503);
    expect((await fetch(`${unreadyUrl}/livez`)).status).toBe(200);
  });
});

describe('with the gateway as its replicas, nginx', () => {
  let gateways: StatusGateways;
  beforeAll(async () => {
    gateways = await startStatusGateways();
  });
  afterAll(() => gateways.stop());

  test.each<[what: string, directives: string]>([
    ['', ''],
    // nginx compresses only the statuses 200, 403 and 404.
    [', with gzip on as well', 'gzip on; gzip_min_length 0; gzip_proxied any; gzip_types *;'],
  ])('passes responses with 294, 422, 429 and 503 through unchanged%s', async (_what, directives) => {
    for (const { url, query, status, reason, retryAfter, content } of gateways.cases) {
      const port = Number(new URL(url).port);
      const nginx = await startNginx([port, port], directives);
      cleanups.push(() => nginx.stop());
      const response = await fetch(`${nginx.url}/graphql`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/graphql-response+json',
          'x-request-id': 'id-1',
        },
        body: JSON.stringify({ query }),
      });
      const { headers } = response;
      expect({
        status: response.status,
        reason: response.statusText,
        type: headers.get('content-type'),
        coding: headers.get('content-encoding'),
        id: headers.get('x-request-id'),
        retryAfter: headers.get('retry-after'),
        content: resultOf((await response.json()) as GraphQLContent),
      }).toEqual({
        status,
        reason,
        type: 'application/graphql-response+json; charset=utf-8',
        coding: null,
        id: 'id-1',
        retryAfter,
        content,
      });
    }
  });
});

const echo: RequestListener = (request, response) => {
  void request.toArray().then((chunks) => {
    response.end(JSON.stringify({ body: Buffer.concat(chunks as Buffer[]).toString() }));
  });
};
const disconnect: RequestListener = (request) => request.socket.destroy();
const unready: RequestListener = (_request, response) => response.writeHead(503).end();

/** Starts nginx in front of two replicas. A replica without a listener refuses connections. */
async function startReplicas(...listeners: [RequestListener | undefined, RequestListener | undefined]) {
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
  cleanups.push(() => nginx.stop());
  return { url: nginx.url, requests, nginx };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function expectErrorResponse(
  response: Response,
  status: number,
  error: { message: string; code: string },
) {
  const { message, code } = error;
  expect({
    status: response.status,
    type: response.headers.get('content-type'),
    id: response.headers.get('x-request-id'),
    body: await response.json(),
  }).toEqual({
    status,
    type: 'application/graphql-response+json; charset=utf-8',
    id: 'id-1',
    body: { errors: [{ message, extensions: { code, retryable: false, requestId: 'id-1' } }] },
  });
}
