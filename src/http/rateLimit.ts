/** Rate limit per client in a window of time, shared by the replicas through Redis. */
import { createHash } from 'node:crypto';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { parseBearerToken, tokenOf } from '../domain/bearerToken.js';
import { ErrorCode } from '../errorCodes.js';
import { clientAddress } from './clientAddress.js';
import { RequestRejectedError } from './errorResponses.js';

export interface RateLimitOptions {
  /** Maximum requests of a client within the window. */
  requests: number;
  windowMs: number;
  /** Redis that counts the requests; this process counts them if undefined. */
  redisUrl: URL | undefined;
  log: Logger;
}

/**
 * Counts requests per bearer token, or per address without one. If Redis is down the limiter fails open: the limit is
 * a courtesy to the service, which the connection and queue limits protect as well.
 */
export async function applyRateLimit(scope: FastifyInstance, options: RateLimitOptions): Promise<void> {
  const { requests, windowMs, redisUrl, log } = options;
  const redis = redisUrl && connect(redisUrl, log);
  scope.addHook('onClose', (_instance, done) => {
    redis?.disconnect();
    done();
  });
  await scope.register(rateLimit, {
    max: requests,
    timeWindow: windowMs,
    keyGenerator: rateLimitKey,
    skipOnError: true,
    ...(redis && { redis, nameSpace: 'shipment-graphql-gateway:rate:' }),
    errorResponseBuilder: (_request, { ttl }) =>
      new RequestRejectedError('rate_limit', {
        status: 429,
        code: ErrorCode.RateLimited,
        message: 'Too many requests',
        retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)),
      }),
  });
}

/** The hash of the token (a secret), or the address. */
function rateLimitKey(request: FastifyRequest): string {
  const authorization = parseBearerToken(request.headers.authorization);
  return authorization === undefined
    ? clientAddress(request)
    : createHash('sha256').update(tokenOf(authorization)).digest('base64url');
}

function connect(url: URL, log: Logger): Redis {
  const redis = new Redis(url.href, {
    connectTimeout: 1000,
    // A busy process may read the reply this late; that must not suspend the limit.
    commandTimeout: 1000,
    socketTimeout: 1000, // a silent Redis counts as down: only the first request waits for it
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(times * 100, 2000),
  });
  let isRedisDown = false;
  redis.on('error', ({ message }: Error) => {
    if (!isRedisDown) log.error({ reason: message }, 'Redis unavailable: rate limiting suspended');
    isRedisDown = true;
  });
  redis.on('ready', () => {
    if (isRedisDown) log.info('Redis available: rate limiting resumed');
    isRedisDown = false;
  });
  return redis;
}
