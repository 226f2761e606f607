/**
 * Protection from overload: new requests are rejected while too many are in flight, the event loop lags or no memory is left for their
 * bodies, and request bodies that arrive slowly do not occupy requests in flight.
 */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ErrorCode } from '../errors.js';
import { HttpStatus } from '../graphql/responses.js';
import { MemoryShare, UNCOUNTED_BYTES, type MemoryBudget } from '../transport/memoryBudget.js';
import { onceClosed } from './connections.js';
import {
  badRequest,
  overloadError,
  REQUEST_TIMEOUT_MESSAGE,
  RequestRejectedError,
} from './errorResponses.js';
import { clientAddress } from './request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What a body that counts takes of the memory budget, until the operation takes it over. */
    bodyMemory: MemoryShare | undefined;
  }
}

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

/** Counts bodies in the memory budget, as their headers declare, or else as they arrive; rejects those that exceed it. */
export function reserveBodies(server: FastifyInstance, budget: MemoryBudget, maxBodyBytes: number): void {
  server.decorateRequest('bodyMemory', undefined);
  server.addHook('preParsing', (request, reply, _payload, done) => {
    const { headers } = request;
    const bytes = Number(headers['content-length'] ?? 0);
    if (headers['transfer-encoding'] !== undefined) reserveWhileArriving(request, reply, budget);
    else if (bytes > UNCOUNTED_BYTES && bytes <= maxBodyBytes) {
      if (!reserveBody(request, reply, budget).growRequest(bytes)) {
        done(overloadError('memory'));
        return;
      }
    }
    done();
  });
}

function reserveWhileArriving(request: FastifyRequest, reply: FastifyReply, budget: MemoryBudget): void {
  const { raw } = request;
  let receivedBytes = 0;
  let memory: MemoryShare | undefined;
  raw.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes <= UNCOUNTED_BYTES || !isRead(raw)) return;
    memory ??= reserveBody(request, reply, budget);
    if (!memory.growRequest(receivedBytes)) raw.emit('error', overloadError('memory'));
  });
}

/** The share of a body, which is released when its response is closed unless the operation has taken it over. */
function reserveBody(request: FastifyRequest, { raw }: FastifyReply, budget: MemoryBudget): MemoryShare {
  const memory = new MemoryShare(budget);
  request.bodyMemory = memory;
  onceClosed(raw, () => {
    request.bodyMemory?.release();
  });
  return memory;
}

export interface IncomingBodiesOptions {
  /** Maximum bodies that are still arriving. */
  maxBodies: number;
  /** Maximum of them per client address; bodies that arrive within a second do not count. */
  maxBodiesPerAddress: number;
  /** Minimum mean rate of a body that takes longer than the grace period. */
  minBytesPerSecond: number;
}

interface IncomingBody {
  raw: IncomingMessage;
  address: string;
  startedAt: number;
  /** Bytes that the connection had received by then, some of the body among them. */
  bytesAtStart: number;
}

/** A younger body is never rejected for its rate or its address, in milliseconds: it may be in the next packet. */
const MIN_AGE_MS = 1000;
/** Time in milliseconds after which a body must have the minimum rate; a lost packet stalls a connection for seconds. */
const GRACE_MS = 5000;
const SWEEP_INTERVAL_MS = 500;

/** A body that arrives together with its headers, as nearly all do, costs one entry in a list. */
export function limitIncomingBodies(server: FastifyInstance, options: IncomingBodiesOptions): void {
  const bodies = createIncomingBodies(options);
  let started: FastifyRequest[] = [];
  const trackStarted = () => {
    const requests = started;
    started = [];
    for (const request of requests) if (isAwaited(request.raw)) bodies.add(request);
  };
  server.addHook('preParsing', (request, _reply, _payload, done) => {
    // The parser has not reached the body yet; it has by the end of the tick.
    if (!request.raw.complete && started.push(request) === 1) setImmediate(trackStarted);
    done();
  });
}

