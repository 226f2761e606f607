/** Protection from overload: new requests are rejected while too many are in flight or the event loop lags. */
import type { FastifyInstance } from 'fastify';
import { addressKey, tokenKey, type Client } from '../transport/fairQueue.js';
import { GatewayError } from '../gatewayError.js';
import { declaredBytes, clientOf } from './request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Ends what counts as in flight when the response is ready, read or not: responses that wait behind a slow one on their connection
     * (RFC 9112 §9.3.2) must not keep others out. Undefined for a request that was rejected before it counted.
     */
    endInFlight: (() => void) | undefined;
  }
}

export interface LoadSheddingOptions {
  requests: InFlightRequests;
  /** Smoothed event-loop delay in milliseconds above which requests are rejected. */
  maxEventLoopDelayMs: number;
}

/** Share of the limit that one token or one address may have. */
const MAX_CLIENT_SHARE = 1 / 2;
/** Bytes of the body for which a request counts once more: large bodies take memory, and the limit bounds it. */
const BYTES_PER_COUNT = 16_384;

/** Counts requests in flight: all, and those of each token and each address. Nothing that has begun is ended for another request. */
export class InFlightRequests {
  private total = 0;
  private readonly ofTokens = new Map<string, number>();
  private readonly ofAddresses = new Map<string, number>();

  constructor(readonly limit: number) {}

  get count(): number {
    return this.total;
  }

  /** Counts a request until the function that it returns is called for the first time; undefined if there are too many. */
  begin(client: Client | undefined, bodyBytes: number): (() => void) | undefined {
    const amounts = client
      ? ([
          [this.ofTokens, tokenKey(client)],
          [this.ofAddresses, addressKey(client)],
        ] as const)
      : [];
    const maxPerClient = Math.ceil(this.limit * MAX_CLIENT_SHARE);
    const hasMost = amounts.some(([amountOf, key]) => (amountOf.get(key) ?? 0) >= maxPerClient);
    if (this.total >= this.limit || hasMost) return undefined;
    const weight = Math.ceil(bodyBytes / BYTES_PER_COUNT) || 1;
    const add = (amount: number) => {
      this.total += amount;
      for (const [amountOf, key] of amounts) addTo(amountOf, key, amount);
    };
    add(weight);
    let isInFlight = true;
    return () => {
      if (isInFlight) add(-weight);
      isInFlight = false;
    };
  }
}

function addTo(amounts: Map<string, number>, key: string, amount: number): void {
  const sum = (amounts.get(key) ?? 0) + amount;
  if (sum === 0) amounts.delete(key);
  else amounts.set(key, sum);
}

/** Rejects requests under overload, before their bodies are read. */
export function shedLoad(
  scope: FastifyInstance,
  { requests, maxEventLoopDelayMs }: LoadSheddingOptions,
  maxBodyBytes: number,
): void {
  const eventLoop = monitorEventLoopDelay();
  scope.decorateRequest('endInFlight', undefined);
  scope.addHook('onClose', (_instance, done) => {
    eventLoop.stop();
    done();
  });
  scope.addHook('onRequest', (request, _reply, done) => {
    if (eventLoop.delayMs() > maxEventLoopDelayMs) done(new GatewayError('eventLoopDelayed'));
    else {
      // A router's requests come from many clients.
      const client = request.isRouter ? undefined : clientOf(request);
      request.endInFlight = requests.begin(client, declaredBytes(request, maxBodyBytes));
      done(request.endInFlight ? undefined : new GatewayError('tooManyInFlight'));
    }
  });
  scope.addHook('onSend', (request, _reply, _payload, done) => {
    request.endInFlight?.();
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
