import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCircuitBreaker, type CircuitBreaker } from '../../src/service/transport/circuitBreaker.js';
import {
  CancelledError,
  ServiceFailureError,
  InvalidResponseError,
  CircuitOpenError,
  RejectedError,
  TimeoutError,
  UnreachableError,
} from '../../src/service/transport/errors.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const failure = new ServiceFailureError('x');

describe('a circuit breaker', () => {
  test.each([
    ['failed connections', new UnreachableError('x')],
    ['timeouts', new TimeoutError('x')],
    ['5xx responses and lost connections', failure],
  ])('opens after 20 %s', async (_name, error) => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000 });
    await runCalls(breaker, 19, error);
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 1, error);
    expect(breaker.state).toBe('open');
  });

  test.each([
    ['rejections', new RejectedError('x', { status: 429 })],
    ['invalid responses', new InvalidResponseError('x')],
    ['cancelled calls', new CancelledError('x')],
    ['calls that it did not admit', new CircuitOpenError('x')],
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
      failureRateThreshold: 0.5,
    });
    await runCalls(breaker, 5);
    await runCalls(breaker, 4, failure);
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });

  test('counts only the failures within its window', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 4, windowMs: 10_000 });
    await runCalls(breaker, 3, failure);
    vi.advanceTimersByTime(10_000);
    await runCalls(breaker, 3, failure);
    expect(breaker.state).toBe('closed');
    vi.advanceTimersByTime(9999);
    await runCalls(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });
});

describe('an open circuit', () => {
  test('rejects calls immediately, with the seconds until the next probe', async () => {
    const breaker = await openCircuit();
    const call = vi.fn(() => Promise.resolve('result'));
    await expect(breaker.run(call)).rejects.toMatchObject({ name: 'CircuitOpenError', retryAfterSeconds: 5 });
    vi.advanceTimersByTime(3500);
    await expect(breaker.run(call)).rejects.toMatchObject({ name: 'CircuitOpenError', retryAfterSeconds: 2 });
    vi.advanceTimersByTime(1499);
    await expect(breaker.run(call)).rejects.toMatchObject({ name: 'CircuitOpenError', retryAfterSeconds: 1 });
    expect(call).not.toHaveBeenCalled();
  });

  test('ignores the results of calls that started before it opened', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 1 });
    const earlier = deferredCall();
    const running = breaker.run(earlier.call);
    await runCalls(breaker, 1, failure);
    earlier.succeed();
    await running;
    expect(breaker.state).toBe('open');
  });
});

describe('a half-open circuit', () => {
  test('admits one call as a probe, and the next only after the open duration has passed again', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    expect(breaker.state).toBe('halfOpen');
    const probe = deferredCall();
    const running = breaker.run(probe.call);
    const other = vi.fn(() => Promise.reject(failure));
    await expect(breaker.run(other)).rejects.toMatchObject({
      name: 'CircuitOpenError',
      retryAfterSeconds: 5,
    });
    vi.advanceTimersByTime(4999);
    await expect(breaker.run(other)).rejects.toMatchObject({
      name: 'CircuitOpenError',
      retryAfterSeconds: 1,
    });
    expect(other).not.toHaveBeenCalled();

    vi.advanceTimersByTime(1);
    await expect(breaker.run(other)).rejects.toBe(failure);
    expect(breaker.state).toBe('open');
    probe.succeed();
    await expect(running).resolves.toBe('result');
    expect(breaker.state).toBe('closed');
  });

  test('closes if the probe succeeds, and forgets earlier failures', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1);
    expect(breaker.state).toBe('closed');
    await runCalls(breaker, 19, failure);
    expect(breaker.state).toBe('closed');
  });

  test('closes if the service rejects the probe, because the service is up', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1, new RejectedError('x', { status: 404 }));
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

  test('admits another probe immediately if the first one is cancelled', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1, new CancelledError('x'));
    expect(breaker.state).toBe('halfOpen');
    await runCalls(breaker, 1);
    expect(breaker.state).toBe('closed');
  });

  test('ignores a late probe result after another probe has closed it', async () => {
    const breaker = createCircuitBreaker({
      openDurationMs: 5000,
      minimumFailures: 1,
      failureRateThreshold: 0,
    });
    await runCalls(breaker, 1, failure);
    vi.advanceTimersByTime(5000);
    const lateProbe = deferredCall();
    const running = breaker.run(lateProbe.call);
    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1);
    lateProbe.fail();
    await expect(running).rejects.toBe(failure);
    expect(breaker.state).toBe('closed');
  });
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

async function openCircuit(): Promise<CircuitBreaker> {
  const breaker = createCircuitBreaker({ openDurationMs: 5000 });
  await runCalls(breaker, 20, failure);
  expect(breaker.state).toBe('open');
  return breaker;
}

/** Runs calls one after the other that all fail with the error, or succeed without one. */
async function runCalls(breaker: CircuitBreaker, count: number, error?: Error): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    const running = breaker.run(() => (error ? Promise.reject(error) : Promise.resolve()));
    await (error ? expect(running).rejects.toBe(error) : running);
  }
}

/** A call that the test settles. */
function deferredCall() {
  let succeed!: () => void;
  let fail!: () => void;
  const result = new Promise<string>((resolve, reject) => {
    succeed = () => {
      resolve('result');
    };
    fail = () => {
      reject(failure);
    };
  });
  return { call: () => result, succeed, fail };
}
