/** A connection to Redis that is tested before it is used. Keys and the rate limit have one each, so that neither can delay the other. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { MisconfiguredRedisError, NO_CLUSTER, NotAcknowledgedError, type RedisAddress } from './address.js';

/**
 * Runs a Lua script, which gets a name of this run as its first argument, and returns what it has found, the name, and 1 if it has changed
 * what replicas must have. Resolves with what it has found, once they have it.
 */
export type RunScript = (
  script: string,
  keys: readonly string[],
  ...args: readonly (string | number)[]
) => Promise<unknown>;

export interface RedisConnectionOptions {
  address: RedisAddress;
  log: Logger;
  /** Log messages at the beginning and at the end of an outage. */
  messages: { unavailable: string; available: string };
  /** Number of replicas that must acknowledge what scripts change. */
  replicas: number;
  /** Runs on each new connection, before anything else. Rejects with why this Redis must not be used. */
  test: (run: RunScript, info: Info) => Promise<unknown>;
  /** Called each time that a connection has passed the test. */
  onAvailable?: () => void;
  /** Called for each change that too few replicas have in time. */
  onShortage?: (reason: string) => void;
  /** Called after each script of a request. */
  onReply: (durationMs: number) => void;
}

/** Time in milliseconds that replicas have to acknowledge. */
const WAIT_MS = 450;
/** Interval in milliseconds of the checks whether Redis has sent anything. */
const SILENCE_MS = 500;
/** Checks in a row without a byte from Redis after which the connection is closed: 1 to 1.5 s. */
const MAX_SILENCES = 3;
/** Time in milliseconds after which the gateway starts without Redis. */
const START_TIMEOUT_MS = 3000;
const TIMEOUT_MS = 1000;

const OPTIONS = {
  lazyConnect: true,
  connectTimeout: TIMEOUT_MS,
  retryStrategy: () => 300, // milliseconds
  // Commands fail at once while Redis is not connected, and with their connection.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  enableReadyCheck: false, // the test of a connection says more
} satisfies RedisOptions;

