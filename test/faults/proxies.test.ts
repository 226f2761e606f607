/** The service behind an egress proxy: calls take its tunnels, and what it does is never taken for the service's doing. */
import { describe, expect, test, vi } from 'vitest';
import { connectionLost, unconnectedInTime, unreachable } from '../support/service/faultCases.js';
import {
  startFaultGateway,
  useFaultGateway,
  type FaultGatewayOptions,
} from '../support/gateway/faultGateway.js';
import { about, failure, success } from '../support/graphql/faultOperations.js';
import { fieldNames, methodOf } from '../support/graphql/rootFields.js';
import { bytes, rejection, startFaultProxy, type ProxyFault } from '../support/service/faultProxy.js';
import { sizes } from '../support/tools/scale.js';
import { withoutStackTraces } from '../support/tools/stackTraces.js';
import { until } from '../support/tools/waiting.js';
import { forTest, useStarted } from '../support/tools/useStarted.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });
withoutStackTraces();

const SECRET = 'pa:ss/5ecret';
const withCredentials = (url: string) => url.replace('//', `//gate%20way:${encodeURIComponent(SECRET)}@`);

/** A gateway behind a proxy of its own. */
async function start(options: FaultGatewayOptions = {}) {
  const proxy = await forTest(startFaultProxy());
  const env = { HTTP_PROXY: withCredentials(proxy.url), ...options.env };
  const gateway = await forTest(startFaultGateway({ readsBack: false, ...options, env }));
  return { proxy, gateway };
}

const failuresIn = (gateway: { logLines: Record<string, unknown>[] }) =>
  gateway.logLines.flatMap(({ msg, level, origin, proxy, reason }) =>
    msg === 'Connection to the service failed' ? [{ level, origin, proxy, reason }] : [],
  );

describe('through a proxy, every operation', () => {
  const proxy = useStarted(() => startFaultProxy());
  const gateway = useFaultGateway(() => ({
    readsBack: false,
    env: { http_proxy: withCredentials(proxy.url), HTTP_PROXY: 'http://not-this.test' },
  }));

  test.each(fieldNames)(
    'reaches the service in a tunnel that the proxy opens for its credentials: %s',
    async (field) => {
      expect(await gateway.result(about(field, `tunnel ${field}`))).toEqual(
        success(field, `tunnel ${field}`),
      );
      const [request] = gateway.service.requests.filter(
        ({ subject, method }) => subject === `tunnel ${field}` && method === methodOf(field),
      );
      expect(request?.headers).not.toHaveProperty('proxy-authorization');
      const host = new URL(gateway.service.url).host;
      expect(request?.headers['host']).toBe(host);
      expect(proxy.requests[0]).toEqual({
        target: host,
        headers: {
          host,
          connection: 'close',
          'proxy-connection': 'keep-alive',
          'user-agent': 'shipment-graphql-gateway',
          'proxy-authorization': `Basic ${Buffer.from(`gate way:${SECRET}`).toString('base64')}`,
        },
      });
    },
  );

  test('shares tunnels with the others: each is a connection, which carries one call after the other', () => {
    expect(proxy.requests.length).toBe(gateway.service.connections.length);
    expect(proxy.requests.length).toBeLessThan(gateway.service.requests.length);
  });
});

test.each([
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 102 Processing\r\nVia: a\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n',
])('interim responses of the proxy before it opens a tunnel are skipped: %j', async (interim) => {
  const { proxy, gateway } = await start();
  proxy.interim = interim;
  for (const field of ['notification', 'createNotification'] as const) {
    expect(await gateway.result(about(field, `interim ${field}`))).toEqual(
      success(field, `interim ${field}`),
    );
  }
  expect(failuresIn(gateway)).toEqual([]);
});

