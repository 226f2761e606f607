import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCircuitBreaker, createFailedClients } from '../../src/transport/circuitBreaker.js';
import type { ClientIdentity } from '../../src/transport/calls.js';
import { failureOfStatus, ServiceError } from '../../src/transport/serviceError.js';
import { clientNamed } from '../support/service/clientIdentities.js';

type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** Makes a call as the transport does. */
async function run<T>(breaker: CircuitBreaker, call: () => Promise<T>, client: ClientIdentity): Promise<T> {
  const admitted = breaker.admit(client);
  try {
    const result = await call();
    breaker.settle(admitted);
    return result;
  } catch (error) {
    breaker.settle(admitted, error);
    throw error;
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(60_000); // no test starts at 0, where sums and differences are equal
});
afterEach(() => vi.useRealTimers());

const failure = new ServiceError('serviceFailed');

describe('a circuit breaker', () => {
  test.each([
    ['failed connections', new ServiceError('unreachable')],
    ['timeouts', new ServiceError('timedOut')],
    ['lost connections', new ServiceError('connectionLost')],
    ['responses with 500', new ServiceError(failureOfStatus(500))],
    ['responses with 503', new ServiceError(failureOfStatus(503))],
  ])('opens after 20 %s', async (_name, error) => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000 });
    await runCalls(breaker, 19, error);
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 1, error);
    expect(breaker.state).toBe('open');
  });

  test.each([
    ['rejections', new ServiceError(failureOfStatus(429))],
    ['invalid responses', new ServiceError('responseInvalid')],
    ['discarded responses', new ServiceError('responseDiscarded')],
    ['cancelled calls', new ServiceError('cancelled')],
    ['calls that found the queue full', new ServiceError('queueFull')],
    ['calls whose deadline passed before they were sent', new ServiceError('deadlinePassed')],
    ['calls for which no memory was left', new ServiceError('outOfMemory')],
    ['bugs', new TypeError('x')],
  ])('stays closed after any number of %s', async (_name, error) => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000 });
    await runCalls(breaker, 1000, error);
    expect(breaker.state).toBe('closed');
  });

  test('opens only if the failure rate reaches the threshold', async () => {
    const breaker = createCircuitBreaker({
      openDurationMs: 5000,
      minimumFailures: 2,
    });
    await runCalls(breaker, 5);
    await runCalls(breaker, 4, failure);
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });

  test('counts only the failures within its window', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 4 });
    await runCalls(breaker, 3, failure);
    vi.advanceTimersByTime(10_000);
    await runCalls(breaker, 3, failure);
    expect(breaker.state).toBe('closed');
    vi.advanceTimersByTime(9999);
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });

  test('forgets failures at their own age, not all of them at once', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 3 });
    await runCalls(breaker, 1, failure);
    vi.advanceTimersByTime(9000);
    await runCalls(breaker, 1, failure);
    vi.advanceTimersByTime(1000);
    await runCalls(breaker, 1, failure); // the second of the window
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });

  test('opens after 20 failures however many calls succeeded before its window', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000 });
    await runCalls(breaker, 1000);
    vi.advanceTimersByTime(10_000);
    await runCalls(breaker, 19, failure);
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });
});

