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

describe('a circuit opens', () => {
  test.each([
    ['no connection', new UnreachableError('x')],
    ['timeouts', new TimeoutError('x')],
    ['5xx and lost connections', failure],
  ])('after enough failures: %s', async (_name, error) => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000 });
    await runs(breaker, 19, error);
    expect(breaker.state).toBe('closed');
    await runs(breaker, 1, error);
    expect(breaker.state).toBe('open');
  });

  test.each([
    ['refusals', new RejectedError('x', { status: 429 })],
    ['answers that are not valid', new InvalidResponseError('x')],
    ['callers that left', new CancelledError('x')],
    ['calls that were not admitted', new CircuitOpenError('x')],
    ['defects', new TypeError('x')],
  ])('but not after %s', async (_name, error) => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000 });
    await runs(breaker, 1000, error);
    expect(breaker.state).toBe('closed');
  });

  test('only when their share is large enough', async () => {
    const breaker = createCircuitBreaker({
      openDurationMs: 5000,
      minimumFailures: 2,
      failureRateThreshold: 0.5,
    });
    await runs(breaker, 5);
    await runs(breaker, 4, failure);
    expect(breaker.state).toBe('closed');
    await runs(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });

  test('only when they are of late', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 4, windowMs: 10_000 });
    await runs(breaker, 3, failure);
    vi.advanceTimersByTime(10_000);
    await runs(breaker, 3, failure);
    expect(breaker.state).toBe('closed');
    vi.advanceTimersByTime(9999);
    await runs(breaker, 1, failure);
    expect(breaker.state).toBe('open');
  });
});

describe('while a circuit is open', () => {
  test('calls fail at once, and are told when to come back', async () => {
    const breaker = await openCircuit();
    const call = vi.fn(() => Promise.resolve('answer'));
    await expect(breaker.run(call)).rejects.toMatchObject({ name: 'CircuitOpenError', retryAfterSeconds: 5 });
    vi.advanceTimersByTime(3500);
    await expect(breaker.run(call)).rejects.toMatchObject({ name: 'CircuitOpenError', retryAfterSeconds: 2 });
    vi.advanceTimersByTime(1499);
    await expect(breaker.run(call)).rejects.toMatchObject({ name: 'CircuitOpenError', retryAfterSeconds: 1 });
    expect(call).not.toHaveBeenCalled();
  });

  test('calls that had begun before change nothing', async () => {
    const breaker = createCircuitBreaker({ openDurationMs: 5000, minimumFailures: 1 });
    const earlier = deferredCall();
    const running = breaker.run(earlier.call);
    await runs(breaker, 1, failure);
    earlier.succeed();
    await running;
    expect(breaker.state).toBe('open');
  });
});

describe('after a while one call is let through as a probe', () => {
  test('and no other beside it, until as much time has gone by again', async () => {
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
    await expect(running).resolves.toBe('answer');
    expect(breaker.state).toBe('closed');
  });

  test('whose success closes the circuit, and forgets the failures', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runs(breaker, 1);
    expect(breaker.state).toBe('closed');
    await runs(breaker, 19, failure);
    expect(breaker.state).toBe('closed');
  });

  test('whose refusal closes it too, as the service is there', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runs(breaker, 1, new RejectedError('x', { status: 404 }));
    expect(breaker.state).toBe('closed');
  });

  test('whose failure opens the circuit for as long again', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runs(breaker, 1, failure);
    expect(breaker.state).toBe('open');
    vi.advanceTimersByTime(4999);
    expect(breaker.state).toBe('open');
    vi.advanceTimersByTime(1);
    expect(breaker.state).toBe('halfOpen');
  });

  test('and at once another one when it says nothing of the service', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runs(breaker, 1, new CancelledError('x'));
    expect(breaker.state).toBe('halfOpen');
    await runs(breaker, 1);
    expect(breaker.state).toBe('closed');
  });

  test('which says nothing any more once another one has closed the circuit', async () => {
    const breaker = createCircuitBreaker({
      openDurationMs: 5000,
      minimumFailures: 1,
      failureRateThreshold: 0,
    });
    await runs(breaker, 1, failure);
    vi.advanceTimersByTime(5000);
    const late = deferredCall();
    const running = breaker.run(late.call);
    vi.advanceTimersByTime(5000);
    await runs(breaker, 1);
    late.fail();
    await expect(running).rejects.toBe(failure);
    expect(breaker.state).toBe('closed');
  });
});

test('whoever wants to know is told when a circuit opens, and why, and when it closes', async () => {
  const changes: unknown[] = [];
  const breaker = createCircuitBreaker({
    openDurationMs: 5000,
    minimumFailures: 2,
    onChange: (...change) => changes.push(change),
  });
  await runs(breaker, 1);
  await runs(breaker, 2, failure);
  expect(changes.splice(0)).toEqual([['open', failure]]);
  vi.advanceTimersByTime(5000);
  await runs(breaker, 1, failure);
  vi.advanceTimersByTime(5000);
  expect(changes).toEqual([]);
  await runs(breaker, 1);
  expect(changes).toEqual([['closed']]);
});

async function openCircuit(): Promise<CircuitBreaker> {
  const breaker = createCircuitBreaker({ openDurationMs: 5000 });
  await runs(breaker, 20, failure);
  expect(breaker.state).toBe('open');
  return breaker;
}

/** Calls one after the other, each of which ends with the error, or else with success. */
async function runs(breaker: CircuitBreaker, count: number, error?: Error): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    const running = breaker.run(() => (error ? Promise.reject(error) : Promise.resolve()));
    await (error ? expect(running).rejects.toBe(error) : running);
  }
}

/** A call that ends when it is told to. */
function deferredCall() {
  let succeed!: () => void;
  let fail!: () => void;
  const result = new Promise<string>((resolve, reject) => {
    succeed = () => {
      resolve('answer');
    };
    fail = () => {
      reject(failure);
    };
  });
  return { call: () => result, succeed, fail };
}
