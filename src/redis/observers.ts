/** What operators and telemetry learn of Redis: trips, events and outages. */
import type { Cluster, Redis } from 'ioredis';
import type { Logger } from 'pino';
import { UnsuitableRedisError } from './primary.js';

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
  /** How many replicas acknowledge what is written, of the primary with the fewest. At the start, and on changes. */
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

export interface OutageMessages {
  unavailable: string;
  available: string;
}

/** Sources are connections to primaries, or the client of all of them. */
type Source = Redis | Cluster;

/** Says in the log when Redis becomes unavailable, and when it is available again. */
export class Outages {
  /** Each source that is unavailable, with the last problem that its operator has to solve. */
  readonly #problems = new Map<Source, string | undefined>();

  constructor(
    private readonly log: Logger,
    private readonly messages: OutageMessages,
  ) {}

  /** Whether this source has an ongoing outage. */
  has(source: Source): boolean {
    return this.#problems.has(source);
  }

  /** Logs the first outage of all, and whenever a test finds another problem. */
  report(source: Source, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const lastProblem = this.#problems.get(source);
    const isNews = error instanceof UnsuitableRedisError && reason !== lastProblem;
    if (isNews || this.#problems.size === 0) this.log.error({ reason }, this.messages.unavailable);
    this.#problems.set(source, isNews ? reason : lastProblem);
  }

  /** Logs the end of the last outage of all. */
  end(source: Source): void {
    const wasLast = this.#problems.delete(source) && this.#problems.size === 0;
    if (wasLast) this.log.info(this.messages.available);
  }

  /** The outage of a source goes on as an outage of another one. */
  move(source: Source, target: Source): void {
    if (this.#problems.delete(source)) this.#problems.set(target, undefined);
  }
}
