/**
 * The Redis that counts for the rate limit. A Redis that replies with errors (OOM, READONLY, LOADING, MISCONF, NOAUTH, NOPERM)
 * is as unavailable as one that is away: requests send it nothing until a test count has succeeded.
 */
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { connectToRedis, messageOf, RECHECK_MS } from '../redisConnection.js';

export interface RateLimitRedisOptions {
  url: URL;
  log: Logger;
  /** The key of the test counts. */
  testKey: string;
  onAvailability: (isAvailable: boolean) => void;
}

export interface RateLimitRedis {
  readonly redis: Redis;
  readonly isAvailable: boolean;
  /** Starts the test counts, for which @fastify/rate-limit must know the client; resolves once the availability is known. */
  start(): Promise<void>;
  /** A count failed. */
  suspend(error: unknown): void;
  close(): void;
}

/** The script that @fastify/rate-limit adds to the client. */
interface CountingRedis extends Redis {
  rateLimit(
    key: string,
    windowMs: number,
    max: number,
    continueExceeding: boolean,
    exponentialBackoff: boolean,
  ): Promise<unknown>;
}

export function connectRateLimitRedis(options: RateLimitRedisOptions): RateLimitRedis {
  const { testKey, onAvailability, ...connectionOptions } = options;
  let isAvailable = false;
  let isClosing = false;
  let recheck: NodeJS.Timeout | undefined;
  let setKnown: () => void = () => undefined;
  const isKnown = new Promise<void>((resolve) => {
    setKnown = resolve;
  });
  const { redis, setAvailable, setUnavailable } = connectToRedis({
    ...connectionOptions,
    messages: {
      unavailable: 'Redis unavailable: rate limiting suspended',
      available: 'Redis available: rate limiting resumed',
    },
    onAvailability(next) {
      isAvailable = next;
      onAvailability(next);
      setKnown();
    },
  });
  const suspend = (error: unknown) => {
    if (isClosing) return;
    setUnavailable(messageOf(error));
    if (redis.status !== 'ready') return; // it connects again by itself
    recheck ??= setTimeout(() => {
      redis.disconnect(true);
    }, RECHECK_MS).unref();
  };
  // The script of the requests, because another command might be permitted where this one is not.
  const test = () => {
    (redis as CountingRedis).rateLimit(testKey, 1, 1, false, false).then(setAvailable, suspend);
  };
  redis.on('close', () => {
    clearTimeout(recheck);
    recheck = undefined;
    if (!isClosing) setUnavailable('Connection closed');
  });

  return {
    redis,
    get isAvailable() {
      return isAvailable;
    },
    suspend,
    async start() {
      redis.on('ready', test);
      if (redis.status === 'ready') test();
      await isKnown;
    },
    close() {
      isClosing = true;
      clearTimeout(recheck);
      redis.disconnect();
    },
  };
}
