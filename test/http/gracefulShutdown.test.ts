/** Shutdown without losing a request, on raw connections. Each test has a gateway of its own; all of them wait, side by side. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway/gateway.js';
import { freePort } from '../support/tools/freePort.js';
import { open, parseResponses, postOf, textOf } from '../support/http/rawHttp.js';

const REQUEST = postOf('{ __typename }');
const served = expect.objectContaining({ status: 200, body: '{"data":{"__typename":"Query"}}\n' }) as unknown;

test.concurrent.each([
  ['headers are', 20],
  ['body is', REQUEST.length - 5],
])('serves a request whose %s still arriving when the shutdown begins', async (_what, arrivedBytes) => {
  const gateway = await startGateway({ env: { DRAIN_DELAY_MS: '0' } });
  const socket = open(gateway.url);
  socket.write(REQUEST.slice(0, arrivedBytes));
  await gateway.execute('{ __typename }');
  const stopped = gateway.stop();
  await sleep(1500); // until idle connections are closed
  socket.write(REQUEST.slice(arrivedBytes));
  expect(parseResponses(await textOf(socket))).toEqual([served]);
  await stopped;
});

test.concurrent('serves the requests on connections that arrived while the event loop was busy', async () => {
  const gateway = await startGateway({ env: { DRAIN_DELAY_MS: '0' } });
  const stopped = gateway.stop();
  const sockets = Array.from({ length: 20 }, () => open(gateway.url));
  for (const socket of sockets) socket.write(REQUEST);
  const responses = await Promise.all(sockets.map((socket) => textOf(socket)));
  expect(responses.map(parseResponses)).toEqual(sockets.map(() => [served]));
  await stopped;
});

test.concurrent('keeps idle connections open while requests come', async () => {
  const gateway = await startGateway({ env: { DRAIN_DELAY_MS: '500' } });
  const sockets = Array.from({ length: 12 }, () => open(gateway.url));
  for (const socket of sockets) {
    socket.write(REQUEST);
    await once(socket, 'data');
  }
  const stopped = gateway.stop();
  for (const socket of sockets) {
    await sleep(150);
    socket.write(REQUEST);
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(parseResponses(response.toString())).toEqual([served]);
  }
  for (const socket of sockets) socket.destroy();
  await stopped;
});

test.concurrent.each([
  ['the port of clients', 10],
  ['METRICS_PORT, even if no connection is left', 0],
])(
  'responds to /readyz with 503 and Retry-After while it drains, and to /livez as before, on %s',
  async (_port, maxConnections) => {
    const metricsPort = await freePort();
    const gateway = await startGateway({
      env: { DRAIN_DELAY_MS: '2000', METRICS_PORT: String(metricsPort) },
      config: { http: { maxConnections } },
    });
    const url = maxConnections > 0 ? gateway.url : `http://127.0.0.1:${metricsPort}`;
    const send = async (path: string) => {
      const response = await fetch(new URL(path, url));
      const { status, statusText, headers } = response;
      const names = ['content-type', 'retry-after'] as const;
      return [status, statusText, ...names.map((name) => headers.get(name)), await response.json()];
    };
    const alive = [200, 'OK', 'application/json; charset=utf-8', null, { status: 'ok' }];
    expect([await send('/readyz'), await send('/livez')]).toEqual([alive, alive]);
    const stopped = gateway.stop();
    expect([await send('/readyz'), await send('/livez')]).toEqual([
      [503, 'Service Unavailable', 'application/json; charset=utf-8', '1', { status: 'draining' }],
      alive,
    ]);
    await stopped;
  },
);
