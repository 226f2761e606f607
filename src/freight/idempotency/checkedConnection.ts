/** The connection of the idempotency keys. It fails closed: it is used only once Redis was found to keep what it stores. */
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { connectToRedis, messageOf, RECHECK_MS, type RedisConnection } from '../../redisConnection.js';
import { inspectRedis } from './redisInspection.js';
import { UnsafeStoreError } from './store.js';

/** The command was not sent. */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
}

/** After this time, in milliseconds, the gateway starts without Redis. */
const START_TIMEOUT_MS = 3000;

export class CheckedConnection {
  readonly redis: Redis;
  readonly #connection: RedisConnection;
  readonly #log: Logger;
  readonly #listeners: (() => void)[] = [];
  readonly #warnings = new Set<string>();
  #isOpen = false;
  #isUsable = false;
  #isClosing = false;
  #lastProblem: string | undefined;
  #recheck: NodeJS.Timeout | undefined;

  private constructor(url: URL, log: Logger) {
    const messages = {
      unavailable: 'Redis unavailable: idempotency keys are rejected',
      available: 'Redis available: idempotency keys are accepted',
    };
    this.#connection = connectToRedis({ url, log, messages });
    this.#log = log;
    this.redis = this.#connection.redis;
  }

  /** Resolves once Redis is usable or was found unavailable; rejects with an UnsafeStoreError if it evicts records. */
  static async open(url: URL, log: Logger): Promise<CheckedConnection> {
    const connection = new CheckedConnection(url, log);
    const evictionProblem = await connection.#start();
    connection.#isOpen = true;
    if (evictionProblem === undefined) return connection;
    await connection.close();
    throw new UnsafeStoreError(evictionProblem);
  }

  /** Rejects at once, and sends nothing, while Redis is unavailable. */
  async run<T>(send: () => Promise<T>): Promise<T> {
    if (!this.#isUsable) throw new RedisUnavailableError('Redis is unavailable');
    try {
      return await send();
    } catch (error) {
      this.#report(messageOf(error));
      throw error;
    }
  }

  /**
   * A key was claimed. Only this ends an outage that began with an error reply: a full or failing Redis (OOM, MISCONF) still
   * runs the commands that store nothing.
   */
  reportClaim(): void {
    this.#connection.setAvailable();
  }

  /** Calls this whenever Redis has become usable. */
  onUsable(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Waits for the commands in flight. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#recheck);
    if (this.#isUsable) await this.redis.quit().catch(() => undefined);
    this.redis.disconnect();
  }

  /** Resolves with the problem of the first Redis reached if it evicts records, else with undefined. */
  #start(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.redis.on('ready', () => void this.#check().then(resolve));
      this.redis.on('close', () => {
        this.#isUsable = false;
        clearTimeout(this.#recheck);
        if (!this.#isClosing) this.#connection.setUnavailable('Connection closed');
        resolve(undefined);
      });
      setTimeout(resolve, START_TIMEOUT_MS, undefined).unref();
    });
  }

  async #check(): Promise<string | undefined> {
    try {
      const { problem, evicts, warning } = await inspectRedis(this.redis);
      if (evicts && !this.#isOpen) return problem; // which open() rejects with
      if (problem === undefined) this.#accept(warning);
      else this.#suspend(problem);
      return undefined;
    } catch (error) {
      // Otherwise it is connecting again by itself.
      if (this.redis.status === 'ready') this.#suspend(messageOf(error));
      return undefined;
    }
  }

  #accept(warning: string | undefined): void {
    this.#isUsable = true;
    this.#lastProblem = undefined;
    if (warning !== undefined && !this.#warnings.has(warning)) {
      this.#warnings.add(warning);
      this.#log.warn(warning);
    }
    this.#connection.setAvailable();
    for (const listener of this.#listeners) listener();
  }

  #suspend(problem: string): void {
    this.#isUsable = false;
    if (this.#isClosing) return;
    // After an outage, for example, an eviction policy is news.
    this.#connection.setUnavailable(problem, problem !== this.#lastProblem);
    this.#lastProblem = problem;
    clearTimeout(this.#recheck);
    this.#recheck = setTimeout(() => {
      this.redis.disconnect(true);
    }, RECHECK_MS).unref();
  }

  /** A command failed. */
  #report(reason: string): void {
    if (UNREADABLE.test(reason)) this.#log.error({ reason }, 'Idempotency record unreadable');
    else if (/\bREADONLY\b/.test(reason)) this.#suspend(reason);
    else if (!this.#isClosing) this.#connection.setUnavailable(reason);
  }
}

/** Other data in place of a record: what a script says of it, and Redis if it is not even a string. */
const UNREADABLE = /expected an idempotency record|WRONGTYPE/;
