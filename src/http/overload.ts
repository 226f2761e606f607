/** Protection from overload: new requests are rejected while too many are in flight or the event loop lags. */
import type { FastifyInstance } from 'fastify';
import { GatewayError } from '../gatewayError.js';
import { declaredBytes, clientOf } from './request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Released when the response is ready, read or not: responses that wait behind a slow one on their connection (RFC 9112 §9.3.2) must
     * not keep others out. Undefined for a request that was rejected before it counted.
     */
    inFlight: InFlightRequest | undefined;
  }
}

export interface LoadSheddingOptions {
  requests: InFlightRequests;
  /** Smoothed event-loop delay in milliseconds above which requests are rejected. */
  maxEventLoopDelayMs: number;
}

/** Maximum share of the limit for one token or one address. */
const MAX_CLIENT_SHARE = 1 / 2;
/** A request counts once per this many bytes of its body: large bodies take memory, and the limit bounds it. */
const BYTES_PER_COUNT = 16_384;

interface InFlightRequest {
  /** Undefined for a router, whose requests come from many clients. */
  readonly client: ReturnType<typeof clientOf> | undefined;
  /** 0 once the request has ended. */
  weight: number;
}

/** Counts requests in flight: all of them, and per token and address. Never aborts a request in flight in favor of a new one. */
export class InFlightRequests {
  private readonly counts = new Map<string, number>();
  count = 0;
  private readonly maxPerClient: number;

  constructor(readonly limit: number) {
    this.maxPerClient = Math.ceil(limit * MAX_CLIENT_SHARE);
  }

  /** Counts a request until `release`; returns undefined if there are too many. */
  tryAcquire(client: InFlightRequest['client'], bodyBytes: number): InFlightRequest | undefined {
    if (this.count >= this.limit) return undefined;
    for (const key of client?.keys ?? [])
      if ((this.counts.get(key) ?? 0) >= this.maxPerClient) return undefined;
    const weight = Math.ceil(bodyBytes / BYTES_PER_COUNT) || 1;
    this.add(client, weight);
    return { client, weight };
  }

  release(ended: InFlightRequest): void {
    if (ended.weight > 0) this.add(ended.client, -ended.weight);
    ended.weight = 0;
  }

  private add(client: InFlightRequest['client'], weight: number): void {
    this.count += weight;
    for (const key of client?.keys ?? []) {
      const count = (this.counts.get(key) ?? 0) + weight;
      if (count > 0) this.counts.set(key, count);
      else this.counts.delete(key);
    }
  }
}

/** Rejects requests under overload, before their bodies are read. */
export function shedLoad(
  scope: FastifyInstance,
  { requests, maxEventLoopDelayMs }: LoadSheddingOptions,
  maxBodyBytes: number,
): void {
  const eventLoop = monitorEventLoopDelay();
  scope.decorateRequest('inFlight', undefined);
  scope.addHook('onClose', () => eventLoop.stop());
  scope.addHook('onRequest', (request, _reply, done) => {
    if (eventLoop.delayMs() > maxEventLoopDelayMs) done(new GatewayError('eventLoopDelayed'));
    else {
      const client = request.isRouter ? undefined : clientOf(request);
      request.inFlight = requests.tryAcquire(client, declaredBytes(request, maxBodyBytes));
      done(request.inFlight ? undefined : new GatewayError('tooManyInFlight'));
    }
  });
  scope.addHook('onSend', (request, _reply, _payload, done) => {
    if (request.inFlight) requests.release(request.inFlight);
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
  return { delayMs: () => delayMs, stop: () => clearInterval(timer) };
}
