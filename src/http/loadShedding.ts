/** Load shedding: rejects new requests under overload so that those in flight can finish. */
import type { FastifyInstance } from 'fastify';
import { overloadError } from './errorResponses.js';

export interface LoadSheddingOptions {
  requests: InFlightRequests;
  /** Smoothed event-loop delay in milliseconds above which requests are rejected. */
  maxEventLoopDelayMs: number;
}

export class InFlightRequests {
  private inFlight = 0;

  constructor(readonly limit: number) {}

  get count(): number {
    return this.inFlight;
  }

  get isFull(): boolean {
    return this.inFlight >= this.limit;
  }

  /**
   * Counts a request whose body is complete; those whose bodies are arriving have limits of their own. Throws a
   * RequestRejectedError if there are too many.
   */
  begin(): void {
    if (this.isFull) throw overloadError('in_flight_requests');
    this.inFlight += 1;
  }

  /**
   * Ends a request whose response is ready, read or not: responses that wait behind a slow one on their connection (RFC
   * 9112 section 9.3.2) must not keep others out.
   */
  end(): void {
    this.inFlight -= 1;
  }
}

/** Rejects requests under overload, before their bodies are read if possible. */
export function shedLoad(
  scope: FastifyInstance,
  { requests, maxEventLoopDelayMs }: LoadSheddingOptions,
): void {
  const eventLoop = monitorEventLoopDelay();
  scope.addHook('onClose', (_instance, done) => {
    eventLoop.stop();
    done();
  });
  scope.addHook('onRequest', (_request, _reply, done) => {
    if (requests.isFull) done(overloadError('in_flight_requests'));
    else if (eventLoop.delayMs() > maxEventLoopDelayMs) done(overloadError('event_loop_delay'));
    else done();
  });
}

const SAMPLE_MS = 100;
/**
 * Weight of a new sample in the mean: a single pause, such as a garbage collection, is not overload. The mean of
 * `@fastify/under-pressure` counts samples rather than time, so one long pause would decide it.
 */
const SMOOTHING_FACTOR = 0.2;

/** Measures how late timers fire, which is how long everything waits in the event loop. */
function monitorEventLoopDelay() {
  let delayMs = 0;
  let sampledAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    delayMs += SMOOTHING_FACTOR * (Math.max(0, now - sampledAt - SAMPLE_MS) - delayMs);
    sampledAt = now;
  }, SAMPLE_MS);
  timer.unref();
  return {
    delayMs: () => delayMs,
    stop: () => {
      clearInterval(timer);
    },
  };
}
