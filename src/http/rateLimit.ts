/** Rate limits per client and per address in a window of time, shared by the replicas through Redis while it is available. */
import { createHash } from 'node:crypto';
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { parseBearerToken, tokenOf } from '../domain/parameters.js';
import { ErrorCode } from '../errors.js';
import { HttpStatus } from '../graphql/responses.js';
import type { RedisAddress } from '../redis/address.js';
import { RedisConnection } from '../redis/connection.js';
import type { GatewayObserver, RejectionReason } from '../telemetry/events.js';
import { clientAddress } from './request.js';
import { RequestRejectedError } from './errorResponses.js';

export interface Rate {
  requests: number;
  windowMs: number;
}

export interface RateLimitOptions {
  /** Limit of each client: of a known client, of a token, or of an address without one. */
  perClient: Rate | undefined;
  /** Limit of each address, whatever tokens it sends; known clients do not count. */
  perAddress: Rate | undefined;
  /** Redis that counts the requests; this process counts them if undefined. */
  redisUrl: RedisAddress | undefined;
  log: Logger;
  observer: Pick<GatewayObserver, 'onRateLimitSharing' | 'onWait'>;
}

/** Tokens that the service rejected, and addresses or tokens counted in this process: the latest are kept. */
const MAX_ENTRIES = 5000;
const NAMESPACE = 'shipment-graphql-gateway:rate:';

/**
 * Counts requests per known client, per address, and per bearer token, or per address without a valid one. While Redis is unavailable
 * this process counts alone, from zero.
 */
export async function applyRateLimit(scope: FastifyInstance, options: RateLimitOptions): Promise<void> {
  const { perClient, perAddress, redisUrl } = options;
  const connection = redisUrl && createConnection(redisUrl, options);
  scope.addHook('onClose', () => connection?.close());
  const clientKey = perClient && createClientKeys(scope, perClient);
  const createLimits = async (redis?: Redis) => {
    const limits: Limit[] = [];
    const addLimit = (rate: Rate, limit: Omit<Limit, 'count'>, settings: RateLimitPluginOptions) =>
      // In separate contexts, because createRateLimit() belongs to its context.
      scope.register(async (context) => {
        await context.register(rateLimit, {
          global: false,
          max: rate.requests,
          timeWindow: rate.windowMs,
          cache: MAX_ENTRIES,
          ...(redis && { redis }),
          ...settings,
        });
        limits.push({ ...limit, count: context.createRateLimit() });
      });
    // First, so that made-up tokens beyond it are not counted: each would displace another client's count.
    if (perAddress)
      await addLimit(
        perAddress,
        { reason: 'rate_limit_per_address', isPerAddress: true },
        { keyGenerator: clientAddress, nameSpace: `${NAMESPACE}address:` },
      );
    if (perClient && clientKey)
      await addLimit(
        perClient,
        { reason: 'rate_limit', isPerAddress: false },
        { keyGenerator: clientKey, nameSpace: NAMESPACE },
      );
    return limits;
  };
  const ownLimits = await createLimits();
  const sharedLimits = connection && (await createLimits(connection.redis));
  await connection?.open();

  scope.addHook('onRequest', async (request, reply) => {
    if (connection?.isUsable && sharedLimits) {
      try {
        for (const limit of sharedLimits) await enforce(limit, request, reply, connection);
        return;
      } catch (error) {
        if (error instanceof RequestRejectedError) throw error;
        connection.suspend(error);
      }
    }
    for (const limit of ownLimits) await enforce(limit, request, reply);
  });
}

/** The script that @fastify/rate-limit adds to a client. */
interface CountingRedis {
  rateLimit(
    key: string,
    windowMs: number,
    max: number,
    continueExceeding: boolean,
    exponentialBackoff: boolean,
  ): Promise<unknown>;
}

/**
 * A Redis that replies to a count with an error (OOM, READONLY, LOADING, MISCONF, NOAUTH, NOPERM) is as unavailable as one that is away.
 * It is tested with the script of the requests, because another command might be permitted where this one is not.
 */
function createConnection(address: RedisAddress, { log, observer }: RateLimitOptions): RedisConnection {
  const connection: RedisConnection = new RedisConnection({
    address,
    log,
    messages: {
      unavailable: 'Redis unavailable: rate limits are counted per process',
      available: 'Redis available: rate limits are shared',
    },
    test() {
      const redis = connection.redis as unknown as CountingRedis;
      return redis.rateLimit(`${NAMESPACE}test`, 1, 1, false, false);
    },
    onUsable(isUsable) {
      observer.onRateLimitSharing({ isShared: isUsable });
    },
    onReply(durationMs) {
      observer.onWait({ resource: 'rate_limit', durationMs });
    },
  });
  return connection;
}

interface Limit {
  reason: RejectionReason;
  /** Routers and known clients have no such limit, and the headers of responses describe the other one. */
  isPerAddress: boolean;
  count: ReturnType<FastifyInstance['createRateLimit']>;
}

/** Counts a request; rejects with a RequestRejectedError if it exceeds the limit, or with the error of Redis. */
async function enforce(
  limit: Limit,
  request: FastifyRequest,
  reply: FastifyReply,
  connection?: RedisConnection,
): Promise<void> {
  if (limit.isPerAddress && (request.isSupergraph || request.knownClient)) return;
  const count = () => limit.count(request);
  const counted = await (connection?.observe(count) ?? count());
  if (counted.isAllowed) return; // only with an allow list
  const { max, remaining, ttl, ttlInSeconds, isExceeded } = counted;
  if (!limit.isPerAddress) {
    reply.header('x-ratelimit-limit', max);
    reply.header('x-ratelimit-remaining', remaining);
    reply.header('x-ratelimit-reset', ttlInSeconds);
  }
  if (!isExceeded) return;
  throw new RequestRejectedError(limit.reason, {
    status: HttpStatus.TooManyRequests,
    code: ErrorCode.RateLimited,
    message: 'Too many requests',
    retryAfterSeconds: Math.max(1, Math.ceil(ttl / 1000)),
  });
}

/**
 * Identifies a client by its name if it is known, or by the hash of its token (a secret), or by its address. A token that the service
 * rejected is nobody's, so for the length of a window its requests count for the address that sends them.
 */
function createClientKeys(scope: FastifyInstance, { windowMs }: Rate): (request: FastifyRequest) => string {
  const rejectedTokens = new LRUCache<string, true>({ max: MAX_ENTRIES, ttl: windowMs });
  scope.addHook('onResponse', ({ headers, telemetry }, _reply, done) => {
    // With a well-formed token, this code means that the service rejected the token, or that the gateway does not know the client.
    if (telemetry.operation.errorCodes?.includes(ErrorCode.Unauthenticated)) {
      const hash = tokenHash(headers.authorization);
      if (hash !== undefined) rejectedTokens.set(hash, true);
    }
    done();
  });
  return (request) => {
    const { share } = request.knownClient ?? {};
    if (share !== undefined) return hashOf(`,${share}`); // no token contains a comma
    const hash = tokenHash(request.headers.authorization);
    return hash === undefined || rejectedTokens.has(hash) ? clientAddress(request) : hash;
  };
}

function tokenHash(header: string | undefined): string | undefined {
  const authorization = parseBearerToken(header);
  return authorization && hashOf(tokenOf(authorization));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
