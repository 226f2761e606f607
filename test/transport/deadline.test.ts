/** Deadlines by the clock: on a busy event loop, timers fire late, and the clock alone tells that a deadline has passed. */
import { afterEach, expect, test, vi } from 'vitest';
import { startFaultGateway, type FaultGateway } from '../support/gateway/faultGateway.js';
import { createGate, until } from '../support/tools/waiting.js';
import { about, failure, success, type Failure } from '../support/graphql/faultOperations.js';
import { stubDns } from '../support/http/stubDns.js';
import { statusFailure, statusFault } from '../support/service/faultCases.js';
import { serviceErrorMessages } from '../support/graphql/fieldError.js';

const TIMEOUT_MS = 60_000;
const env = { SERVICE_TIMEOUT_MS: String(TIMEOUT_MS) };
/** The deadline ends them. */
const service = { retries: 10 };
const unsent = (message: string, retryAfterSeconds?: number): Failure => ({
  message,
  code: 'SERVICE_UNAVAILABLE',
  outcome: 'NOT_APPLIED',
  retryable: true,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

let gateway: FaultGateway;
afterEach(async () => {
  vi.restoreAllMocks();
  await gateway.stop();
});

const now = performance.now.bind(performance);
/** Moves the clock ahead of the real one without firing a timer. */
function jump(jumpMs: number) {
  vi.spyOn(performance, 'now').mockImplementation(() => now() + jumpMs);
}

const sent = () => gateway.service.requests.map(({ method, subject }) => `${method} ${subject}`);

test('a call and its retries share one deadline', async () => {
  gateway = await startFaultGateway({ env, config: { service } });
  vi.spyOn(Math, 'random').mockReturnValue(0); // no backoff
  gateway.service.plan = ({ before }) => {
    jump((before + 1) * 0.4 * TIMEOUT_MS);
    return statusFault(503);
  };
  expect(await gateway.result(about('notification', 'read'))).toEqual(
    failure('notification', statusFailure(503)),
  );
  expect(sent()).toEqual(Array(3).fill('GET read'));
});

test('a write whose deadline passes while it waits for a connection is not sent', async () => {
  gateway = await startFaultGateway({
    env: { ...env, SERVICE_CONNECTIONS: '1' },
    config: { service: { ...service, queueLimit: 4 } }, // of which one client has half
  });
  const { opened: released, open: respond } = createGate();
  gateway.service.plan = ({ subject }) =>
    subject === 'first' ? { kind: 'delay', until: () => released } : undefined;
  const first = gateway.result(about('createNotification', 'first'));
  await until(() => gateway.service.requests.length === 1);
  const writes = ['second', 'third', 'fourth'].map((subject) =>
    gateway.result(about('createNotification', subject)),
  );
  await until(() => gateway.logLines.some(({ msg }) => msg === 'REST call shed')); // the others wait

  jump(TIMEOUT_MS);
  respond();
  expect(await first).toEqual(success('createNotification', 'first'));
  const results = await Promise.all(writes);
  const late = failure('createNotification', unsent('The deadline passed before the request was sent', 1));
  expect(results.filter(({ errors }) => JSON.stringify(errors).includes('The deadline passed'))).toEqual([
    late,
    late,
  ]);
  expect(sent()).toEqual(['POST first']);
});

test('a write whose deadline passes while its connection opens is not sent', async () => {
  const replies: (() => void)[] = [];
  const host = stubDns('slow-host.test', (reply) => {
    replies.push(() => reply(null, [{ address: '127.0.0.1', family: 4 }]));
  });
  gateway = await startFaultGateway({
    env,
    config: { service: { retries: 0 } },
    serviceUrl: (url) => url.replace('127.0.0.1', 'slow-host.test'),
  });
  const write = gateway.result(about('createNotification', 'late'));
  await until(() => replies.length === 1);
  jump(TIMEOUT_MS);
  replies[0]?.();
  expect(await write).toEqual(
    failure('createNotification', unsent('Could not connect to the service in time')),
  );
  await until(() => gateway.service.connections[0]?.closedAt !== undefined);
  expect(gateway.service.connections).toMatchObject([{ bytesReceived: 0 }]);
  host.restore();
});

test('calls that waited for most of their time and then cannot connect do not open the circuit', async () => {
  const connections = 20; // as many failures as open the circuit, and what one client gets of the connections
  const replies: (() => void)[] = [];
  const host = stubDns('slow-host.test', (reply) => {
    replies.push(() => reply(null, [{ address: '127.0.0.1', family: 4 }]));
  });
  const connect = () => {
    for (const reply of replies.splice(0)) reply();
  };
  gateway = await startFaultGateway({
    env: { ...env, SERVICE_CONNECTIONS: String(connections + 2) },
    config: { service: { retries: 0, queueLimit: 2 * connections } },
    serviceUrl: (url) => url.replace('127.0.0.1', 'slow-host.test'),
  });
  const { opened: dropped, open: drop } = createGate();
  gateway.service.plan = () => ({
    kind: 'delay',
    until: () => dropped,
    then: { kind: 'respond', headers: { connection: 'close' } },
  });
  const writes = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      gateway.result(about('createNotification', `${name} ${index}`)),
    );
  const first = writes('first', connections);
  await until(() => replies.length === connections);
  connect();
  await until(() => gateway.service.requests.length === connections);
  const waiting = writes('waiting', connections + 1);
  await until(() => gateway.logLines.some(({ msg }) => msg === 'REST call shed')); // the others wait

  jump(0.6 * TIMEOUT_MS);
  drop();
  await Promise.all(first);
  await until(() => replies.length === connections);
  jump(TIMEOUT_MS);
  connect();
  const [late, full] = ['The deadline passed before the request was sent', 'The queue of REST calls is full'];
  expect(await Promise.all(waiting)).toEqual([
    ...Array<unknown>(connections).fill(failure('createNotification', unsent(late, 1))),
    failure('createNotification', unsent(full, 1)),
  ]);
  expect(gateway.logLines.filter(({ msg }) => msg === 'Circuit breaker opened')).toEqual([]);
  host.restore();
});

test('an update whose deadline passes during the read before it is not sent', async () => {
  gateway = await startFaultGateway({ env, config: { service } });
  gateway.service.plan = () => {
    jump(TIMEOUT_MS);
    return undefined;
  };
  const { query } = about('updateNotification', 'late');
  const variables = { notificationGuid: 'late', input: { notificationName: 'Renamed' } };
  const { data, errors } = await gateway.result({ query, variables });
  expect(data).toEqual({ updateNotification: null });
  expect(errors).toEqual([
    expect.objectContaining({
      extensions: expect.objectContaining({ outcome: 'NOT_APPLIED', retryable: true }) as unknown,
    }),
  ]);
  expect(sent()).toEqual(['GET late']);
});

test('a retry whose deadline passes during the backoff is not sent, and the first failure is reported', async () => {
  gateway = await startFaultGateway({ env, config: { service } });
  gateway.service.plan = () => statusFault(503, { 'retry-after': '1' });
  const read = gateway.result(about('notification', 'read'));
  await until(() => gateway.logLines.some(({ msg, status }) => msg === 'REST call' && status === 503));
  jump(TIMEOUT_MS);
  expect(await read).toEqual(
    failure('notification', {
      code: 'SERVICE_ERROR',
      message: serviceErrorMessages.failed,
      outcome: 'UNKNOWN',
      retryable: true,
      retryAfterSeconds: 1,
      status: 503,
      serviceMessages: [{ message: 'The service says no.' }],
    }),
  );
  expect(sent()).toEqual(['GET read']);
});