describe('a proxy that opens no tunnel', () => {
  const faults: Record<string, { fault: ProxyFault; reason: string }> = {
    'demands credentials': {
      fault: rejection(407, 'proxy-authenticate: Basic realm="proxy"\r\n'),
      reason: 'The proxy responded with status 407',
    },
    'does not reach the service': { fault: rejection(502), reason: 'The proxy responded with status 502' },
    'closes the connection': {
      fault: (client) => void client.end(),
      reason: 'The proxy opened no tunnel: UND_ERR_SOCKET',
    },
    'sends garbage': {
      fault: bytes('\u0000\u0016\u0003\u0001 not HTTP\r\n\r\n'),
      reason: 'The proxy opened no tunnel: HTTPParserError',
    },
    'sends a header of 100 kB': {
      fault: bytes(`HTTP/1.1 200 OK\r\nx-padding: ${'x'.repeat(100_000)}\r\n\r\n`),
      reason: 'The proxy opened no tunnel: UND_ERR_HEADERS_OVERFLOW',
    },
    'responds to a request that was not sent yet': {
      fault: bytes(
        'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
      ),
      reason: 'The proxy sent data before the service could',
    },
  };

  test.each(Object.entries(faults))(
    'fails calls that were not applied, after three attempts: one that %s',
    async (_name, { fault, reason }) => {
      const { proxy, gateway } = await start();
      await gateway.prime(25);
      gateway.service.disconnect();
      proxy.plan = () => fault;
      for (const field of ['notification', 'createNotification'] as const) {
        const before = proxy.requests.length;
        expect(await gateway.result(about(field, 'no tunnel'))).toEqual(failure(field, unreachable));
        expect(proxy.requests.length - before).toBe(3);
      }
      expect(gateway.service.requests.filter(({ subject }) => subject === 'no tunnel')).toEqual([]);
      // Two calls and six attempts, and one line a minute.
      expect(failuresIn(gateway)).toEqual([
        { level: 40, origin: gateway.service.url, proxy: proxy.url, reason },
      ]);
      await until(() => proxy.openConnections === 0);
    },
  );

  test('fails calls that were not applied if nothing listens on its port', async () => {
    const { proxy, gateway } = await start();
    await proxy.stop();
    expect(await gateway.result(about('createNotification', 'no proxy'))).toEqual(
      failure('createNotification', unreachable),
    );
    expect(failuresIn(gateway)).toMatchObject([
      { proxy: proxy.url, reason: 'The proxy opened no tunnel: ECONNREFUSED' },
    ]);
  });

  test.each<[string, ProxyFault]>([
    ['never responds', () => undefined],
    [
      'sends its response one byte at a time',
      (client) => {
        client.write('HTTP/1.1 200 OK\r\nx-padding: ');
        const timer = setInterval(() => client.write('x'), 20);
        client.once('close', () => clearInterval(timer));
      },
    ],
  ])('fails calls at their deadline, and leaves no tunnel half open: one that %s', async (_name, fault) => {
    const { proxy, gateway } = await start({ env: { SERVICE_TIMEOUT_MS: '400' } });
    proxy.plan = () => fault;
    expect(await gateway.result(about('createNotification', 'slow proxy'))).toEqual(
      failure('createNotification', unconnectedInTime),
    );
    expect(failuresIn(gateway)).toMatchObject([
      { proxy: proxy.url, reason: 'Could not connect to the service in time' },
    ]);
    await until(() => proxy.openConnections === 0);
    expect(gateway.service.connections).toEqual([]);
  });

  test('opens the circuit, as failed connections do', async () => {
    const { proxy, gateway } = await start({ config: { service: { retries: 0 } } });
    proxy.plan = () => rejection(403);
    for (let count = 0; count < 40; count += 1) await gateway.execute(about('notification', 'refused'));
    expect(proxy.requests.length).toBeLessThan(40);
    expect(gateway.logLines.filter(({ msg }) => msg === 'Circuit breaker opened')).toMatchObject([
      { failure: 'UnreachableError', reason: 'The proxy responded with status 403' },
    ]);
  });
});

test('a client that disconnects tears down the tunnel that opens for its call, and frees the connection', async () => {
  const { proxy, gateway } = await start({ env: { SERVICE_CONNECTIONS: '1' } });
  proxy.plan = () => () => undefined;
  const client = new AbortController();
  const call = gateway
    .execute(about('createNotification', 'gone'), { signal: client.signal })
    .catch(() => 'gone');
  await until(() => proxy.requests.length === 1);
  client.abort();
  await call;
  await until(() => proxy.openConnections === 0);
  proxy.plan = () => undefined;
  expect(await gateway.result(about('notification', 'next'))).toEqual(success('notification', 'next'));
  expect(gateway.service.requests.map(({ subject }) => subject)).toEqual(['next']);
});

test('a tunnel that breaks after a write was sent leaves its outcome unknown', async () => {
  const { proxy, gateway } = await start();
  gateway.service.plan = () => ({ kind: 'hang' });
  const call = gateway.result(about('createNotification', 'broken'));
  await until(() => gateway.service.requests.length === 1);
  proxy.breakTunnels();
  expect(await call).toEqual(failure('createNotification', connectionLost));
  expect(proxy.requests.length).toBe(1);
});

test('the credentials of the proxy are in no log line, whatever fails', async () => {
  const { proxy, gateway } = await start({ env: { LOG_LEVEL: 'trace' } });
  proxy.plan = () => rejection(407);
  const { text } = await gateway.execute(about('createNotification', 'secret'));
  const everything = JSON.stringify(gateway.logLines) + text;
  const encoded = Buffer.from(`gate way:${SECRET}`).toString('base64');
  for (const secret of [SECRET, encodeURIComponent(SECRET), encoded, 'gate way', 'gate%20way'])
    expect(everything).not.toContain(secret);
});
