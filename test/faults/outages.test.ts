/** The circuit breaker does not multiply an outage, and notices its end soon. */
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { describe, expect, test, vi } from 'vitest';
import {
  timedOut,
  promptCases,
  statusFailure,
  statusFault,
  unconnectedInTime,
  unsentInTime,
  unreachable,
} from '../support/service/faultCases.js';
import { startFaultGateway } from '../support/gateway/faultGateway.js';
import { about, failure, success, type Failure } from '../support/graphql/faultOperations.js';
import { asVariables, fieldNames, shipmentFields } from '../support/graphql/rootFields.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { countConnectionRefusals } from '../support/http/countConnectionRefusals.js';
import { stubDns } from '../support/http/stubDns.js';
import { sizes } from '../support/tools/scale.js';
import { forTest } from '../support/tools/useStarted.js';

vi.setConfig({ testTimeout: sizes.testTimeoutMs, hookTimeout: sizes.testTimeoutMs });

const OPEN_MS = 300;
const config = { service: { circuitOpenMs: OPEN_MS, readBackTimeoutMs: 500 } };

const open: Failure = {
  message: 'Circuit breaker is open',
  code: 'SERVICE_UNAVAILABLE',
  outcome: 'NOT_APPLIED',
  retryable: true,
  retryAfterSeconds: 1,
};

interface Outage {
  name: string;
  begin: (service: FaultServer) => void;
  end: (service: FaultServer) => void | Promise<void>;
  failure: Failure;
  timeoutMs?: number;
}

const outages: Outage[] = [
  {
    name: 'the port is closed',
    begin(service) {
      service.refuse();
      service.disconnect();
    },
    end: (service) => service.accept(),
    failure: unreachable,
  },
  ...[
    { name: 'every response is 503', fault: statusFault(503), failure: statusFailure(503) },
    { name: 'every response is 500', fault: statusFault(500), failure: statusFailure(500) },
    {
      name: 'every connection is lost',
      fault: { kind: 'reset' } as const,
      failure: promptCases['reset after execution'].failure,
    },
    {
      name: 'no call gets a response',
      fault: { kind: 'hang' } as const,
      failure: timedOut,
      timeoutMs: 4000, // enough for a busy machine to get the responses after it
    },
  ].map(({ name, fault, failure: expected, timeoutMs = 60_000 }) => ({
    name,
    timeoutMs,
    begin(service: FaultServer) {
      service.plan = () => fault;
    },
    end(service: FaultServer) {
      service.plan = () => undefined;
    },
    failure: expected,
  })),
];

describe.concurrent('a full outage', () => {
  test.each(outages)(
    'is not multiplied, and ends with the first successful probe: $name',
    async ({ name, begin, end, failure: expected, timeoutMs = 60_000 }) => {
      const gateway = await startFaultGateway({ env: { SERVICE_TIMEOUT_MS: String(timeoutMs) }, config });
      const { service } = gateway;
      const refusedConnections = countConnectionRefusals(service);
      for (const subject of ['before 1', 'before 2']) await gateway.execute(about('notification', subject));
      const sentBefore = service.requests.length;
      begin(service);

      const operations = Array.from({ length: sizes.outageCalls }, (_, index) => {
        const field = fieldNames[index % fieldNames.length] ?? 'notification';
        return { field, subject: `outage ${index}` };
      });
      const concurrency = 25;
      const startedAt = performance.now();
      const results = await pMap(operations, ({ field, subject }) => gateway.result(about(field, subject)), {
        concurrency,
      });
      const maxProbes = (performance.now() - startedAt) / OPEN_MS;
      const restCalls = service.requests.length - sentBefore + refusedConnections.stop();
      console.log(`${name}: ${operations.length} GraphQL calls, ${restCalls} REST calls`);
      expect(restCalls).toBeLessThanOrEqual(1.2 * operations.length);
      expect(restCalls).toBeGreaterThanOrEqual(20);

      // Each call fails because of the outage or the open circuit.
      const causes = [open, ...(expected === timedOut ? [unconnectedInTime, unsentInTime] : [])];
      const causeOf = (result: unknown) =>
        causes.find(({ message }) => JSON.stringify(result).includes(message)) ?? expected;
      expect(results).toEqual(operations.map(({ field }, index) => failure(field, causeOf(results[index]))));
      // Twenty failures open the circuit while others are in flight; then one call at a time probes.
      const sent = results.filter((each) => causeOf(each) !== open);
      expect(sent.length).toBeLessThanOrEqual(20 + concurrency + maxProbes);

      await end(service);
      await sleep(OPEN_MS);
      for (const field of [...fieldNames, ...fieldNames]) {
        expect(await gateway.result(about(field, `healthy ${field}`))).toEqual(
          success(field, `healthy ${field}`),
        );
      }
      await gateway.stop();
    },
  );
});

