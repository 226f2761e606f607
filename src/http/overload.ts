/** Protection from overload: new requests are rejected while too many are in flight or the event loop lags. */
import type { FastifyInstance } from 'fastify';
import { Shares, type Identity } from '../transport/shares.js';
import type { Cancellation } from '../transport/cancellation.js';
import { overloadError } from './errorResponses.js';
import { identityOf } from './request.js';

export interface LoadSheddingOptions {
  requests: InFlightRequests;
  /** Smoothed event-loop delay in milliseconds above which requests are rejected. */
  maxEventLoopDelayMs: number;
}

/** What counts as in flight: a request that can be cancelled. */
interface CancellableRequest extends Identity {
  readonly cancellation: Cancellation;
}

interface InFlightRequest {
  readonly request: CancellableRequest;
  /** In order of arrival. */
  readonly number: number;
  /** Position in the list of requests. */
  index: number;
}

export class InFlightRequests {
  private readonly requests: InFlightRequest[] = [];
  /** Only while requests have to make room, so that others are spared the lookup. */
  private shares: Shares<InFlightRequest> | undefined;
  private begun = 0;

  constructor(readonly limit: number) {}

  get count(): number {
    return this.requests.length;
  }

  get isFull(): boolean {
    return this.requests.length >= this.limit;
  }

  /** Whether another client's request would make room for one of this client. */
  canMakeRoomFor(newcomer: Identity): boolean {
    return this.findRequestToDisplace(newcomer) !== undefined;
  }

  /**
   * Counts a request whose body is complete; those whose bodies are arriving have separate limits. If there are too many, the
   * newest one of the client with the most makes room, unless a write of it may be in flight; otherwise throws a
   * RequestRejectedError.
   */
  begin(request: CancellableRequest): InFlightRequest {
    if (this.isFull) {
      const displaced = this.findRequestToDisplace(request);
      if (displaced === undefined) throw overloadError('in_flight_requests');
      this.end(displaced);
      displaced.request.cancellation.displace();
    }
    this.begun += 1;
    const begun = { request, number: this.begun, index: this.requests.length };
    this.requests.push(begun);
    this.shares?.add(begun, request);
    return begun;
  }

  /**
   * Ends a request whose response is ready, read or not: responses that wait behind a slow one on their connection (RFC
   * 9112 section 9.3.2) must not keep others out. One that was displaced has ended.
   */
  end(ended: InFlightRequest): void {
    const { index } = ended;
    if (this.requests[index] !== ended) return;
    const last = this.requests.pop();
    if (last !== undefined && last !== ended) {
      this.requests[index] = last;
      last.index = index;
    }
    this.shares?.delete(ended, ended.request);
    if (this.requests.length < this.limit / 2) this.shares = undefined;
  }

  private findRequestToDisplace(newcomer: Identity): InFlightRequest | undefined {
    this.shares ??= this.countShares();
    let newest: InFlightRequest | undefined;
    for (const each of this.shares.most(newcomer))
      if (each.request.cancellation.canBeDisplaced) newest = each;
    return newest;
  }

  private countShares(): Shares<InFlightRequest> {
    const shares = new Shares<InFlightRequest>();
    const inOrder = [...this.requests].sort((a, b) => a.number - b.number);
    for (const each of inOrder) shares.add(each, each.request);
    return shares;
  }
}

/** Rejects requests under overload, before their bodies are read if possible. */
export function shedLoad(scope: FastifyInstance, { requests, maxEventLoopDelayMs }: LoadSheddingOptions) {
  const eventLoop = monitorEventLoopDelay();
  scope.addHook('onClose', (_instance, done) => {
    eventLoop.stop();
    done();
  });
  scope.addHook('onRequest', (request, _reply, done) => {
    if (requests.isFull && !requests.canMakeRoomFor(identityOf(request)))
      done(overloadError('in_flight_requests'));
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
  return { delayMs: () => delayMs, stop: () => clearInterval(timer) };
}
