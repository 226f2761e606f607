/**
 * A connection to Redis that is tested before it is used. Idempotency keys and the rate limit have one each, so that neither can delay
 * the other.
 */
import { createHash } from 'node:crypto';
import { setImmediate as tickEnd, setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { NO_CLUSTER, type RedisAddress } from './address.js';
import {
  MisconfiguredRedisError,
  NotAcknowledgedError,
  NotSentError,
  UnsuitableRedisError,
} from './errors.js';

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
  /** How many replicas must have what `runReplicated` changes. @default 0 */
  replicas?: number;
  /** Runs on each new connection, before anything else. Rejects with why this Redis must not be used. */
  test: (redis: Redis, info: Info) => Promise<unknown>;
  /** Called once it is known whether Redis is usable, and on changes. */
  onUsable?: (isUsable: boolean) => void;
  /** Called at the beginning and at the end of an outage. */
  onAvailable?: (isAvailable: boolean) => void;
  /** Called after each command of a request. */
  onReply?: (durationMs: number) => void;
}

/** What INFO says, by name; empty if Redis forbids INFO. */
export type Info = Partial<Record<string, string>>;

/** Commands that are sent together, with one WAIT behind them. */
interface Batch {
  readonly commands: (() => void)[];
  /** The number of replicas that have what the commands changed. */
  readonly acknowledged: Promise<number>;
}

/** Time in milliseconds that replicas have to acknowledge. A claim may have to wait for the batch before its own. */
const WAIT_MS = 450;
/** Interval in milliseconds of the checks whether Redis has sent anything. After two in a row without, the connection is closed. */
const SILENCE_MS = 500;
/** Time in milliseconds after which the gateway starts without Redis. */
const START_TIMEOUT_MS = 3000;
/**
 * Delay in milliseconds before a Redis that must not be used, such as a read-only replica, is tried again, over a new connection: its name
 * or the Sentinels may lead to another server.
 */
