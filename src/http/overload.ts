/** Turning requests away while there is too much to do, so that those that are under way get done. */
import type { FastifyInstance } from 'fastify';
import { ErrorCode } from '../errors.js';
import { TurnedAwayError } from './problems.js';

export interface OverloadOptions {
  /** Requests in flight at the most. */
  maxRequests: number;
  /** Delay of the event loop in milliseconds, as a mean of late, from which on requests are turned away. */
  maxEventLoopDelayMs: number;
}

export function turnAwayOverload(
  scope: FastifyInstance,
  { maxRequests, maxEventLoopDelayMs }: OverloadOptions,
): void {
  let inFlight = 0;
  const eventLoop = watchEventLoop();
  scope.addHook('onClose', (_instance, done) => {
    eventLoop.stop();
    done();
  });
  scope.addHook('onRequest', (_request, { raw }, done) => {
    inFlight += 1;
    raw.on('close', () => {
      inFlight -= 1;
    });
    if (inFlight > maxRequests) done(overloaded('requests in flight'));
    else if (eventLoop.delayMs() > maxEventLoopDelayMs) done(overloaded('event loop delay'));
    else done();
  });
}

function overloaded(reason: TurnedAwayError['reason']): TurnedAwayError {
  return new TurnedAwayError(reason, {
    status: 503,
    code: ErrorCode.ServiceUnavailable,
    message: 'The gateway has too much to do',
    outcome: 'NOT_APPLIED',
    retryAfterSeconds: 1,
  });
}

const SAMPLE_MS = 100;
/** The share that a new sample has in the mean: a single pause, as of a garbage collection, is no overload. */
const SHARE = 0.2;

/** How late timers are, which is how long everything waits for its turn. */
function watchEventLoop() {
  let delayMs = 0;
  let sampledAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    delayMs += SHARE * (Math.max(0, now - sampledAt - SAMPLE_MS) - delayMs);
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
