/** Rate limits per client and per address in a window of time, shared by the replicas through Redis. */
import { createHash } from 'node:crypto';
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { parseBearerToken, tokenOf } from '../domain/bearerToken.js';
import { ErrorCode } from '../errorCodes.js';
import { HttpStatus } from '../graphql/httpStatus.js';
import { connectToRedis } from '../redisConnection.js';
import { clientAddress } from './clientAddress.js';
import { RequestRejectedError, type RejectionReason } from './errorResponses.js';

export interface Rate {
  /** Maximum requests within the window. */
  requests: number;
  windowMs: number;
}

export interface RateLimitOptions {
  /** Limit of each client: of a token, or of an address without one. */
  perClient: Rate | undefined;
  /** Limit of each address, whatever tokens it sends. */
  perAddress: Rate | undefined;
  /** Whether a request comes from a supergraph gateway, which sends those of many clients from one address. */
  isSupergraph: (request: FastifyRequest) => boolean;
  /** Redis that counts the requests; this process counts them if undefined. */
  redisUrl: URL | undefined;
  log: Logger;
}

/** Tokens that the service rejected, and addresses or tokens counted in this process: the latest are kept. */
const MAX_ENTRIES = 5000;
const NAMESPACE = 'shipment-graphql-gateway:rate:';

/**
 * Counts requests per address, and per bearer token, or per address without a valid one. If Redis is down the limiter
 * fails open: the limit is a courtesy to the service, which the connection and queue limits protect as well.
 */
export async function applyRateLimit(scope: FastifyInstance, options: RateLimitOptions): Promise<void> {
  const { perClient, perAddress, isSupergraph, redisUrl, log } = options;
  const redis = redisUrl && connect(redisUrl, log);
  scope.addHook('onClose', (_instance, done) => {
    redis?.disconnect();
    done();
  });
  const limit = (
    { requests, windowMs }: Rate,
    reason: RejectionReason,
    nameSpace: string,
    settings: RateLimitPluginOptions,
  ) =>
    scope.register(rateLimit, {
      max: requests,
      timeWindow: windowMs,
      skipOnError: true,
      cache: MAX_ENTRIES,
      ...(redis && { redis, nameSpace }),
      errorResponseBuilder: (_request, { ttl }) =>
        new RequestRejectedError(reason, {
          status: HttpStatus.TooManyRequests,
          code: ErrorCode.RateLimited,
          message: 'Too many requests',
          retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)),
        }),
      ...settings,
    });
  // First, so that made-up tokens beyond it are not counted: each would displace another client's count.
  if (perAddress)
    await limit(perAddress, 'rate_limit_per_address', `${NAMESPACE}address:`, {
      keyGenerator: clientAddress,
      allowList: isSupergraph,
      addHeaders: noHeaders,
      addHeadersOnExceeding: noHeaders,
    });
  if (perClient)
    await limit(perClient, 'rate_limit', NAMESPACE, { keyGenerator: createClientKeys(scope, perClient) });
}

/** The headers of the response describe the limit per client. */
const noHeaders = {
  'x-ratelimit-limit': false,
  'x-ratelimit-remaining': false,
  'x-ratelimit-reset': false,
};

/**
 * Identifies a client by the hash of its token (a secret), or by its address. A token that the service rejected is
 * nobody's, so for the length of a window its requests count for the address that sends them.
 */
function createClientKeys(scope: FastifyInstance, { windowMs }: Rate): (request: FastifyRequest) => string {
  const rejectedTokens = new LRUCache<string, true>({ max: MAX_ENTRIES, ttl: windowMs });
  scope.addHook('onResponse', ({ headers, telemetry }, _reply, done) => {
    // With a well-formed token, this code means that the service responded with 401.
    if (telemetry.operation.errorCodes?.includes(ErrorCode.Unauthenticated)) {
      const hash = tokenHash(headers.authorization);
      if (hash !== undefined) rejectedTokens.set(hash, true);
    }
    done();
  });
  return (request) => {
    const hash = tokenHash(request.headers.authorization);
    return hash === undefined || rejectedTokens.has(hash) ? clientAddress(request) : hash;
  };
}

function tokenHash(header: string | undefined): string | undefined {
  const authorization = parseBearerToken(header);
  return authorization && createHash('sha256').update(tokenOf(authorization)).digest('base64url');
}

function connect(url: URL, log: Logger): Redis {
  const { redis, setAvailable } = connectToRedis({
    url,
    log,
    messages: {
      unavailable: 'Redis unavailable: rate limiting suspended',
      available: 'Redis available: rate limiting resumed',
    },
  });
  redis.on('ready', setAvailable);
  return redis;
}
