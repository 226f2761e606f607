/** A bound on the requests of each caller in a window of time, shared by replicas through Redis. */
import { createHash } from 'node:crypto';
import rateLimit, { normalizeIP } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { parseBearerToken } from '../context.js';
import { ErrorCode } from '../graphql/errors/errorTable.js';
import { RequestRejectedError } from './errorResponses.js';

export interface RateLimitOptions {
  /** Requests of a caller within the window at the most. */
  requests: number;
  windowMs: number;
  /** Where the requests are counted; in this process when undefined. */
  redisUrl: URL | undefined;
  log: Logger;
}

/**
 * Counts the requests of each bearer token, and of each address where there is none. While Redis does not answer,
 * requests are let through uncounted: the limit protects the service, which has bounds of its own besides.
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
        outcome: 'NOT_APPLIED',
        retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)),
      }),
  });
}

/**
 * A token is a secret, so its hash stands for it. Of an IPv6 address the first 64 bits count: the others are free for its
 * holder to choose.
 */
function rateLimitKey({ headers, ip }: FastifyRequest): string {
  const token = parseBearerToken(headers.authorization)?.replace(/^\w+ +/, '');
  return token === undefined ? normalizeIP(ip) : createHash('sha256').update(token).digest('base64url');
}

function connect(url: URL, log: Logger): Redis {
  const redis = new Redis(url.href, {
    connectTimeout: 1000,
    // An answer may wait for its turn in a busy process for as long, which is no reason not to count.
    commandTimeout: 1000,
    socketTimeout: 1000, // one that is silent counts as lost: requests wait for it once
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