function createIncomingBodies({ maxBodies, maxBodiesPerAddress, minBytesPerSecond }: IncomingBodiesOptions) {
  const bodies = new Set<IncomingBody>();
  let timer: NodeJS.Timeout | undefined;

  const remove = (body: IncomingBody) => {
    bodies.delete(body);
    if (bodies.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const reject = (body: IncomingBody, error: () => RequestRejectedError) => {
    remove(body);
    // Fastify is reading the body: it responds to an error of the stream and closes the connection.
    if (isAwaited(body.raw)) body.raw.emit('error', error());
  };
  const isTooSlow = (body: IncomingBody) => bytesPerSecond(body) < minBytesPerSecond;
  const sweep = () => {
    for (const ofAddress of groupByAddress(olderThan(MIN_AGE_MS, bodies)).values()) {
      const surplus = ofAddress.length - maxBodiesPerAddress;
      if (surplus <= 0) continue;
      const slowestFirst = ofAddress.sort((a, b) => bytesPerSecond(a) - bytesPerSecond(b));
      for (const body of slowestFirst.slice(0, surplus)) reject(body, tooManyFromAddress);
    }
    for (const body of olderThan(GRACE_MS, bodies)) if (isTooSlow(body)) reject(body, tooSlow);
  };

  /** Rejects a body that is slow, or else the oldest of the address with the most bodies, for a new one of an address with fewer. */
  const makeRoom = ({ address }: IncomingBody): boolean => {
    const slow = olderThan(MIN_AGE_MS, bodies).find(isTooSlow); // without a grace period
    if (slow) {
      reject(slow, tooSlow);
      return true;
    }
    const byAddress = groupByAddress(bodies);
    const own = byAddress.get(address)?.length ?? 0;
    const most = [...byAddress.values()].reduce((a, b) => (b.length > a.length ? b : a));
    const [oldest] = most;
    if (!oldest || most.length <= own + 1) return false;
    reject(oldest, tooManyFromAddress);
    return true;
  };

  return {
    add(request: FastifyRequest): void {
      const { raw } = request;
      const body: IncomingBody = {
        raw,
        address: clientAddress(request),
        startedAt: performance.now(),
        bytesAtStart: raw.socket.bytesRead,
      };
      if (bodies.size >= maxBodies && !makeRoom(body)) {
        reject(body, tooMany);
        return;
      }
      bodies.add(body);
      raw.once('close', () => {
        remove(body);
      });
      timer ??= setInterval(sweep, SWEEP_INTERVAL_MS).unref();
    },
  };
}

/** Whether Fastify waits for the rest of the body. */
function isAwaited(raw: IncomingMessage): boolean {
  return !raw.complete && isRead(raw);
}

/** Whether Fastify reads the body: it listens for errors as long as it does. */
function isRead(raw: IncomingMessage): boolean {
  return !raw.destroyed && raw.listenerCount('error') > 0;
}

function olderThan(ageMs: number, bodies: Iterable<IncomingBody>): IncomingBody[] {
  const latest = performance.now() - ageMs;
  return [...bodies].filter(({ startedAt }) => startedAt <= latest);
}

/** The bodies of each address, in the order of the given ones. */
function groupByAddress(bodies: Iterable<IncomingBody>): Map<string, IncomingBody[]> {
  const byAddress = new Map<string, IncomingBody[]>();
  for (const body of bodies) {
    const others = byAddress.get(body.address);
    if (others) others.push(body);
    else byAddress.set(body.address, [body]);
  }
  return byAddress;
}

function bytesPerSecond({ raw, startedAt, bytesAtStart }: IncomingBody): number {
  return (raw.socket.bytesRead - bytesAtStart) / ((performance.now() - startedAt) / 1000);
}

function tooMany(): RequestRejectedError {
  return overloadError('incoming_bodies');
}

function tooManyFromAddress(): RequestRejectedError {
  return new RequestRejectedError('incoming_bodies_per_address', {
    status: HttpStatus.TooManyRequests,
    code: ErrorCode.RateLimited,
    message: 'Too many concurrent request bodies',
    retryAfterSeconds: 1,
  });
}

function tooSlow(): RequestRejectedError {
  return new RequestRejectedError(
    'slow_body',
    badRequest(HttpStatus.RequestTimeout, REQUEST_TIMEOUT_MESSAGE),
  );
}
