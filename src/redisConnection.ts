/** How the gateway connects to Redis. Each purpose has its own connection, so that one cannot delay the other. */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

export interface RedisConnectionOptions {
  url: URL;
  log: Logger;
  /** Log messages on changes of the availability. */
  messages: { unavailable: string; available: string };
  /** Called once the availability is known, and when it changes. */
  onAvailability?: (isAvailable: boolean) => void;
}

export interface RedisConnection {
  readonly redis: Redis;
  /** Logs that Redis is unavailable. Does nothing if that was logged already, unless the reason is news. */
  setUnavailable: (reason: string, isNews?: boolean) => void;
  /** Logs that Redis is available again, if it was unavailable. */
  setAvailable: () => void;
}

/**
 * Delay in milliseconds before an unusable Redis, such as a read-only replica, is tried again, over a new connection: its name may
 * resolve to another server.
 */
export const RECHECK_MS = 1000;

/** Commands fail at once while Redis is not connected, and within a second otherwise; none is sent a second time. */
export function connectToRedis({
  url,
  log,
  messages,
  onAvailability,
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
    enableReadyCheck: false, // each purpose checks what it needs
  });
  let isAvailable: boolean | undefined;
  const change = (next: boolean) => {
    if (next === isAvailable) return;
    isAvailable = next;
    onAvailability?.(next);
  };
  const setUnavailable = (reason: string, isNews = false) => {
    if (isAvailable !== false || isNews) log.error({ reason }, messages.unavailable);
    change(false);
  };
  redis.on('error', ({ message }: Error) => {
    setUnavailable(message);
  });
  return {
    redis,
    setUnavailable,
    setAvailable() {
      if (isAvailable === false) log.info(messages.available);
      change(true);
    },
  };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
