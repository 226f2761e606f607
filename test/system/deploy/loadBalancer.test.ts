/** nginx with deploy/nginx.conf behind a load balancer: the gateway tells clients apart, and they cannot choose their address. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { readReplicas } from '../../support/deploy/deployment.js';
import { startNginx, BALANCER_ADDRESS } from '../../support/deploy/nginx.js';
import { startGateway } from '../../support/gateway/gateway.js';
import { serve } from '../../support/http/serve.js';
import { reasonToSkip, skipIf } from '../../support/process/requirements.js';

skipIf(reasonToSkip('nginx'));

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
async function startBalancer(target: string): Promise<string> {
  const server = createServer(({ method, url, headers, socket }, response) => {
    const addresses = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');
    const forwarded = request(new URL(url ?? '', target), {
      method,
      headers: { ...headers, 'x-forwarded-for': addresses },
      localAddress: BALANCER_ADDRESS,
      agent: false,
    });
    forwarded.on('response', (upstream) => {
      response.writeHead(upstream.statusCode ?? 500, upstream.headers);
      upstream.pipe(response);
    });
    forwarded.end(BODY);
  });
  const { url, stop } = await serve(server);
  cleanups.push(stop);
  return url;
}

/** The statuses of requests from an address, one for each value of X-Forwarded-For that the client makes up. */
async function statusesOf(
  origin: string,
  localAddress: string,
  made: readonly (string | undefined)[],
): Promise<(number | undefined)[]> {
  const statuses: (number | undefined)[] = [];
  for (const forwardedFor of made) {
    const sent = request(`${origin}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
      },
      localAddress,
      agent: false,
    });
    sent.end(BODY);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    statuses.push(response.statusCode);
  }
  return statuses;
}

const none = [undefined, undefined, undefined, undefined];
const madeUp = ['203.0.113.1', '203.0.113.2, 203.0.113.3', '127.0.0.9', '127.0.0.3'];

test('two clients of a load balancer have separate limits per address', async () => {
  const balancer = await startBalancer(await start({ RATE_LIMIT: '3/60s' }));
  expect(await statusesOf(balancer, '127.0.0.2', none)).toEqual([200, 200, 200, 429]);
  expect(await statusesOf(balancer, '127.0.0.3', none)).toEqual([200, 200, 200, 429]);
});

test('a client gains nothing by making up X-Forwarded-For, and takes nothing from others', async () => {
  const nginx = await start({ RATE_LIMIT: '3/60s' });
  const balancer = await startBalancer(nginx);
  expect(await statusesOf(balancer, '127.0.0.2', madeUp)).toEqual([200, 200, 200, 429]);
  expect(await statusesOf(balancer, '127.0.0.3', none)).toEqual([200, 200, 200, 429]);
  // A client that bypasses the load balancer counts with the address of its connection.
  const others = [5, 6, 7, 8].map((each) => `203.0.113.${each}`);
  expect(await statusesOf(nginx, '127.0.0.4', others)).toEqual([200, 200, 200, 429]);
});
