/** The transports over real sockets: what they share, what they report, and how they stop. */
import { setImmediate as tickEnd } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Cancellation } from '../../src/transport/cancellation.js';
import { createLargeResponses } from '../../src/transport/largeResponses.js';
import type { Call } from '../../src/transport/calls.js';
import { createTransports } from '../../src/transport/transport.js';
import { clientNamed } from '../support/service/callClients.js';
import { memoryOf } from '../support/service/responseMemory.js';
import { startFaultServer, type FaultServer } from '../support/service/faultServer.js';
import { recordTelemetry } from '../support/telemetry/events.js';
import { freePort } from '../support/tools/freePort.js';
import { createGate, until } from '../support/tools/waiting.js';

let service: FaultServer;
let transports: ReturnType<typeof createTransports>;
/** The events that operators see, and the ends of attempts. */
let events: unknown[];
beforeEach(async () => {
  service = await startFaultServer();
  events = [];
  transports = createTransports({
    timeoutMs: 10_000,
    retries: 0,
    maxConnections: 1,
    maxConnectionAgeMs: Infinity,
    queueLimit: 1,
    circuitOpenMs: 60_000,
    maxResponseBytes: 1_000_000,
    telemetry: recordTelemetry(events),
  });
});
afterEach(() => service.stop());

function send(origin: string, changes: Partial<Call> = {}, memory = memoryOf()): Promise<unknown> {
  const baseUrl = new URL(origin);
  return transports.to(baseUrl).send(
    {
      method: 'GET',
      path: '/v1/customnotifications/a',
      headers: {},
      baseUrl,
      route: '/v1/customnotifications/{notificationGuid}',
      routeVariable: 'NOTIFICATION_PATH',
      urlVariable: 'SERVICE_URL',
      preview: () => ({ method: 'GET', path: '', headers: {}, body: undefined, curl: '' }),
      messagesOf: () => undefined,
      redactUrl: (url) => url.href,
      client: clientNamed('a'),
      observer: {
        start: () => ({
          headers: undefined,
          end: ({ status, error }) => void events.push({ name: 'end', status, error }),
        }),
        deduplicated: () => undefined,
        skippedByDryRun: () => undefined,
      },
      read: (response) => response.json(),
      ...changes,
    },
    { cancellation: new Cancellation(), memory },
  );
}

test('a circuit that opens is reported with the code of the failed connection', async () => {
  const origin = `http://127.0.0.1:${await freePort()}`;
  for (let index = 0; index < 20; index += 1)
    await expect(send(origin)).rejects.toMatchObject({ name: 'UnreachableError' });
  await expect(send(origin)).rejects.toMatchObject({ failure: 'circuitOpen' });
  const attempt = [
    { name: 'end', status: undefined, error: 'UnreachableError' },
    { name: 'connectionFailed', requestId: 'request of a', method: 'GET', origin, reason: 'ECONNREFUSED' },
  ];
  expect(events).toEqual([
    ...Array.from({ length: 20 }, () => attempt).flat(),
    { name: 'circuitChanged', origin, state: 'open', failure: 'UnreachableError', reason: 'ECONNREFUSED' },
    { name: 'restCallShed', requestId: 'request of a', method: 'GET', route: expect.any(String) as string },
  ]);
});

test('a call whose response is discarded is not reported as shed', async () => {
  const queue = createLargeResponses(1);
  expect(memoryOf('ben', queue).grow(100_000)).toBeUndefined();
  service.plan = () => ({ kind: 'respond', body: JSON.stringify('x'.repeat(100_000)) });
  const call = { deadline: performance.now() + 500 };
  await expect(send(service.url, call, memoryOf('ann', queue))).rejects.toMatchObject({
    name: 'ResponseDiscardedError',
    outcome: 'UNKNOWN',
  });
  expect(events).toEqual([{ name: 'end', status: undefined, error: 'ResponseDiscardedError' }]);
});

test('transports stop when their calls in flight have ended', async () => {
  const order: string[] = [];
  const gate = createGate();
  service.plan = () => ({ kind: 'delay', until: () => gate.opened });
  const response = send(service.url).then(() => order.push('response'));
  await until(() => service.requests.length === 1);
  const stopped = transports.stop().then(() => order.push('stopped'));
  await tickEnd();
  gate.open();
  await Promise.all([response, stopped]);
  expect(order).toEqual(['response', 'stopped']);
});
