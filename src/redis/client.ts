/** The client of Redis for an address. It connects again by itself, and sends no command a second time. */
import { Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from './address.js';

const TIMEOUT_MS = 1000;
const retryStrategy = (times: number) => Math.min(times * 100, 1000);

const OPTIONS = {
  lazyConnect: true,
  connectTimeout: TIMEOUT_MS,
  retryStrategy,
  // Commands fail at once while Redis is not connected, and with their connection.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableReadyCheck: false, // the test of a connection says more
} satisfies RedisOptions;

export function createRedis({ hosts, primaryName: name }: RedisAddress): Redis {
  const [url] = hosts;
  if (name === undefined) return new Redis(url.href, OPTIONS);
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  const tls = url.protocol === 'rediss:' ? {} : undefined;
  return new Redis({
    ...OPTIONS,
    name,
    username,
    password,
    tls,
    sentinels: hosts.map(({ hostname, port }) => ({
      host: hostname.replaceAll(/[[\]]/g, ''),
      port: port === '' ? 26_379 : Number(port),
    })),
    sentinelUsername: url.searchParams.get('sentinelUsername') ?? username,
    sentinelPassword: url.searchParams.get('sentinelPassword') ?? password,
    sentinelTLS: tls,
    enableTLSForSentinelMode: tls !== undefined,
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: TIMEOUT_MS,
  });
}