export class RedisConnection {
  readonly #redis: Redis;
  readonly #options: RedisConnectionOptions;
  #opening: { resolve: () => void; reject: (error: Error) => void } | undefined;
  /** Whether scripts are sent: the connection has passed its test, and none has failed since. */
  isUsable = false;
  /** The names of the errors that the log has of this outage; empty while Redis is available. */
  readonly #reasons = new Set<string>();
  #isClosing = false;
  #inFlight = 0;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#redis = createRedis(options.address);
    this.#redis.on('connect', () => this.#closeIfSilent());
    this.#redis.on('ready', () => void this.#test());
    this.#redis.on('close', () => this.#suspend(new Error('Connection closed')));
    this.#redis.on('error', (error: Error) => this.#suspend(error));
  }

  /** Resolves once Redis is known to be usable or not; if not, retries in the background. Rejects if the first test finds it misconfigured. */
  async open(): Promise<void> {
    const timer = setTimeout(() => {
      this.#suspend(new Error(`No connection within ${START_TIMEOUT_MS} ms`));
    }, START_TIMEOUT_MS);
    await new Promise<void>((resolve, reject) => {
      this.#opening = { resolve, reject };
      this.#redis.connect().catch(ignore); // the client tries again by itself
    }).finally(() => {
      clearTimeout(timer);
      this.#opening = undefined;
    });
  }

  /** Rejects at once while Redis is unusable, and within two seconds if it is silent. A failure ends the use of the connection. */
  run: RunScript = async (...script) => {
    if (!this.isUsable) throw new Error('Redis is unavailable');
    const startedAt = performance.now();
    this.#inFlight += 1;
    try {
      return await this.#run(...script);
    } catch (error) {
      this.#suspend(error as Error);
      throw error;
    } finally {
      this.#inFlight -= 1;
      this.#options.onReply(performance.now() - startedAt);
    }
  };

  /** Waits for the scripts in flight. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const quit = this.isUsable && this.#redis.quit().catch(ignore);
    await Promise.race([quit, sleep(2 * SILENCE_MS, undefined, { ref: false })]);
    this.#redis.disconnect();
  }

  #run: RunScript = async (script, keys, ...args) => {
    const { replicas, onShortage } = this.#options;
    const name = randomUUID();
    const [reply, count] = await Promise.all([
      this.#redis.eval(script, keys.length, ...keys, name, ...args),
      replicas > 0 ? this.#redis.wait(replicas, WAIT_MS) : Promise.resolve(0),
    ]);
    const [found, echoed, isChanged] = Array.isArray(reply) ? (reply as unknown[]) : [];
    // Bytes were lost on the way, as by a proxy: what Redis did is unknown, and the replies after it are those to other commands, too.
    if (echoed !== name) throw new Error('Expected the reply of Redis to this command, got another one');
    if (isChanged && count < replicas) {
      const expected = replicas === 1 ? '1 replica' : `${replicas} replicas`;
      const reason = `expected ${expected} to acknowledge, got ${count}: a failover could lose keys`;
      onShortage?.(reason);
      throw new NotAcknowledgedError(reason);
    }
    return found;
  };

  async #test(): Promise<void> {
    const { test, log, messages, onAvailable } = this.#options;
    try {
      const info = await readInfo(this.#redis);
      const wrongForm = WRONG_FORMS[info['redis_mode'] ?? ''];
      if (wrongForm !== undefined) throw new MisconfiguredRedisError(wrongForm);
      await test(this.#run, info);
      this.isUsable = true;
      if (this.#reasons.size > 0) log.info(messages.available);
      this.#reasons.clear();
      onAvailable?.();
      this.#opening?.resolve();
    } catch (error) {
      if (error instanceof MisconfiguredRedisError && this.#opening) {
        await this.close();
        this.#opening.reject(error);
      } else this.#suspend(error as Error);
    }
  }

  /**
   * Sends nothing more until a new connection, which may lead to another server, has passed the test. Logs the reason once per outage, and
   * once for each kind of reason that Redis gives: its operator has to remove it.
   */
  #suspend(error: Error): void {
    if (this.#isClosing) return;
    this.isUsable = false;
    const isConnected = this.#redis.status === 'ready';
    if (this.#reasons.size === 0 || (isConnected && !this.#reasons.has(error.name)))
      this.#options.log.error({ reason: error.message }, this.#options.messages.unavailable);
    this.#reasons.add(error.name);
    this.#opening?.resolve();
    if (isConnected) this.#redis.disconnect(true); // a client that is connecting would give up
  }

  /**
   * Closes the connection if Redis is silent while the connection is being tested, or scripts are in flight. A reply that has arrived
   * while this process was busy counts; the timeouts of the client would fire before it is read.
   */
  #closeIfSilent(): void {
    const { stream } = this.#redis;
    let [bytesRead, silences] = [stream.bytesRead, 0];
    const check = () => {
      const isSilent = stream.bytesRead === bytesRead && (this.#inFlight > 0 || !this.isUsable);
      silences = isSilent ? silences + 1 : 0;
      bytesRead = stream.bytesRead;
      if (silences === MAX_SILENCES) stream.destroy(new Error('Redis timed out'));
    };
    const interval = setInterval(() => setImmediate(check), SILENCE_MS).unref(); // what has arrived is read in between
    stream.once('close', () => clearInterval(interval));
  }
}

/** The client connects again, and sends no command twice. Sentinels have the same credentials unless the query of the URL has others. */
function createRedis({ hosts, primaryName: name }: RedisAddress): Redis {
  const [url] = hosts;
  if (name === undefined) return new Redis(url.href, OPTIONS);
  const tls = url.protocol === 'rediss:' ? {} : undefined;
  return new Redis(url.href, {
    ...OPTIONS,
    name,
    sentinels: hosts.map(({ hostname, port }) => ({
      host: hostname.replaceAll(/[[\]]/g, ''),
      port: Number(port) || 26_379,
    })),
    sentinelUsername: decodeURIComponent(url.username),
    sentinelPassword: decodeURIComponent(url.password),
    sentinelTLS: tls,
    enableTLSForSentinelMode: tls !== undefined,
    sentinelCommandTimeout: TIMEOUT_MS,
  });
}

/** Values of INFO by name; empty if Redis forbids INFO. */
export type Info = Partial<Record<string, string>>;

/** INFO, not CONFIG, which hosted Redis forbids more often. */
async function readInfo(redis: Redis): Promise<Info> {
  const text: unknown = await redis.info().catch((error: unknown) => {
    if (String(error).includes('NOPERM')) return '';
    throw error; // such as NOAUTH
  });
  // A proxy may reply with anything. The lines are `name:value`; those that start with # are headings.
  const lines = String(text).matchAll(/^(\w+):(.*?)\r?$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}

/** What is not supported, or what the URL has to name. */
const WRONG_FORMS: Info = {
  cluster: `expected Redis without cluster mode, got a node of a Cluster: ${NO_CLUSTER}`,
  sentinel: 'expected Redis, got a Sentinel: use redis+sentinel://host:26379/name',
};

const ignore = () => undefined;
