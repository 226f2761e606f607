/** How the gateway connects to Redis. Each purpose has its own connection, so that one cannot delay the other. */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

export interface RedisConnectionOptions {
  url: URL;
  log: Logger;
  /** Log messages on changes of the availability. */
  messages: { unavailable: string; available: string };
  /** Whether Redis counts as connected only once it has loaded its data. @default true */
  readyCheck?: boolean;
}

export interface RedisConnection {
  readonly redis: Redis;
  /** Logs that Redis is unavailable. Does nothing if that was logged already, unless the reason is news. */
  setUnavailable: (reason: string, isNews?: boolean) => void;
  /** Logs that Redis is available again, if it was unavailable. */
  setAvailable: () => void;
}

/** Commands fail at once while Redis is not connected, and within a second otherwise; none is sent a second time. */
export function connectToRedis({
  url,
  log,
  messages,
  readyCheck = true,
}: RedisConnectionOptions): RedisConnection {
  const redis = new Redis(url.href, {
    connectTimeout: 1000,
    // A busy process may read the reply this late; that must not count as unavailable.
    commandTimeout: 1000,
    socketTimeout: 1000, // a silent Redis counts as down: only the first request waits for it
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(times * 100, 2000),
    enableReadyCheck: readyCheck,
  });
  let isDown = false;
  const setUnavailable = (reason: string, isNews = false) => {
    if (!isDown || isNews) log.error({ reason }, messages.unavailable);
    isDown = true;
  };
  redis.on('error', ({ message }: Error) => {
    setUnavailable(message);
  });
  return {
    redis,
    setUnavailable,
    setAvailable() {
      if (isDown) log.info(messages.available);
      isDown = false;
    },
  };
}
