/** Turning requests away while there is too much to do, so that those that are under way get done. */
import type { FastifyInstance } from 'fastify';
import { ErrorCode } from '../graphql/errors/errorTable.js';
import { RequestRejectedError } from './errorResponses.js';

export interface LoadSheddingOptions {
  /** Requests in flight at the most. */
  maxInFlightRequests: number;
  /** Delay of the event loop in milliseconds, as a mean of late, from which on requests are turned away. */
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
  scope.addHook('onRequest', (_request, { raw }, done) => {
    inFlight += 1;
    raw.on('close', () => {
      inFlight -= 1;
    });
    if (inFlight > maxInFlightRequests) done(overloadError('in_flight_requests'));
    else if (eventLoop.delayMs() > maxEventLoopDelayMs) done(overloadError('event_loop_delay'));
    else done();
  });
}

function overloadError(reason: RequestRejectedError['reason']): RequestRejectedError {
  return new RequestRejectedError(reason, {
    status: 503,
    code: ErrorCode.ServiceUnavailable,
    message: 'The gateway is overloaded',
    outcome: 'NOT_APPLIED',
    retryAfterSeconds: 1,
  });
}

const SAMPLE_MS = 100;
/** The share that a new sample has in the mean: a single pause, as of a garbage collection, is no overload. */
const SMOOTHING_FACTOR = 0.2;

/** How late timers are, which is how long everything waits for its turn. */
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