const RECHECK_MS = 500;

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
  /** Whether the connection has passed its test and was not suspended since; undefined until that is known. */
  #isUsable: boolean | undefined;
  /** Why nothing must be claimed: too few replicas acknowledge. */
  #shortage: NotAcknowledgedError | undefined;
  /** Why Redis is unavailable, as far as an operator has to know; empty for a lost connection. */
  #outage: string | undefined;
  #isClosing = false;
  #recheck: NodeJS.Timeout | undefined;
  /** Commands in flight. */
  #inFlight = 0;
  #watchdog: NodeJS.Timeout | undefined;
  /** What the next batch has so far, and the end of the WAIT of the one before. */
  #batch: Batch | undefined;
  #waiting: Promise<void> | undefined;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#replicas = options.replicas ?? 0;
    this.#redis = createRedis(options.address);
    this.#redis.on('connect', () => this.#expectReply());
    this.#redis.on('ready', () => void this.#test());
    this.#redis.on('close', () => this.suspend('Connection closed'));
    this.#redis.on('error', (error: Error) => this.reportOutage(error));
  }

  /** Whether commands are sent. */
  get isUsable(): boolean {
    return this.#isUsable === true;
  }

  /**
   * Connects. Resolves once it is known whether Redis is usable; it is tried again in the background if not. Rejects with a
   * MisconfiguredRedisError if that is what the first test finds.
   */
  async open(): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        this.#opening = { resolve, reject };
        setTimeout(resolve, START_TIMEOUT_MS).unref();
        this.#redis.connect().catch(() => undefined); // the client tries again by itself
      });
      if (this.#outage === undefined) this.#options.onAvailable?.(true);
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      this.#opening = undefined;
    }
  }

  /** Runs a script. Rejects at once, and sends nothing, while Redis is unusable; rejects within two seconds if Redis is silent. */
  async run<Reply>({ sha1 }: RedisScript, key: string, ...args: (string | number)[]): Promise<Reply> {
    if (!this.isUsable) throw new NotSentError('Redis is unavailable');
    return this.#observe(() => this.#redis.evalsha(sha1, 1, key, ...args) as Promise<Reply>);
  }

  /**
   * Sends a command of a request. Closes the connection if Redis is silent. A reply that has arrived while this process was busy counts,
   * which the timeouts of the client would not see.
   */
  async #observe<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    const startedAt = performance.now();
    this.#writeAtTickEnd();
    try {
      return await this.#watch(send);
    } finally {
      this.#options.onReply?.(performance.now() - startedAt);
    }
  }

  /** Throws, at once, if what a script changes could not be acknowledged. */
  requireReplicas(): void {
    if (this.#shortage) throw new NotSentError(this.#shortage.message);
  }

  /**
   * Runs a script, and resolves once the replicas have what it changed; `isChange` says by the reply whether it changed anything. Rejects
   * with a NotAcknowledgedError if they do not have it in time. Redis runs nothing of a connection that waits, so the scripts that come
   * in the meantime are the next batch.
   */
  async runReplicated<Reply>(
    isChange: (reply: Reply) => boolean,
    ...command: [script: RedisScript, key: string, ...args: (string | number)[]]
  ): Promise<Reply> {
    if (this.#replicas === 0 || !this.isUsable) return this.run(...command);
    const { commands, acknowledged } = (this.#batch ??= this.#collect());
    const reply = await new Promise<Reply>((resolve) => {
      commands.push(() => resolve(this.run(...command)));
    });
    if (!isChange(reply)) return reply;
    const shortage = this.#shortageOf(await acknowledged);
    if (!shortage) return reply;
    this.#setShortage(shortage);
    throw shortage;
  }

  /** Sends nothing more until a new connection has passed the test. */
  suspend(error: unknown): void {
    this.#isUsable = false;
    this.reportOutage(error);
    this.#settle();
  }

  /** Logs that Redis is unavailable: once per outage, and whenever there is another reason that its operator has to remove. */
  reportOutage(error: unknown): void {
    if (this.#isClosing) return;
    const { log, messages, onAvailable } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    const isNews = error instanceof UnsuitableRedisError && reason !== this.#outage;
    if (isNews || this.#outage === undefined) log.error({ reason }, messages.unavailable);
    if (this.#outage === undefined) onAvailable?.(false);
    this.#outage = isNews ? reason : (this.#outage ?? '');
  }

  /** Logs that Redis is available again, if it was not. */
  reportRecovery(): void {
    if (this.#outage === undefined || this.#shortage) return;
    this.#outage = undefined;
    this.#options.log.info(this.#options.messages.available);
    this.#options.onAvailable?.(true);
  }

  async #watch<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    this.#inFlight += 1;
    this.#expectReply();
    try {
      return await send();
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Waits for the commands in flight. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#recheck);
    const quit = this.isUsable && this.#redis.quit().catch(() => undefined);
    await Promise.race([quit, sleep(2 * SILENCE_MS, undefined, { ref: false })]);
    this.#redis.disconnect();
  }

  #collect(): Batch {
    const commands: (() => void)[] = [];
    const acknowledged = (this.#waiting ?? tickEnd()).then(() => {
      this.#batch = undefined;
      const { stream } = this.#redis;
      stream.cork();
      for (const send of commands) send();
      const wait = this.#watch(() => this.#redis.wait(this.#replicas, WAIT_MS));
      stream.uncork();
      const waiting = wait.then(noop, noop).then(() => {
        if (this.#waiting === waiting) this.#waiting = undefined;
      });
      this.#waiting = waiting;
      return wait;
    });
    acknowledged.catch(noop); // of a batch that changed nothing
    return { commands, acknowledged };
  }

  #shortageOf(count: number): NotAcknowledgedError | undefined {
    const expected = this.#replicas === 1 ? '1 replica' : `${this.#replicas} replicas`;
    return count >= this.#replicas
      ? undefined
      : new NotAcknowledgedError(
          `expected ${expected} to acknowledge, got ${count}: a failover could lose keys`,
        );
  }

  #setShortage(shortage: NotAcknowledgedError | undefined): void {
    this.#shortage = shortage;
    if (shortage) this.reportOutage(shortage);
    else this.reportRecovery();
    this.#settle();
  }

  /**
   * Writes the commands of all requests that this tick of the event loop serves together, at its end: one system call for each would
   * take a sixth of the CPU of a mutation with a key, and wake Redis as often.
   */
  #writeAtTickEnd(): void {
    const { stream } = this.#redis;
    if (stream.writableCorked > 0) return;
    stream.cork();
    setImmediate(() => stream.uncork());
  }

  async #test(): Promise<void> {
    const { stream } = this.#redis;
    const isCurrent = () => this.#redis.stream === stream && this.#redis.status === 'ready';
    try {
      const count = await this.#watch(() => this.#runTest());
      if (!isCurrent()) return;
      this.#isUsable = true;
      this.#setShortage(this.#shortageOf(count));
    } catch (error) {
      if (error instanceof MisconfiguredRedisError && this.#opening) this.#opening.reject(error);
      else if (isCurrent()) this.suspend(error);
    }
  }

  /** Resolves with the number of replicas that acknowledge. */
  async #runTest(): Promise<number> {
    const info = await this.#readInfo();
    this.#requireForm(info);
    await this.#options.test(this.#redis, info);
    return this.#replicas === 0 ? 0 : this.#redis.wait(this.#replicas, WAIT_MS);
  }

  /** Hosted ones forbid CONFIG more often than INFO. */
  async #readInfo(): Promise<Info> {
    try {
      const text: unknown = await this.#redis.info(); // of a proxy it may be anything
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
  #requireForm(info: Info): void {
    if (info['redis_mode'] === 'cluster')
      throw new MisconfiguredRedisError(
        `expected Redis without cluster mode, got a node of a Cluster: ${NO_CLUSTER}`,
      );
    if (info['redis_mode'] !== 'sentinel') return;
    const [{ protocol, username, password, host }] = this.#options.address.hosts;
    const credentials = username === '' && password === '' ? '' : '[hidden]@';
    const [, name = 'name'] = /\bname=([^,]+)/.exec(info['master0'] ?? '') ?? [];
    throw new MisconfiguredRedisError(
      `expected Redis, got a Sentinel: use ${protocol.replace(':', '+sentinel:')}//${credentials}${host}/${name}`,
    );
  }

  /** Reports whether Redis is usable, and tries again later where it is not. */
  #settle(): void {
    const isUsable = this.#isUsable === true;
    this.#opening?.resolve();
    if (!this.#isClosing) this.#options.onUsable?.(isUsable);
    if (!isUsable || this.#shortage) this.#recheckLater();
  }

  #recheckLater(): void {
    if (this.#isClosing) return;
    this.#recheck ??= setTimeout(() => {
      this.#recheck = undefined;
      if (this.#redis.status !== 'ready' || (this.isUsable && !this.#shortage)) return; // it is connecting by itself
      // Outcomes are still recorded where replicas are missing, and not to be cut off.
      if (this.isUsable && this.#inFlight > 0) void this.#test();
      else this.#redis.disconnect(true);
    }, RECHECK_MS).unref();
  }

  /** Closes the connection if Redis is silent while commands are in flight, or while the connection opens. */
  #expectReply(wasSilent = false): void {
    if (this.#watchdog !== undefined) return;
    const { stream } = this.#redis;
    const { bytesRead } = stream;
    const check = () => {
      this.#watchdog = undefined;
      if (this.#inFlight === 0 && this.#redis.status !== 'connect') return;
      const isSilent = this.#redis.stream === stream && stream.bytesRead === bytesRead;
      if (isSilent && wasSilent) stream.destroy(new Error('Redis timed out'));
      this.#expectReply(isSilent);
    };
    this.#watchdog = setTimeout(() => setImmediate(check), SILENCE_MS).unref(); // what has arrived is read in between
  }
}

/** The client connects again by itself, and sends no command a second time. */
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

export function defineScript(lua: string): RedisScript {
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

function noop(): void {
  // Whoever needs the result has it.
}
