/** Creates the store of idempotency keys that the configuration asks for. */
import type { Logger } from 'pino';
import { createMemoryStore } from './memoryStore.js';
import type { IdempotencyStore, StoreTimes } from './store.js';

export interface IdempotencyStoreOptions extends StoreTimes {
  kind: 'redis' | 'memory' | 'off';
  /** Required for `redis`. */
  redisUrl: URL | undefined;
  log: Logger;
}

/** Undefined if keys are rejected. Rejects with an UnsafeStoreError; a Redis that is down is no reason not to start. */
export async function createIdempotencyStore({
  kind,
  redisUrl,
  log,
  ...options
}: IdempotencyStoreOptions): Promise<IdempotencyStore | undefined> {
  // A record must not expire while its call is in flight: a repeat would be sent.
  const times = { ...options, retentionMs: Math.max(options.retentionMs, options.leaseMs) };
  if (kind === 'memory') return createMemoryStore(times);
  if (kind === 'off' || redisUrl === undefined) return undefined;
  const { openRedisStore } = await import('./redisStore.js'); // loads the Redis client
  return openRedisStore({ url: redisUrl, log, ...times });
}
