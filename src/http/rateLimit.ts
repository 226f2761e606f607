/** The rate limit per known client, or else per address, in a window of time; shared by the replicas through Redis while it is available. */
import { createHash } from 'node:crypto';
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Cluster, Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { ErrorCode } from '../errors.js';
import { HttpStatus } from '../graphql/responses.js';
import type { RedisAddress } from '../redis/address.js';
import { RedisConnection } from '../redis/connection.js';
import type { GatewayObserver } from '../telemetry/events.js';
import { clientAddress } from './request.js';
import { RequestRejectedError } from './errorResponses.js';

export interface Rate {
  requests: number;
  windowMs: number;
}

export interface RateLimitOptions {
  rate: Rate;
  /** Redis that counts the requests; this process counts them if undefined. */
  redisUrl: RedisAddress | undefined;
  log: Logger;
  observer: Pick<GatewayObserver, 'onRateLimitSharing'>;
}

/** Clients that this process counts: the latest are kept. */
const MAX_ENTRIES = 5000;
const NAMESPACE = 'shipment-graphql-gateway:rate:';

/** While Redis is unavailable, this process counts alone, from zero. A router is the operator's own, and serves many clients. */
export async function applyRateLimit(scope: FastifyInstance, options: RateLimitOptions): Promise<void> {
  const { rate, redisUrl } = options;
  const connection = redisUrl && createConnection(redisUrl, options);
  scope.addHook('onClose', () => connection?.close());
  await scope.register(rateLimit, {
    global: false,
    max: rate.requests,
    timeWindow: rate.windowMs,
    keyGenerator: clientKey,
    allowList: ({ isSupergraph }) => isSupergraph,
    store: createStore(connection),
    errorResponseBuilder: (_request, { ttl }) =>
      new RequestRejectedError('rate_limit', {
        status: HttpStatus.TooManyRequests,
        code: ErrorCode.RateLimited,
        message: 'Too many requests',
        retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)),
      }),
  });
  await connection?.open();
  scope.addHook('onRequest', scope.rateLimit());
}

/** No address contains an equals sign. The name of a client may be personal data. */
function clientKey(request: FastifyRequest): string {
  const { share } = request.knownClient ?? {};
  return share === undefined
    ? clientAddress(request)
    : `=${createHash('sha256').update(share).digest('base64url')}`;
}

/** Counts a request in its window, and returns the milliseconds until that ends. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

interface CountingRedis {
  countRequest(key: string, windowMs: number): Promise<[current: number, ttl: number]>;
}

function countIn(redis: Redis | Cluster, key: string, windowMs: number) {
  return (redis as unknown as CountingRedis).countRequest(key, windowMs);
}

/** Counts in Redis, or in this process while that is unavailable. */
function createStore(connection: RedisConnection | undefined) {
  const windows = new LRUCache<string, { current: number; endsAt: number }>({ max: MAX_ENTRIES });
  const countHere = (key: string, windowMs: number) => {
    const now = performance.now();
    const last = windows.get(key);
    const window = last && last.endsAt > now ? last : { current: 0, endsAt: now + windowMs };
    window.current += 1;
    windows.set(key, window);
    return { current: window.current, ttl: window.endsAt - now };
  };
  return class Store implements FastifyRateLimitStore {
    incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1], windowMs = 0): void {
      if (!connection?.isUsable) {
        callback(null, countHere(key, windowMs));
        return;
      }
      countIn(connection.redis, `${NAMESPACE}${key}`, windowMs).then(
        ([current, ttl]) => callback(null, { current, ttl }),
        (error: unknown) => {
          connection.suspend(error);
          callback(null, countHere(key, windowMs));
        },
      );
    }

    child(): this {
      return this;
    }
  };
}

/**
 * A Redis that replies to a count with an error (OOM, READONLY, LOADING, MISCONF, NOAUTH, NOPERM) is as unavailable as one that is away.
 * It is tested with the script of the requests, because another command might be permitted where this one is not.
 */
function createConnection(address: RedisAddress, { log, observer }: RateLimitOptions): RedisConnection {
  const connection: RedisConnection = new RedisConnection({
    address,
    purpose: 'rate_limit',
    log,
    messages: {
      unavailable: 'Redis unavailable: rate limits are counted per process',
      available: 'Redis available: rate limits are shared',
    },
    test: (primary) => countIn(connection.redis, connection.keyOf(primary, `${NAMESPACE}test`), 1),
    onUsable(isUsable) {
      observer.onRateLimitSharing({ isShared: isUsable });
    },
  });
  connection.redis.defineCommand('countRequest', { numberOfKeys: 1, lua: COUNT });
  return connection;
}