describe('from the first call on, the log explains a SERVICE_URL with', () => {
  const config = { service: { retries: 0 } };

  test.each<{ what: string; serviceUrl?: (url: string) => string; reason: string }>([
    { what: 'an unknown host', serviceUrl: () => 'http://service.test', reason: 'ENOTFOUND' },
    { what: 'a closed port', reason: 'ECONNREFUSED' },
  ])('$what, with one warning a minute', async ({ serviceUrl, reason }) => {
    const dns = stubDns('service.test', (reply) => {
      reply(Object.assign(new Error('getaddrinfo ENOTFOUND service.test'), { code: 'ENOTFOUND' }), []);
    });
    const gateway = await startFaultGateway({ config, ...(serviceUrl && { serviceUrl }) });
    const { service, logLines } = gateway;
    service.refuse();
    const time = vi.spyOn(performance, 'now');
    const now = Math.ceil(performance.now()); // sums of integers are exact
    for (const [requestId, ms] of [
      ['first', 0],
      ['second', 59_999],
      ['third', 60_001],
    ] as const) {
      await sleep(5); // the cache of the lines that were logged reads the clock once a millisecond
      time.mockReturnValue(now + ms);
      const { data, errors, text } = await gateway.execute(about('notification', 'a'), { requestId });
      expect({ data, errors }).toEqual(failure('notification', unreachable, requestId));
      expect(text).not.toMatch(new RegExp(`service.test|127\\.0\\.0\\.1|${reason}`));
    }
    time.mockRestore();
    await gateway.stop();
    dns.restore();

    const { origin } = new URL(serviceUrl?.(service.url) ?? service.url);
    const of = (message: string) =>
      logLines
        .filter(({ msg }) => msg === message)
        .map(({ level, requestId, method, origin, reason }) => [level, requestId, method, origin, reason]);
    const line = (level: number) => (requestId: string) => [level, requestId, 'GET', origin, reason];
    expect(of('REST call')).toEqual(['first', 'second', 'third'].map(line(20)));
    expect(of('Connection to the service failed')).toEqual(['first', 'third'].map(line(40)));
  });

  test('a page in place of the service', async () => {
    const gateway = await startFaultGateway({ config });
    gateway.service.plan = ({ method }) => ({
      kind: 'respond',
      status: method === 'GET' ? 200 : 502,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: '<h1>Welcome</h1>',
    });
    for (const field of ['notification', 'trackShipment'] as const) await gateway.execute(about(field, 'a'));
    const { service, logLines } = gateway;
    await gateway.stop();
    const lines = logLines.filter(({ origin }) => origin !== undefined);
    const origin = service.url;
    const read = { method: 'GET', origin, route: '/v1/customnotifications/{notificationGuid}' };
    const reason = 'got text/html';
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'REST call', ...read, status: 200, reason }),
      expect.objectContaining({
        msg: 'Upstream response violates the contract',
        ...read,
        problem: 'The response is HTML; got text/html; SERVICE_URL or NOTIFICATION_PATH may be wrong',
      }),
      expect.objectContaining({
        msg: 'REST call',
        method: 'POST',
        origin,
        route: '/atlas/frexapi/shipment/track/',
        status: 502,
        reason,
      }),
    ]);
  });
});

test('a call that waits for the only connection is sent once that could not be opened', async () => {
  const env = { SERVICE_CONNECTIONS: '1', SERVICE_TIMEOUT_MS: '2000' };
  const gateway = await forTest(startFaultGateway({ env, config: { service: { retries: 0 } } }));
  gateway.service.refuse();
  gateway.service.disconnect();
  const results = await Promise.all(
    ['first', 'second', 'third'].map((subject) => gateway.result(about('notification', subject))),
  );
  expect(results).toEqual(results.map(() => failure('notification', unreachable)));
});

test('the circuit breaker of one origin does not affect that of another', async () => {
  const shipments = await forTest(startFaultServer());
  const env = { SHIPMENT_SERVICE_URL: shipments.url };
  const gateway = await forTest(startFaultGateway({ env, config: { service: { circuitOpenMs: 60_000 } } }));
  const openForLong = { ...open, retryAfterSeconds: expect.any(Number) as number };
  gateway.service.plan = () => statusFault(500);
  const notificationGuids = Array.from({ length: 25 }, (_, index) => `failing ${index}`);
  await gateway.execute(asVariables('notificationsByGuid', { notificationGuids }));
  for (const field of fieldNames) {
    expect(await gateway.result(about(field, field))).toEqual(
      shipmentFields.includes(field) ? success(field, field) : failure(field, openForLong),
    );
  }
});
