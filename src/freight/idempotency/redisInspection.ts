/** What Redis says of itself. INFO, because hosted ones often forbid CONFIG. */
import type { Redis } from 'ioredis';

export interface RedisInspection {
  /** Why it must not be used now; undefined if it may. */
  problem: string | undefined;
  /** Whether it removes records that have not expired when its memory is full. */
  evicts: boolean;
  /** What an operator should know of a Redis that may be used. */
  warning: string | undefined;
}

export async function inspectRedis(redis: Redis): Promise<RedisInspection> {
  let text: string;
  try {
    text = await redis.info();
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOPERM'))) throw error;
    text = '';
  }
  const { loading, role, maxmemory_policy: policy, aof_enabled: aof } = parseInfo(text);
  const evicts = policy !== undefined && policy !== 'noeviction';
  const problem = evicts
    ? `expected maxmemory-policy noeviction, got ${policy}: an evicted key would allow its write a second time`
    : loading === '1'
      ? 'expected a Redis that has loaded its data, got one that is loading'
      : role === 'slave'
        ? 'expected a primary, got a replica'
        : undefined;
  return { problem, evicts, warning: policy === undefined ? NOT_VERIFIED : aof === '0' ? NO_AOF : undefined };
}

const NOT_VERIFIED =
  'Redis does not report its eviction policy: idempotency keys are safe only with maxmemory-policy noeviction';
const NO_AOF = 'Redis has no append-only file: idempotency keys may be lost when it restarts';

/** The lines of INFO are `name:value`; those that start with # are headings. */
function parseInfo(text: string): Partial<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}
