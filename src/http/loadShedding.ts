/** Load shedding: rejects new requests under overload so that those in flight can finish. */
import type { FastifyInstance } from 'fastify';
import { overloadError } from './errorResponses.js';

export interface LoadSheddingOptions {
  maxInFlightRequests: number;
  /** Smoothed event-loop delay in milliseconds above which requests are rejected. */
  maxEventLoopDelayMs: number;
}

export function shedLoad(
  scope: FastifyInstance,
  { maxInFlightRequests, maxEventLoopDelayMs }: LoadSheddingOptions,
): void {
  let inFlight = 0;
  const eventLoop = monitorEventLoopDelay();
  scope.addHook('onClose', (_instance, done) => {
    eventLoop.stop();
    done();
  });
  scope.addHook('onRequest', (_request, _reply, done) => {
    if (inFlight >= maxInFlightRequests) done(overloadError('in_flight_requests'));
    else if (eventLoop.delayMs() > maxEventLoopDelayMs) done(overloadError('event_loop_delay'));
    else done();
  });
  // Counts requests from their complete bodies on; those whose bodies are arriving have limits of their own.
  scope.addHook('preValidation', (_request, { raw }, done) => {
    if (inFlight >= maxInFlightRequests) {
      done(overloadError('in_flight_requests'));
      return;
    }
    // If the client has disconnected, the response has been closed and will not be again.
    if (!raw.destroyed) {
      inFlight += 1;
      raw.on('close', () => {
        inFlight -= 1;
      });
    }
    done();
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
