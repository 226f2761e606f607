/** What the telemetry learns of Redis. */

export interface Server {
  readonly address: string;
  readonly port: number;
}

/** A round trip to Redis on behalf of a client's request. */
export interface RedisTrip {
  readonly purpose: 'idempotency_store' | 'rate_limit';
  /** Name of the script that Redis runs. */
  readonly script: string;
  readonly server: Server;
  /** Both on the clock of performance.now(). */
  readonly startedAt: number;
  readonly endedAt: number;
  /** `error.type` of OpenTelemetry: the prefix of an error reply such as OOM, or what failed; undefined on success. */
  readonly error: string | undefined;
}

export interface RedisObserver {
  askedRedis(trip: RedisTrip): void;
}

/** Events of the servers that hold idempotency keys. */
export interface RedisServerObserver {
  /** How many replicas acknowledge what is written: those of the primary with the fewest. At the start, and on changes. */
  onReplicasAcknowledge(event: { replicas: number }): void;
  /** A replica was promoted, and is the primary now. */
  onRedisFailover(server: Server): void;
}

/** `error.type` of an error of a command. */
export function errorTypeOf(error: unknown): string {
  const { name, message, code } = error as Error & { code?: unknown };
  if (name === 'ReplyError') return /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
  if (/timed out|timeout/i.test(message)) return 'timeout';
  return typeof code === 'string' ? code : name;
}