describe('failures that one client may cause', () => {
  const anyOther = () => Promise.resolve('result');

  test.each<[string, (call: number) => ClientIdentity]>([
    ['one client', () => clientNamed('one')],
    ['one address with many tokens', (call) => clientNamed('one', { token: `token-${call}` })],
    ['one token at many addresses', (call) => clientNamed('one', { address: `address-${call}` })],
    ['one address without a token', () => clientNamed('one', { token: null })],
  ])('do not open the circuit for others: %s', async (_name, clientOf) => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000 });
    for (let call = 0; call < 300; call += 1)
      await run(breaker, () => Promise.reject(failure), clientOf(call)).catch(() => undefined);
    expect(breaker.state).toBe('closed');
    await expect(run(breaker, anyOther, nextClient())).resolves.toBe('result');
    // They count as one.
    await runCalls(breaker, 18, failure);
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });

  test('count again once they have left the window', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 2 });
    const one = clientNamed('one');
    await runCalls(breaker, 1, failure, () => one);
    vi.advanceTimersByTime(10_001);
    await runCalls(breaker, 1, failure, () => one);
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });

  test('open the circuit of this client alone, which then probes on its own', async () => {
    const changes: unknown[] = [];
    const breaker = createCircuitBreaker({
      openDurationMs: 5000,
      onClientChange: (...change) => changes.push(change),
    });
    const one = clientNamed('one');
    await runCalls(breaker, 19, failure, () => one);
    await expect(run(breaker, anyOther, one)).resolves.toBe('result');
    await runCalls(breaker, 1, failure, () => one);
    expect(changes.splice(0)).toEqual([['open', one, failure]]);
    const call = vi.fn(anyOther);
    await expect(run(breaker, call, one)).rejects.toMatchObject({
      failure: 'circuitOpen',
      retryAfterSeconds: 5,
    });
    expect(call).not.toHaveBeenCalled();
    await expect(run(breaker, anyOther, nextClient())).resolves.toBe('result');

    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1, failure, () => one);
    await expect(run(breaker, call, one)).rejects.toMatchObject({ failure: 'circuitOpen' });
    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1, new ServiceError('cancelled'), () => one);
    expect(changes).toEqual([]);
    await expect(run(breaker, call, one)).resolves.toBe('result');
    expect(changes).toEqual([['closed', one]]);
    await runCalls(breaker, 19, failure, () => one);
    await expect(run(breaker, anyOther, one)).resolves.toBe('result');
  });

  test('open the circuit of this client only if they are half of its calls since the first', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 4 });
    const one = clientNamed('one');
    await runCalls(breaker, 1, failure, () => one);
    await runCalls(breaker, 4, undefined, () => one);
    await runCalls(breaker, 3, failure, () => one); // 4 of 8
    await expect(run(breaker, anyOther, one)).rejects.toMatchObject({ failure: 'circuitOpen' });

    vi.advanceTimersByTime(10_000);
    const other = clientNamed('other');
    await runCalls(breaker, 1, failure, () => other);
    await runCalls(breaker, 5, undefined, () => other);
    await runCalls(breaker, 3, failure, () => other); // 4 of 9
    await expect(run(breaker, anyOther, other)).resolves.toBe('result');
  });

  test('open no circuit in a short burst after many successes', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000 });
    const one = clientNamed('one');
    await runCalls(breaker, 100, undefined, () => one);
    await runCalls(breaker, 99, failure, () => one);
    await expect(run(breaker, () => Promise.reject(failure), one)).rejects.toBe(failure);
    await expect(run(breaker, anyOther, one)).rejects.toMatchObject({ failure: 'circuitOpen' });
  });

  test('are remembered for the 500 clients that failed last, whoever calls', async () => {
    const breaker = createCircuitBreaker({
      openDurationMs: 5000,
      minimumFailures: 2,
    });
    // Of one address, so that the shared circuit stays closed.
    const tokens = Array.from({ length: 501 }, (_, index) => clientNamed('one', { token: `token-${index}` }));
    for (const client of tokens) {
      await runCalls(breaker, 2, failure, () => client);
      await run(breaker, anyOther, clientNamed('one', { token: 'token-0' })).catch(() => undefined);
    }
    const isOpen = await Promise.all(
      tokens.map((client) =>
        run(breaker, anyOther, client).then(
          () => false,
          () => true,
        ),
      ),
    );
    expect(isOpen).toEqual([false, ...Array<boolean>(500).fill(true)]);
  });
});

describe('an open circuit', () => {
  test('fails calls immediately, with the seconds until the next probe', async () => {
    const breaker = await openCircuit();
    const call = vi.fn(() => Promise.resolve('result'));
    await expect(run(breaker, call, nextClient())).rejects.toMatchObject({
      failure: 'circuitOpen',
      retryAfterSeconds: 5,
    });
    vi.advanceTimersByTime(3500);
    await expect(run(breaker, call, nextClient())).rejects.toMatchObject({
      failure: 'circuitOpen',
      retryAfterSeconds: 2,
    });
    vi.advanceTimersByTime(1499);
    await expect(run(breaker, call, nextClient())).rejects.toMatchObject({
      failure: 'circuitOpen',
      retryAfterSeconds: 1,
    });
    expect(call).not.toHaveBeenCalled();
  });
});

describe('a half-open circuit', () => {
  test('admits one call as a probe, and the next only after the open duration has passed again', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    expect(breaker.state).toBe('halfOpen');
    const probe = deferredCall();
    const running = run(breaker, probe.call, nextClient());
    const other = vi.fn(() => Promise.reject(failure));
    await expect(run(breaker, other, nextClient())).rejects.toMatchObject({
      failure: 'circuitOpen',
      retryAfterSeconds: 5,
    });
    vi.advanceTimersByTime(4999);
    await expect(run(breaker, other, nextClient())).rejects.toMatchObject({
      failure: 'circuitOpen',
      retryAfterSeconds: 1,
    });
    expect(other).not.toHaveBeenCalled();

    vi.advanceTimersByTime(1);
    await expect(run(breaker, other, nextClient())).rejects.toBe(failure);
    expect(breaker.state).toBe('open');
    probe.succeed();
    await expect(running).resolves.toBe('result');
    expect(breaker.state).toBe('closed');
  });

  test.each([
    ['closes if the probe succeeds', undefined, 'closed'],
    [
      'closes if the service rejects the probe, because the service is up',
      new ServiceError('notFound'),
      'closed',
    ],
    ['opens if the probe fails', failure, 'open'],
    [
      'admits another probe immediately if the first one is cancelled',
      new ServiceError('cancelled'),
      'halfOpen',
    ],
  ] as const)('%s', async (_what, error, state) => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1, error);
    expect(breaker.state).toBe(state);
    if (state === 'open') return;
    await runCalls(breaker, 1);
    await runCalls(breaker, 19, failure); // earlier failures are forgotten
    expect(breaker.state).toBe('closed');
  });

  test('opens for the same duration again if the probe fails', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
    vi.advanceTimersByTime(4999);
    expect(breaker.state).toBe('open');
    vi.advanceTimersByTime(1);
    expect(breaker.state).toBe('halfOpen');
  });

  test('lets the client whose call opened it probe', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 1 });
    const one = clientNamed('one');
    await runCalls(breaker, 1, failure, () => one);
    vi.advanceTimersByTime(5000);
    expect(breaker.state).toBe('halfOpen');
    await runCalls(breaker, 1, undefined, () => one);
    expect(breaker.state).toBe('closed');
  });
});

