import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { resultOf, type GraphQLContent } from '../../consumers/support/clientResult.js';
import { startStatusGateways } from '../../consumers/support/statusCases.js';
import { freePort } from '../../support/tools/freePort.js';
import { startNginx } from '../../support/deploy/nginx.js';
import { serve } from '../../support/http/serve.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';
import { until } from '../../support/tools/waiting.js';
import { useStarted } from '../../support/tools/useStarted.js';

skipIf(reasonToSkip('nginx'));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{a}"}' };
const requestId = 'id-1';
const withId = { headers: { ...post.headers, 'x-request-id': requestId } };

/** Requests of which each replica gets some, except once in 2^39. */
const SAMPLE = 40;

describe('nginx', () => {
  test('forwards requests to both replicas unchanged, with the client’s address and request ID', async () => {
    const { url, requests } = await startReplicas(echo, echo);
    const id = 'client-1:a.b_c';
    for (let count = 0; count < SAMPLE; count++) {
      const response = await fetch(`${url}/graphql?a=1`, {
        ...post,
        headers: { ...post.headers, 'x-request-id': id, 'x-forwarded-for': '203.0.113.9', 'x-other': 'y' },
      });
      expect(await response.json()).toEqual({ body: post.body });
    }
    expect(new Set(requests.map(({ replica }) => replica))).toEqual(new Set([0, 1]));
    expect(requests.map(({ method, url: target }) => [method, target])).toEqual(
      Array(SAMPLE).fill(['POST', '/graphql?a=1']),
    );
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
    for (let count = 0; count < SAMPLE; count++) await (await fetch(`${url}/graphql`, post)).text();
    expect(requests.length).toBe(SAMPLE);
    expect(new Set(requests.map(({ socket }) => socket)).size).toBeLessThan(SAMPLE / 2);
  });

  test('rejects a body that is too large with GraphQL JSON, without forwarding it', async () => {
    const { url, requests } = await startReplicas(echo, echo);
    const response = await fetch(`${url}/graphql`, { ...post, ...withId, body: ' '.repeat(262_145) });
    await expectErrorResponse(response, 413, {
      message: 'Expected a request body of at most 262144 bytes, got a larger one',
      extensions: { code: 'BAD_REQUEST', outcome: 'NOT_APPLIED', retryable: false, requestId },
    });
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

  test('sends a replica that hangs no more requests than are in flight at the other one', async () => {
    const { url, requests } = await startReplicas(() => undefined, echo);
    const hanging = new AbortController();
    for (let count = 0; count < SAMPLE; count++) {
      const replies = requests.length;
      const response = fetch(`${url}/graphql`, { ...post, signal: hanging.signal });
      response.catch(() => undefined);
      await until(() => requests.length > replies);
      if (requests.at(-1)?.replica === 1) await (await response).text();
    }
    expect(requests.filter(({ replica }) => replica === 0).length).toBeLessThanOrEqual(2); // one per process of nginx
    hanging.abort();
  });

  test('does not resend a POST that was sent, and says that it may have been applied', async () => {
    const { url, requests } = await startReplicas(disconnect, disconnect);
    const response = await fetch(`${url}/graphql`, { ...post, ...withId });
    await expectErrorResponse(response, 502, {
      message: 'No response from the gateway: a mutation may have been applied',
      extensions: { code: 'INTERNAL_SERVER_ERROR', outcome: 'UNKNOWN', retryable: false, requestId },
    });
    expect(requests.length).toBe(1);
  });

  test('resends a GET to the other one', async () => {
    const { url, requests } = await startReplicas(disconnect, disconnect);
    const response = await fetch(`${url}/graphql?query=%7Ba%7D`, withId);
    await expectErrorResponse(response, 502, {
      message: 'No response from the gateway',
      extensions: { code: 'INTERNAL_SERVER_ERROR', retryable: false, requestId },
    });
    expect(requests.map(({ replica }) => replica).sort()).toEqual([0, 1]);
  });

  test('says that nothing was applied if it could not send the request', async () => {
    const { url } = await startReplicas(undefined, undefined);
    for (const options of [{ ...post, ...withId }, withId]) {
      const response = await fetch(`${url}/graphql?query=%7Ba%7D`, options);
      expect(response.headers.get('retry-after')).toBe('1');
      await expectErrorResponse(response, 503, {
        message: 'The gateway is unavailable',
        extensions: {
          code: 'SERVICE_UNAVAILABLE',
          outcome: 'NOT_APPLIED',
          retryable: true,
          retryAfterSeconds: 1,
          requestId,
        },
      });
    }
  });

  test('stays ready until no replica is ready', async () => {
    const { url } = await startReplicas(echo, echo, [503, 200]);
    for (let count = 0; count < 2; count++) expect((await fetch(`${url}/readyz`)).status).toBe(200);

    const { url: unreadyUrl } = await startReplicas(echo, echo, [503, 503]);
    expect((await fetch(`${unreadyUrl}/readyz`)).status).toBe(503);
    expect((await fetch(`${unreadyUrl}/livez`)).status).toBe(200);
  });
});

describe('compression by nginx', () => {
  const json = JSON.stringify({ data: 'a'.repeat(5000) });
  const respondWith =
    (type: string, body: Buffer | string = json, headers = {}): RequestListener =>
    (_request, response) => {
      response.writeHead(200, {
        'content-type': type,
        'content-length': Buffer.byteLength(body),
        ...headers,
      });
      response.end(body);
    };
  const GRAPHQL = 'application/graphql-response+json; charset=utf-8';

  test.each([['application/json; charset=utf-8'], [GRAPHQL]])('applies to %s', async (type) => {
    const { url } = await startReplicas(respondWith(type), respondWith(type));
    const response = await fetch(`${url}/graphql`, post);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    expect(await response.text()).toBe(json);
    const identity = { ...post, headers: { ...post.headers, 'accept-encoding': 'identity' } };
    const uncompressed = await fetch(`${url}/graphql`, identity);
    expect(uncompressed.headers.get('content-encoding')).toBeNull();
    expect(uncompressed.headers.get('vary')).toBe('Accept-Encoding');
    expect(await uncompressed.text()).toBe(json);
  });

  test('does not apply to what a replica has compressed', async () => {
    const listener = respondWith(GRAPHQL, gzipSync(json), { 'content-encoding': 'gzip' });
    const { url } = await startReplicas(listener, listener);
    const response = await fetch(`${url}/graphql`, post);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe(json); // fetch has decompressed it once
  });
});

describe('with the gateway as its replicas, nginx', () => {
  const gateways = useStarted(startStatusGateways);

  // nginx compresses only the statuses 200, 403 and 404, even if it is told to compress everything.
  test('passes responses with 294, 422, 429 and 503 through unchanged', async () => {
    for (const { url, query, status, reason, retryAfter, content } of gateways.cases) {
      const port = Number(new URL(url).port);
      const nginx = await startNginx([port, port], 'gzip_min_length 0;');
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

/** Starts nginx in front of two replicas. A replica without a listener refuses connections. */
async function startReplicas(
  first: RequestListener | undefined,
  second: RequestListener | undefined,
  readiness: [number, number] = [200, 200],
) {
  const requests: (IncomingMessage & { replica: number })[] = [];
  const ports = await Promise.all(
    [first, second].map(async (listener, replica) => {
      if (!listener) return freePort();
      const server = createServer((request, response) => {
        if (request.url === '/readyz') return void response.writeHead(readiness[replica] ?? 200).end();
        requests.push(Object.assign(request, { replica }));
        listener(request, response);
      });
      const { url, stop } = await serve(server);
      cleanups.push(stop);
      return Number(new URL(url).port);
    }),
  );
  const nginx = await startNginx(ports as [number, number]);
  cleanups.push(() => nginx.stop());
  return { url: nginx.url, requests };
}

async function expectErrorResponse(response: Response, status: number, error: object) {
  expect({
    status: response.status,
    type: response.headers.get('content-type'),
    id: response.headers.get('x-request-id'),
    body: await response.json(),
  }).toEqual({
    status,
    type: 'application/graphql-response+json; charset=utf-8',
    id: requestId,
    body: { errors: [error] },
  });
}
