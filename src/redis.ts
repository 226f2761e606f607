/**
 * A connection to Redis that is tested before it is used. Idempotency keys and rate limits have one each, so that neither can delay the
 * other.
 */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

export interface RedisConnectionOptions {
  url: URL;
  purpose: RedisTrip['purpose'];
  log: Logger;
  /** Log messages at the beginning and at the end of an outage. */
  messages: { unavailable: string; available: string };
  /** Runs on each new connection, before anything else. Rejects with why Redis must not be used. */
  test: (redis: Redis) => Promise<unknown>;
  /** Called once it is known whether the connection is usable, and whenever that changes. */
  onUsable?: (isUsable: boolean) => void;
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

export interface Server {
  readonly address: string;
  readonly port: number;
}

/** Redis can be reached but must not be used until its operator has changed something, which the log says during an outage too. */
export class UnsuitableRedisError extends Error {
  override readonly name: string = 'UnsuitableRedisError';
}

/** A store that may lose records before they expire, so that a write could happen twice: the gateway must not start with it. */
export class UnsafeStoreError extends UnsuitableRedisError {
  override readonly name = 'UnsafeStoreError';
}

/** Time in milliseconds after which the gateway starts without Redis. */
const START_TIMEOUT_MS = 3000;
/**
 * Delay in milliseconds before an unusable Redis, such as a read-only replica, is tried again, over a new connection: its name may
 * resolve to another server.
 */
const RECHECK_MS = 1000;

export class RedisConnection {
  /** Commands fail at once while Redis is not connected, and within a second otherwise; none is sent a second time. */
  readonly redis: Redis;
  readonly #options: RedisConnectionOptions;
  readonly #server: Server;
  /** Undefined until it is known. */
  #isUsable: boolean | undefined;
  #isOutage = false;
  #isOpen = false;
  #isClosing = false;
  #lastProblem: string | undefined;
  #recheck: NodeJS.Timeout | undefined;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    const { hostname, port } = options.url;
    this.#server = { address: hostname.replaceAll(/[[\]]/g, ''), port: port === '' ? 6379 : Number(port) };
    this.redis = new Redis(options.url.href, {
      lazyConnect: true,
      connectTimeout: 1000,
      // A busy process may read the reply this late; that must not count as unavailable.
      commandTimeout: 1000,
      socketTimeout: 1000, // a silent Redis counts as down: only the first request waits for it
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      retryStrategy: (times) => Math.min(times * 100, 2000),
      enableReadyCheck: false, // the test says more
    });
    this.redis.on('error', (error: Error) => this.reportOutage(error));
  }

  /** Whether this connection has passed its test and was not suspended since. While it is not, send nothing. */
  get isUsable(): boolean {
    return this.#isUsable === true;
  }

  /**
   * Connects. Resolves once it is known whether Redis is usable; it is tried again in the background if not. Rejects with an
   * UnsafeStoreError if that is what the first test finds.
   */
  async open(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.redis.on('ready', () => void this.#test().then(resolve, reject));
        this.redis.on('close', () => {
          this.#disconnected();
          resolve();
        });
        setTimeout(resolve, START_TIMEOUT_MS).unref();
        this.redis.connect().catch(() => undefined); // the client tries again by itself
      });
      this.#isOpen = true;
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Sends a command on behalf of a request, and reports the trip. */
  async ask<Reply>(
    script: string,
    send: () => Promise<Reply>,
    observer: RedisObserver | undefined,
  ): Promise<Reply> {
    const startedAt = performance.now();
    let error: string | undefined;
    this.#batchWrites();
    try {
      return await send();
    } catch (cause) {
      error = errorTypeOf(cause);
      throw cause;
    } finally {
      const { purpose } = this.#options;
      const endedAt = performance.now();
      observer?.askedRedis({ purpose, script, server: this.#server, startedAt, endedAt, error });
    }
  }

  /**
   * Writes the commands of all requests that this tick of the event loop serves together, at its end: one system call for each would
   * take a sixth of the CPU of a mutation with a key, and wake Redis as often.
   */
  #batchWrites(): void {
    const { stream } = this.redis;
    if (stream.writableCorked > 0) return;
    stream.cork();
    setImmediate(() => stream.uncork());
  }

  /** Sends nothing more until a new connection has passed the test. */
  suspend(error: unknown): void {
    this.#setUsable(false);
    this.reportOutage(error);
    // Otherwise it is connecting again by itself.
    if (this.redis.status === 'ready' && !this.#isClosing)
      this.#recheck ??= setTimeout(() => this.redis.disconnect(true), RECHECK_MS).unref();
  }

  /** Logs that Redis is unavailable: once per outage, and whenever the test finds another reason. */
  reportOutage(error: unknown): void {
    if (this.#isClosing) return;
    const reason = error instanceof Error ? error.message : String(error);
    const isNews = error instanceof UnsuitableRedisError && reason !== this.#lastProblem;
    if (isNews) this.#lastProblem = reason;
    if (!this.#isOutage || isNews) this.#options.log.error({ reason }, this.#options.messages.unavailable);
    this.#isOutage = true;
  }

  /** Logs that Redis is available again, if it was not. */
  reportRecovery(): void {
    if (this.#isOutage) this.#options.log.info(this.#options.messages.available);
    this.#isOutage = false;
  }

  /** Waits for the commands in flight. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#recheck);
    if (this.isUsable) await this.redis.quit().catch(() => undefined);
    this.redis.disconnect();
  }

  /** Rejects with an UnsafeStoreError while the connection is being opened. */
  async #test(): Promise<void> {
    try {
      await this.#options.test(this.redis);
    } catch (error) {
      if (error instanceof UnsafeStoreError && !this.#isOpen) throw error;
      this.suspend(error);
      return;
    }
    this.#lastProblem = undefined;
    this.reportRecovery();
    this.#setUsable(true);
  }

  #disconnected(): void {
    clearTimeout(this.#recheck);
    this.#recheck = undefined;
    this.suspend('Connection closed');
  }

  #setUsable(isUsable: boolean): void {
    if (isUsable === this.#isUsable) return;
    this.#isUsable = isUsable;
    if (!this.#isClosing) this.#options.onUsable?.(isUsable);
  }
}

function errorTypeOf(error: unknown): string {
  const { name, message, code } = error as Error & { code?: unknown };
  if (name === 'ReplyError') return /^[A-Z]+/.exec(message)?.[0] ?? 'ERR';
  if (/timed out|timeout/i.test(message)) return 'timeout';
  return typeof code === 'string' ? code : name;
}
