/** Says in the log when Redis becomes unavailable, and when it is available again. */
import type { Cluster, Redis } from 'ioredis';
import type { Logger } from 'pino';
import { UnsuitableRedisError } from './primary.js';

export interface OutageMessages {
  unavailable: string;
  available: string;
}

/** Sources are connections to primaries, or the client of all of them. */
type Source = Redis | Cluster;

export class Outages {
  /** Each source that is unavailable, with the last problem that its operator has to solve. */
  readonly #problems = new Map<Source, string | undefined>();

  constructor(
    private readonly log: Logger,
    private readonly messages: OutageMessages,
  ) {}

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

  /** The outage of a source goes on as that of another one. */
  move(source: Source, target: Source): void {
    if (this.#problems.delete(source)) this.#problems.set(target, undefined);
  }
}
