/**
 * A connection to Redis that is tested before it is used. Idempotency keys and the rate limit have one each, so that neither can delay
 * the other.
 */
import { createHash } from 'node:crypto';
import { setImmediate as tickEnd, setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import {
  MisconfiguredRedisError,
  NO_CLUSTER,
  NotAcknowledgedError,
  NotSentError,
  UnsuitableRedisError,
  type RedisAddress,
} from './address.js';

/** A Lua script, which `test` has to load. */
export interface RedisScript {
  readonly lua: string;
  readonly sha1: string;
}

export interface RedisConnectionOptions {
  address: RedisAddress;
  log: Logger;
  /** Log messages at the beginning and at the end of an outage. */
  messages: { unavailable: string; available: string };
  /** Number of replicas that must acknowledge what scripts change. @default 0 */
  replicas?: number;
  /** Runs on each new connection, before anything else. Rejects with why this Redis must not be used. */
  test: (redis: Redis, info: Info) => Promise<unknown>;
  /** Called once it is known, and at the beginning and at the end of an outage. */
  onAvailable: (isAvailable: boolean) => void;
  /** Called for each change that too few replicas have in time. */
  onShortage?: (reason: string) => void;
  /** Called after each command of a request. */
  onReply: (durationMs: number) => void;
}

/** Time in milliseconds that replicas have to acknowledge. A claim may have to wait for the WAIT before its own. */
const WAIT_MS = 450;
/** Interval in milliseconds of the checks whether Redis has sent anything. */
const SILENCE_MS = 500;
/** Checks in a row without a byte from Redis after which the connection is closed: 1 to 1.5 s. */
const MAX_SILENCES = 3;
/** Time in milliseconds after which the gateway starts without Redis. */
const START_TIMEOUT_MS = 3000;
/** Delay in milliseconds before a Redis that must not be used is tried again. */
const RECONNECT_MS = 500;
/** Time in milliseconds to connect. */
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

export class RedisConnection {
  readonly #redis: Redis;
  readonly #options: RedisConnectionOptions;
  readonly #replicas: number;
  #opening: { resolve: () => void; reject: (error: Error) => void } | undefined;
  /** Whether the connection has passed its test and was not suspended since. */
  #isUsable = false;
  /** The name of the error that the log has of this outage. */
  #outage: string | undefined;
  #isClosing = false;
  /** Commands in flight. */
  #inFlight = 0;
  /** How many replicas have acknowledged the commands of this tick of the event loop. Undefined if none has to. */
  #acknowledged: Promise<number> | undefined;
  /** The end of the WAIT in flight. */
  #waiting: Promise<void> | undefined;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#replicas = options.replicas ?? 0;
    this.#redis = createRedis(options.address);
    this.#redis.on('connect', () => this.#closeIfSilent());
    this.#redis.on('ready', () => void this.#test());
    this.#redis.on('close', () => this.suspend('Connection closed'));
    this.#redis.on('error', (error: Error) => this.#reportOutage(error));
  }

  /** Whether commands are sent. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Connects. Resolves once it is known whether Redis is usable; it is tried again in the background if not. Rejects with a
   * MisconfiguredRedisError if that is what the first test finds.
   */
  async open(): Promise<void> {
    const timer = setTimeout(() => {
      this.#reportOutage(new Error(`No connection within ${START_TIMEOUT_MS} ms`));
      this.#opening?.resolve();
    }, START_TIMEOUT_MS).unref();
    try {
      await new Promise<void>((resolve, reject) => {
        this.#opening = { resolve, reject };
        this.#redis.connect().catch(noop); // the client tries again by itself
      });
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    this.#opening = undefined;
    if (this.#outage === undefined) this.#options.onAvailable(true);
  }

  /**
   * Runs a script; one that has changed its key must reply with its first argument, and then the replicas have the change when this
   * resolves. Rejects at once, and sends nothing, while Redis is unusable; rejects within two seconds if Redis is silent.
   */
  async run(
    { sha1 }: RedisScript,
    keys: readonly string[],
    ...args: readonly (string | number)[]
  ): Promise<unknown> {
    // One tick sends commands A and B, and a WAIT for both. Redis runs nothing of a connection that waits, so C and D, which come in the
    // meantime, are sent together after it, with one WAIT behind them.
    if (this.#isUsable && this.#waiting) await this.#waiting;
    if (!this.#isUsable) throw new NotSentError('Redis is unavailable');
    const startedAt = performance.now();
    this.#inFlight += 1;
    this.#writeAtTickEnd();
    const acknowledged = this.#acknowledged;
    try {
      const reply = await this.#redis.evalsha(sha1, keys.length, ...keys, ...args);
      if (reply !== args[0]) return reply;
      if (acknowledged) this.#requireReplicas(await acknowledged);
      // Nothing less than a change ends an outage: a full or failing Redis (OOM, MISCONF) still serves lookups.
      this.#endOutage();
      return reply;
    } catch (error) {
      this.#reportFailure(error as Error);
      throw error;
    } finally {
      this.#inFlight -= 1;
      this.#options.onReply(performance.now() - startedAt);
    }
  }

  /** Sends nothing more until a new connection has passed the test. */
  suspend(error: unknown): void {
    this.#isUsable = false;
    this.#reportOutage(error);
    this.#opening?.resolve();
    this.#reconnectLater();
  }

  /** Waits for the commands in flight. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const quit = this.#isUsable && this.#redis.quit().catch(noop);
    await Promise.race([quit, sleep(2 * SILENCE_MS, undefined, { ref: false })]);
    this.#redis.disconnect();
  }

  /**
   * Writes the commands of all requests that this tick of the event loop serves together, at its end: one system call for each would
   * take a sixth of the CPU of a mutation with a key, and wake Redis as often.
   */
  #writeAtTickEnd(): void {
    const { stream } = this.#redis;
    if (stream.writableCorked > 0) return;
    stream.cork();
    if (this.#replicas > 0) {
      this.#acknowledged = tickEnd().then(() => this.#wait());
      this.#acknowledged.catch(noop); // of commands that changed nothing
    }
    setImmediate(() => stream.uncork());
  }

  async #wait(): Promise<number> {
    const acknowledged = this.#redis.wait(this.#replicas, WAIT_MS);
    this.#waiting = acknowledged.then(noop, noop);
    this.#inFlight += 1;
    try {
      return await acknowledged;
    } finally {
      this.#inFlight -= 1;
      this.#waiting = undefined;
    }
  }

  #requireReplicas(count: number): void {
    if (count >= this.#replicas) return;
    const expected = this.#replicas === 1 ? '1 replica' : `${this.#replicas} replicas`;
    throw new NotAcknowledgedError(
      `expected ${expected} to acknowledge, got ${count}: a failover could lose keys`,
    );
  }

  async #test(): Promise<void> {
    const { stream } = this.#redis;
    try {
      const info = await readInfo(this.#redis);
      requireForm(info);
      await this.#options.test(this.#redis, info);
      if (this.#replicas > 0) this.#requireReplicas(await this.#redis.wait(this.#replicas, WAIT_MS));
      if (!this.#isConnectedBy(stream)) return;
      this.#isUsable = true;
      this.#endOutage();
      this.#opening?.resolve();
    } catch (error) {
      if (error instanceof MisconfiguredRedisError && this.#opening) this.#opening.reject(error);
      else if (this.#isConnectedBy(stream)) this.suspend(error);
    }
  }

  #reportFailure(error: Error): void {
    const isShortage = error instanceof NotAcknowledgedError;
    if (isShortage) this.#options.onShortage?.(error.message);
    // Another server may be the primary by now, or this one has been started again.
    if (isShortage || /\b(?:READONLY|NOSCRIPT)\b/.test(error.message)) this.suspend(error);
    else if (!error.message.includes('WRONGTYPE')) this.#reportOutage(error); // which is about a key
  }

  /** Logs that Redis is unavailable: once per outage, and once for each kind of reason that its operator has to remove. */
  #reportOutage(error: unknown): void {
    if (this.#isClosing) return;
    const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
    const isNew = this.#outage === undefined;
    if (!isNew && !(error instanceof UnsuitableRedisError && name !== this.#outage)) return;
    this.#outage = name;
    this.#options.log.error({ reason: message }, this.#options.messages.unavailable);
    if (isNew) this.#options.onAvailable(false);
  }

  #endOutage(): void {
    if (this.#outage === undefined || !this.#isUsable) return;
    this.#outage = undefined;
    this.#options.log.info(this.#options.messages.available);
    this.#options.onAvailable(true);
  }

  #isConnectedBy(stream: Redis['stream']): boolean {
    return this.#redis.stream === stream && this.#redis.status === 'ready';
  }

  /**
   * Tries a Redis that must not be used, such as a read-only replica, again over a new connection: its name or the Sentinels may lead to
   * another server. A client that is already connecting does that by itself.
   */
  #reconnectLater(): void {
    const { stream } = this.#redis;
    const reconnect = () => {
      if (!this.#isUsable && this.#isConnectedBy(stream)) this.#redis.disconnect(true);
    };
    setTimeout(reconnect, RECONNECT_MS).unref();
  }

  /**
   * Closes the connection if Redis is silent while the connection is being tested, or commands are in flight. A reply that has arrived
   * while this process was busy counts; the timeouts of the client would fire before it is read.
   */
  #closeIfSilent(): void {
    const { stream } = this.#redis;
    let [bytesRead, silences] = [stream.bytesRead, 0];
    const check = () => {
      const isSilent = stream.bytesRead === bytesRead && (this.#inFlight > 0 || !this.#isUsable);
      silences = isSilent ? silences + 1 : 0;
      bytesRead = stream.bytesRead;
      if (silences === MAX_SILENCES) stream.destroy(new Error('Redis timed out'));
    };
    const interval = setInterval(() => setImmediate(check), SILENCE_MS).unref(); // what has arrived is read in between
    stream.once('close', () => clearInterval(interval));
  }
}

/**
 * The client connects again by itself, and sends no command a second time. Sentinels have the same credentials as Redis unless the query
 * of the URL has others.
 */
function createRedis({ hosts, primaryName: name }: RedisAddress): Redis {
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

/** Values of INFO by name; empty if Redis forbids INFO. */
export type Info = Partial<Record<string, string>>;

/** INFO, not CONFIG, which hosted Redis forbids more often. */
async function readInfo(redis: Redis): Promise<Info> {
  try {
    const text: unknown = await redis.info(); // a proxy may reply with anything
    // The lines are `name:value`; those that start with # are headings.
    const lines = String(text).matchAll(/^(\w+):(.*?)\r?$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ReplyError')) throw error;
    if (error.message.startsWith('NOPERM')) return {};
    throw new UnsuitableRedisError(error.message, { cause: error }); // such as NOAUTH
  }
}

/** Throws if the endpoint is of a form that is not supported, or that the URL has to name. */
function requireForm({ redis_mode: mode }: Info): void {
  if (mode === 'cluster')
    throw new MisconfiguredRedisError(
      `expected Redis without cluster mode, got a node of a Cluster: ${NO_CLUSTER}`,
    );
  if (mode === 'sentinel')
    throw new MisconfiguredRedisError('expected Redis, got a Sentinel: use redis+sentinel://host:26379/name');
}

export function defineScript(lua: string): RedisScript {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

function noop(): void {
  // Whoever needs the result has it.
}