test.each([
  ['failure', 'open', ['open', 'closed']],
  ['success', 'close', ['open', 'closed', 'open']],
] as const)('a late %s of an earlier call does not %s the circuit', async (result, _change, states) => {
  const changes: unknown[] = [];
  const breaker = createCircuitBreaker({
    openDurationMs: 5000,
    minimumFailures: 1,
    onChange: (state) => changes.push(state),
  });
  const admitted = deferredCall();
  const probe = deferredCall();
  const running = [run(breaker, admitted.call, nextClient())];
  await runCalls(breaker, 1, failure);
  vi.advanceTimersByTime(5000);
  running.push(run(breaker, probe.call, nextClient()));
  vi.advanceTimersByTime(5000);
  await runCalls(breaker, 1);
  if (result === 'success') await runCalls(breaker, 1, failure);
  for (const late of [admitted, probe]) late[result === 'failure' ? 'fail' : 'succeed']();
  await Promise.allSettled(running);
  expect(breaker.state).toBe(states.at(-1));
  expect(changes).toEqual(states);
});

test('a circuit breaker reports when it opens, with the last failure, and when it closes', async () => {
  const changes: unknown[] = [];
  const breaker = createCircuitBreaker({
    openDurationMs: 5000,
    minimumFailures: 2,
    onChange: (...change) => changes.push(change),
  });
  await runCalls(breaker, 1);
  await runCalls(breaker, 2, failure);
  expect(changes.splice(0)).toEqual([['open', failure]]);
  vi.advanceTimersByTime(5000);
  await runCalls(breaker, 1, failure);
  vi.advanceTimersByTime(5000);
  expect(changes).toEqual([]);
  await runCalls(breaker, 1);
  expect(changes).toEqual([['closed']]);
});

describe('clients whose failures count already', () => {
  const WINDOW_MS = 10_000;

  test('a client counts once per window, for its token and for its address', () => {
    const failed = createFailedClients();
    expect(failed.add(clientNamed('a'))).toBe(true);
    expect(failed.add(clientNamed('a'))).toBe(false);
    expect(failed.add(clientNamed('b', { token: 'a' }))).toBe(false);
    expect(failed.add(clientNamed('b', { address: 'a' }))).toBe(false);
    vi.advanceTimersByTime(WINDOW_MS);
    expect(failed.add(clientNamed('a'))).toBe(false);
    vi.advanceTimersByTime(1);
    expect(failed.add(clientNamed('a'))).toBe(true);
  });

  test('at most 500 clients are kept, the latest ones', () => {
    const failed = createFailedClients();
    for (let index = 0; index <= 500; index += 1) expect(failed.add(clientNamed(`${index}`))).toBe(true);
    expect(failed.add(clientNamed('0'))).toBe(true);
    expect(failed.add(clientNamed('2'))).toBe(false);
  });
});

async function openCircuit(): Promise<CircuitBreaker> {
  const breaker = createCircuitBreaker({ openDurationMs: 5000 });
  await runCalls(breaker, 20, failure);
  expect(breaker.state).toBe('open');
  return breaker;
}

let clients = 0;
/** A client that has made no call yet. */
function nextClient(): ClientIdentity {
  clients += 1;
  return clientNamed(`client-${clients}`);
}

/** Runs calls one after the other that all fail with the error, or succeed without one; each for another client by default. */
async function runCalls(
  breaker: CircuitBreaker,
  count: number,
  error?: Error,
  clientOf: (call: number) => ClientIdentity = nextClient,
): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    const running = run(breaker, () => (error ? Promise.reject(error) : Promise.resolve()), clientOf(call));
    await (error ? expect(running).rejects.toBe(error) : running);
  }
}

/** A call that the test settles. */
function deferredCall() {
  let succeed!: () => void;
  let fail!: () => void;
  const result = new Promise<string>((resolve, reject) => {
    succeed = () => resolve('result');
    fail = () => reject(failure);
  });
  return { call: () => result, succeed, fail };
}
