/** The rate limit per known client, or else per address, in a window of time. Replicas share it through Redis while that is available. */
import { createHash } from 'node:crypto';
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { GatewayError } from '../gatewayError.js';
import type { RedisAddress } from '../redis/address.js';
import { defineScript, RedisConnection } from '../redis/connection.js';
import type { Telemetry } from '../telemetry/events.js';
import { clientAddress } from './request.js';

export interface Rate {
  requests: number;
  windowMs: number;
}

export interface RateLimitOptions {
  rate: Rate;
  /** Redis that counts the requests; this process counts them if undefined. */
  redisUrl: RedisAddress | undefined;
  log: Logger;
  telemetry: Telemetry;
}

/** Maximum clients that this process counts, the most recent ones. */
const MAX_ENTRIES = 5000;
const NAMESPACE = 'shipment-graphql-gateway:rate:';

/** While Redis is unavailable, this process counts alone, from zero. Routers are exempt: they are the operator's and serve many clients. */
export async function applyRateLimit(scope: FastifyInstance, options: RateLimitOptions): Promise<void> {
  const { rate, redisUrl } = options;
  const connection = redisUrl && createConnection(redisUrl, options);
  scope.addHook('onClose', () => connection?.close());
  await scope.register(rateLimit, {
    global: false,
    max: rate.requests,
    timeWindow: rate.windowMs,
    keyGenerator: clientKey,
    allowList: ({ isRouter }) => isRouter,
    store: createStore(connection, rate.windowMs),
    errorResponseBuilder: (_request, { ttl }) =>
      new GatewayError('tooManyRequests', { retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)) }),
  });
  await connection?.open();
  scope.addHook('onRequest', scope.rateLimit());
}

/** The address, or `=` (which no address contains) and a digest of the key of a known client, whose name may be personal data. */
function clientKey(request: FastifyRequest): string {
  const { quotaKey } = request.knownClient ?? {};
  return quotaKey === undefined
    ? clientAddress(request)
    : `=${createHash('sha256').update(quotaKey).digest('base64url')}`;
}

/** Counts a request in its window, and returns the milliseconds until that ends. */
const COUNT = defineScript(`
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`);

/** Counts in Redis, or in this process while that is unavailable. */
function createStore(connection: RedisConnection | undefined, windowMs: number) {
  const windows = new LRUCache<string, { requests: number }>({ max: MAX_ENTRIES, ttl: windowMs });
  const countHere = (key: string) => {
    const window = windows.get(key) ?? { requests: 0 };
    if (window.requests === 0) windows.set(key, window);
    window.requests += 1;
    return { current: window.requests, ttl: windows.getRemainingTTL(key) };
  };
  const countInRedis = async (redis: RedisConnection, key: string) => {
    try {
      const [current, ttl] = (await redis.run(COUNT, [NAMESPACE + key], windowMs)) as [number, number];
      return { current, ttl };
    } catch (error) {
      redis.suspend(error);
      return countHere(key);
    }
  };
  return class Store implements FastifyRateLimitStore {
    incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      if (connection?.isUsable) void countInRedis(connection, key).then((count) => callback(null, count));
      else callback(null, countHere(key));
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
function createConnection(address: RedisAddress, { log, telemetry }: RateLimitOptions): RedisConnection {
  return new RedisConnection({
    address,
    log,
    messages: {
      unavailable: 'Redis unavailable: rate limits are counted per process',
      available: 'Redis available: rate limits are shared',
    },
    async test(redis) {
      await redis.script('LOAD', COUNT.lua);
      await redis.evalsha(COUNT.sha1, 1, `${NAMESPACE}test`, 1);
    },
    onAvailable: (isAvailable) => telemetry.rateLimitSharingChanged({ isShared: isAvailable }),
    onReply: (durationMs) => telemetry.waited({ resource: 'rate_limit', durationMs }),
  });
}
