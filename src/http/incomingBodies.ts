/** Request bodies that are arriving: the memory budget must have room for large ones, and slow ones have separate limits. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpStatus } from '../graphql/responses.js';
import { MemoryShare, UNCOUNTED_BYTES, type MemoryBudget } from '../transport/memoryBudget.js';
import { Shares, type Identity } from '../transport/shares.js';
import { onceClosed } from './connections.js';
import {
  badRequest,
  LINGER_MS,
  overloadError,
  REQUEST_TIMEOUT_MESSAGE,
  RequestRejectedError,
} from './errorResponses.js';
import { identityOf } from './request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What a body that counts takes of the memory budget, until the operation takes it over. */
    bodyMemory: MemoryShare | undefined;
  }
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
        setTimeout(() => {
          if (!request.raw.complete) request.raw.socket.destroy();
        }, LINGER_MS);
        done(overloadError('memory'));
        return;
      }
    }
    done();
  });
}

/** Each chunk is an event, which takes more time than its bytes: a body may have this many, and one more for each 256 bytes. */
const MAX_SMALL_CHUNKS = 1000;
const MIN_CHUNK_BYTES = 256;

function reserveWhileArriving(request: FastifyRequest, reply: FastifyReply, budget: MemoryBudget): void {
  const { raw } = request;
  let receivedBytes = 0;
  let chunks = 0;
  let memory: MemoryShare | undefined;
  raw.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    chunks += 1;
    if (chunks > MAX_SMALL_CHUNKS + receivedBytes / MIN_CHUNK_BYTES && isRead(raw))
      raw.emit('error', tooManyChunks());
    if (receivedBytes <= UNCOUNTED_BYTES || !isRead(raw)) return;
    memory ??= reserveBody(request, reply, budget);
    if (!memory.growRequest(receivedBytes)) raw.emit('error', overloadError('memory'));
  });
}

/** The share of a body, which is released when its response is closed unless the operation has taken it over. */
function reserveBody(request: FastifyRequest, { raw }: FastifyReply, budget: MemoryBudget): MemoryShare {
  const memory = new MemoryShare(budget, 'request', identityOf(request));
  request.bodyMemory = memory;
  onceClosed(raw, () => request.bodyMemory?.release());
  return memory;
}

export interface IncomingBodiesOptions {
  /** Maximum bodies that are still arriving. */
  maxBodies: number;
  /** Minimum mean rate of a body that takes longer than the grace period. */
  minBytesPerSecond: number;
}

interface IncomingBody {
  raw: IncomingMessage;
  identity: Identity;
  startedAt: number;
  /** Bytes that the connection had received by then, some of the body among them. */
  bytesAtStart: number;
}

/** A younger body is never rejected for its rate, in milliseconds: it may be in the next packet. */
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

function createIncomingBodies({ maxBodies, minBytesPerSecond }: IncomingBodiesOptions) {
  const bodies = new Set<IncomingBody>();
  const shares = new Shares<IncomingBody>();
  let timer: NodeJS.Timeout | undefined;

  const remove = (body: IncomingBody) => {
    bodies.delete(body);
    shares.delete(body, body.identity);
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
    for (const body of olderThan(GRACE_MS, bodies)) if (isTooSlow(body)) reject(body, tooSlow);
  };

  /** Rejects a body that is slow, or else the oldest of the client with the most bodies, for a new one of a client with fewer. */
  const makeRoom = ({ identity }: IncomingBody): boolean => {
    const slow = olderThan(MIN_AGE_MS, bodies).find(isTooSlow); // without a grace period
    const [rejected = slow] = slow ? [] : shares.most(identity);
    if (rejected) reject(rejected, slow ? tooSlow : tooMany);
    return rejected !== undefined;
  };

  return {
    add(request: FastifyRequest): void {
      const { raw } = request;
      const body: IncomingBody = {
        raw,
        identity: identityOf(request),
        startedAt: performance.now(),
        bytesAtStart: raw.socket.bytesRead,
      };
      if (bodies.size >= maxBodies && !makeRoom(body)) {
        reject(body, tooMany);
        return;
      }
      bodies.add(body);
      shares.add(body, body.identity);
      raw.once('close', () => remove(body));
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

function bytesPerSecond({ raw, startedAt, bytesAtStart }: IncomingBody): number {
  return (raw.socket.bytesRead - bytesAtStart) / ((performance.now() - startedAt) / 1000);
}

function tooMany(): RequestRejectedError {
  return overloadError('incoming_bodies');
}

function tooManyChunks(): RequestRejectedError {
  const message = `Expected chunks of at least ${MIN_CHUNK_BYTES} bytes on average, got smaller ones`;
  return new RequestRejectedError('small_chunks', badRequest(HttpStatus.BadRequest, message));
}

function tooSlow(): RequestRejectedError {
  return new RequestRejectedError(
    'slow_body',
    badRequest(HttpStatus.RequestTimeout, REQUEST_TIMEOUT_MESSAGE),
  );
}
