/** nginx with deploy/nginx.conf behind a TLS terminator: the gateway tells clients apart, and they cannot choose their address. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readReplicas } from '../../support/deploy/deployment.js';
import { startNginx, TERMINATOR_ADDRESS } from '../../support/deploy/nginx.js';
import { startGateway } from '../../support/gateway/gateway.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';

skipIf(reasonToSkip('nginx'));

/** Encrypts without a certificate, so that the test needs none. */
const TLS = { ciphers: 'AECDH-AES256-SHA:@SECLEVEL=0', maxVersion: 'TLSv1.2' } as const;
const BODY = JSON.stringify({ query: '{ __typename }' });

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

/** The gateway as both replicas of nginx, with the TRUST_PROXY of the Compose file; returns the origin of nginx. */
async function start(env: Record<string, string>): Promise<string> {
  const [replica] = readReplicas();
  const TRUST_PROXY = String(replica?.environment['TRUST_PROXY']);
  const gateway = await startGateway({ env: { TRUST_PROXY, ...env } });
  cleanups.push(() => gateway.stop());
  const port = Number(new URL(gateway.url).port);
  const nginx = await startNginx([port, port]);
  cleanups.push(() => nginx.stop());
  return nginx.url;
}

/** Forwards requests to nginx, and adds the client's address to those in X-Forwarded-For, as load balancers do. */
async function startTerminator(target: string): Promise<string> {
  const server = createServer(TLS, ({ method, url, headers, socket }, response) => {
    const addresses = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');
    const forwarded = httpRequest(new URL(url ?? '', target), {
      method,
      headers: { ...headers, 'x-forwarded-for': addresses },
      localAddress: TERMINATOR_ADDRESS,
      agent: false,
    });
    forwarded.on('response', (upstream) => {
      response.writeHead(upstream.statusCode ?? 500, upstream.headers);
      upstream.pipe(response);
    });
    forwarded.end(BODY);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The statuses of requests from an address, one for each value of X-Forwarded-For that the client makes up. */
async function statusesOf(
  origin: string,
  localAddress: string,
  made: readonly (string | undefined)[],
): Promise<(number | undefined)[]> {
  const statuses: (number | undefined)[] = [];
  for (const forwardedFor of made) {
    const send = origin.startsWith('https:') ? httpsRequest : httpRequest;
    const request = send(`${origin}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
      },
      localAddress,
      agent: false,
      rejectUnauthorized: false,
      ...TLS,
    });
    request.end(BODY);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    statuses.push(response.statusCode);
  }
  return statuses;
}

const none = [undefined, undefined, undefined, undefined];
const madeUp = ['203.0.113.1', '203.0.113.2, 203.0.113.3', '127.0.0.9', '127.0.0.3'];

test('two clients of a TLS terminator have separate limits per address', async () => {
  const terminator = await startTerminator(await start({ RATE_LIMIT: '3/60s' }));
  expect(await statusesOf(terminator, '127.0.0.2', none)).toEqual([200, 200, 200, 429]);
  expect(await statusesOf(terminator, '127.0.0.3', none)).toEqual([200, 200, 200, 429]);
});

test('a client gains nothing by making up X-Forwarded-For, and takes nothing from others', async () => {
  const nginx = await start({ RATE_LIMIT: '3/60s' });
  const terminator = await startTerminator(nginx);
  expect(await statusesOf(terminator, '127.0.0.2', madeUp)).toEqual([200, 200, 200, 429]);
  expect(await statusesOf(terminator, '127.0.0.3', none)).toEqual([200, 200, 200, 429]);
  // A client that bypasses the terminator counts with the address of its connection.
  const others = [5, 6, 7, 8].map((each) => `203.0.113.${each}`);
  expect(await statusesOf(nginx, '127.0.0.4', others)).toEqual([200, 200, 200, 429]);
});
