import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createCircuitBreaker } from '../../src/transport/circuitBreaker.js';
import { GatewayError } from '../../src/gatewayError.js';
import { createGate } from '../support/tools/waiting.js';

type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** Makes a call as the transport does. */
function run<T>(breaker: CircuitBreaker, call: () => Promise<T>): Promise<T> {
  return breaker.guarded(call)();
}

/** The changes of the circuit in this test. */
let changes: [state: string, failure: Error | undefined][];
const createBreaker = () =>
  createCircuitBreaker({
    openDurationMs: 5000,
    onChange: (failure) => changes.push([failure ? 'open' : 'closed', failure]),
  });
const states = () => changes.map(([state]) => state);

beforeEach(() => {
  changes = [];
  vi.useFakeTimers({ toFake: ['performance'] });
  vi.advanceTimersByTime(60_000); // no test starts at 0, where sums and differences are equal
});
afterEach(() => vi.useRealTimers());

const failure = new GatewayError('serviceFailed');

describe('a circuit breaker', () => {
  test('counts neither calls that were not sent nor those that were cancelled', async () => {
    const breaker = createBreaker();
    await runCalls(breaker, 19, failure);
    await runCalls(breaker, 5, new GatewayError('queueFull'));
    await runCalls(breaker, 5, new GatewayError('cancelled'));
    expect(states()).toEqual([]);
    await runCalls(breaker, 1, failure);
    expect(states()).toEqual(['open']);
  });
});

describe('a half-open circuit', () => {
  test('admits one call as a probe, and the next only after the open duration has passed again', async () => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    const probe = createGate();
    const running = run(breaker, () => probe.opened.then(() => 'result'));
    const other = vi.fn(() => Promise.reject(failure));
    await expect(run(breaker, other)).rejects.toMatchObject({
      failure: 'circuitOpen',
      retryAfterSeconds: 5,
    });
    vi.advanceTimersByTime(4999);
    await expect(run(breaker, other)).rejects.toMatchObject({
      failure: 'circuitOpen',
      retryAfterSeconds: 1,
    });
    expect(other).not.toHaveBeenCalled();

    vi.advanceTimersByTime(1);
    await expect(run(breaker, other)).rejects.toBe(failure);
    expect(states()).toEqual(['open']);
    probe.open();
    await expect(running).resolves.toBe('result');
    expect(states()).toEqual(['open', 'closed']);
  });

  test.each([
    ['closes if the probe succeeds', undefined, ['open', 'closed']],
    [
      'closes if the service rejects the probe, because the service is up',
      new GatewayError('notFound'),
      ['open', 'closed'],
    ],
    ['stays open if the probe fails', failure, ['open']],
    ['admits another probe at once if the first one is cancelled', new GatewayError('cancelled'), ['open']],
  ])('%s', async (_what, error, expected) => {
    const breaker = await openCircuit();
    vi.advanceTimersByTime(5000);
    await runCalls(breaker, 1, error);
    expect(states()).toEqual(expected);
    if (error === failure) return;
    await runCalls(breaker, 1);
    await runCalls(breaker, 19, failure); // earlier failures are forgotten
    expect(states()).toEqual(['open', 'closed']);
  });
});

async function openCircuit(): Promise<CircuitBreaker> {
  const breaker = createBreaker();
  await runCalls(breaker, 20, failure);
  expect(states()).toEqual(['open']);
  return breaker;
}

/** Runs calls one after the other that all fail with the error, or succeed without one. */
async function runCalls(breaker: CircuitBreaker, count: number, error?: Error): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    const running = run(breaker, () => (error ? Promise.reject(error) : Promise.resolve()));
    await (error ? expect(running).rejects.toBe(error) : running);
  }
}
