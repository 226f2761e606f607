/** The rate limit per known client, or else per address, in a window of time. */
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { GatewayError } from '../gatewayError.js';
import type { RedisAddress } from '../redis/address.js';
import { RedisConnection } from '../redis/connection.js';
import type { Telemetry } from '../telemetry/events.js';
import { clientAddress, digestOf } from './request.js';

export interface RateLimitOptions {
  rate: { requests: number; windowMs: number };
  /** Redis that counts the requests; this process counts them if undefined. */
  redisUrl: RedisAddress | undefined;
  log: Logger;
  telemetry: Telemetry;
}

/** Fails open: without Redis, there is no limit. Routers are exempt: they are the operator's and serve many clients. */
export async function applyRateLimit(scope: FastifyInstance, options: RateLimitOptions): Promise<void> {
  const { rate, redisUrl } = options;
  const redis = redisUrl && createConnection(redisUrl, options);
  scope.addHook('onClose', () => redis?.close());
  await redis?.open();
  await scope.register(rateLimit, {
    global: false,
    max: rate.requests,
    timeWindow: rate.windowMs,
    keyGenerator: clientKey,
    allowList: ({ isRouter }) => isRouter,
    ...(redis && { store: createStore(redis, rate.windowMs), skipOnError: true }),
    errorResponseBuilder: (_request, { ttl }) =>
      new GatewayError('tooManyRequests', { retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)) }),
  });
  scope.addHook('onRequest', scope.rateLimit());
}

/** The address, or `=` (which no address contains) and a digest of the key of a known client, whose name may be personal data. */
function clientKey(request: FastifyRequest): string {
  const { quotaKey } = request;
  return quotaKey === undefined ? clientAddress(request) : `=${digestOf(quotaKey).toString('base64url')}`;
}

const NAMESPACE = 'shipment-graphql-gateway:rate:';
/** Counts a request in its window, and returns the milliseconds until that ends. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return { { count, redis.call('PTTL', KEYS[1]) }, ARGV[1] }`;

/** Counts in Redis, with its own script: the plugin's does not name the command that its reply belongs to. */
function createStore(redis: RedisConnection, windowMs: number) {
  return class Store implements FastifyRateLimitStore {
    incr(key: string, callback: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      redis.run(COUNT, [NAMESPACE + key], windowMs).then((counted) => {
        const [current, ttl] = counted as [number, number];
        callback(null, { current, ttl });
      }, callback);
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
      unavailable: 'Redis unavailable: no rate limit applies',
      available: 'Redis available: the rate limit applies',
    },
    replicas: 0,
    test: (run) => run(COUNT, [`${NAMESPACE}test`], 1),
    onReply: (durationMs) => telemetry.waited({ resource: 'rate_limit', durationMs }),
  });
}
