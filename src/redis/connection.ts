/**
 * A connection to Redis that is tested before it is used, whatever its form. Idempotency keys and rate limits have one each, so that
 * neither can delay the other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { RedisAddress } from './address.js';
import { createForm, TIMEOUTS, type FormOptions, type RedisForm } from './forms.js';
import {
  errorTypeOf,
  Outages,
  type OutageMessages,
  type RedisObserver,
  type RedisServerObserver,
  type RedisTrip,
} from './observers.js';
import {
  MisconfiguredRedisError,
  NotReplicatedError,
  NotSentError,
  Primary,
  readInfo,
  UnsuitableRedisError,
  type Info,
} from './primary.js';

export interface RedisConnectionOptions {
  address: RedisAddress;
  purpose: RedisTrip['purpose'];
  log: Logger;
  /** Log messages at the beginning and at the end of an outage. */
  messages: OutageMessages;
  /** Runs on each new connection to a primary, before anything else. Rejects with why the primary must not be used. */
  test: (primary: Primary) => Promise<unknown>;
  /** Runs on each replica at the start, as far as it can be reached. Throws why it must not be promoted. */
  testReplica?: (info: Info) => void;
  /** Scripts for `ask`, which watches its commands. @default none */
  scripts?: FormOptions['scripts'];
  /** Called once it is known whether all primaries are usable, and whenever that changes. */
  onUsable?: (isUsable: boolean) => void;
  observer?: RedisServerObserver | undefined;
}

export interface AskOptions<Reply> {
  observer: RedisObserver | undefined;
  /** Waits for the replicas if this says that the command has changed something that a failover must not lose. */
  isReplicated?: ((reply: Reply) => boolean) | undefined;
}

/** Maximum time in milliseconds for a command that nothing watches. */
const UNWATCHED_MS = 1000;
/** Time in milliseconds after which the gateway starts without Redis. */
const START_TIMEOUT_MS = 3000;
/**
 * Delay in milliseconds before an unusable primary, such as a read-only replica, is tried again, over a new connection: its name may
 * lead to another server. Replicas are counted as often.
 */
const RECHECK_MS = 1000;
/** Interval in milliseconds in which the replicas of a primary that has none are counted: it may be lost soon after one has connected. */
const ALONE_RECHECK_MS = 100;

/** Keys to try until one belongs to a primary: among so many, even a primary with a thousandth of all slots has one. */
const MAX_KEYS_TRIED = 10_000;

export class RedisConnection {
  readonly redis: Redis | Cluster;
  readonly #options: RedisConnectionOptions;
  readonly #form: RedisForm;
  readonly #primaries = new Map<Redis, Primary>();
  readonly #outages: Outages;
  /** Replication IDs of the primaries until now: a promoted replica has the ID of its old primary as its second one. */
  readonly #replicationIds = new Set<string>();
  #opening: { resolve: () => void; reject: (error: Error) => void } | undefined;
  /** Undefined until it is known. */
  #wasUsable: boolean | undefined;
  #acknowledging: number | undefined;
  #isClosing = false;
  #recheck: NodeJS.Timeout | undefined;

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#outages = new Outages(options.log, options.messages);
    this.#form = createForm(options.address, options.scripts ? { scripts: options.scripts } : TIMEOUTS);
    this.redis = this.#form.redis;
    this.#form.onChange(() => this.#updatePrimaries());
    this.redis.on('error', (error: Error) => void this.#onError(error));
    this.redis.on('close', () => this.#opening?.resolve());
  }

  /** Whether every primary has passed its test and was not suspended since. */
  get isUsable(): boolean {
    const primaries = [...this.#primaries.values()];
    return primaries.length > 0 && primaries.every(({ isUsable }) => isUsable === true);
  }

  /** What INFO last said of each primary. */
  get infos(): Info[] {
    return [...this.#primaries.values()].map(({ info }) => info);
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
        if (this.#options.address.form !== 'cluster') this.#updatePrimaries(); // a Cluster's are not known yet
        this.redis.connect().catch(() => undefined); // the client tries again by itself
      });
      if (this.isUsable) await this.#testReplicas();
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      this.#opening = undefined;
    }
  }

  /**
   * Sends a command to the primary of its key, on behalf of a request, and reports the trip. Rejects at once, and sends nothing, while
   * that primary is unusable.
   */
  async ask<Reply>(
    script: string,
    key: string,
    send: (redis: Redis) => Promise<Reply>,
    { observer, isReplicated }: AskOptions<Reply>,
  ): Promise<Reply> {
    const primary = this.#primaryOf(key);
    if (isReplicated && primary?.isUsable) {
      this.#remeasure(primary);
      if (primary.measurement) await primary.measurement;
    }
    if (!primary?.isUsable) throw new NotSentError('Redis is unavailable');
    const sendTo = (target: Primary, sendOnce = () => send(target.redis)) =>
      isReplicated ? target.replicate(sendOnce, isReplicated) : sendOnce();
    const sendAndFollow = () =>
      sendTo(primary).catch(async (error: unknown) => {
        const target = await this.#targetOf(error, key);
        return sendTo(target, () => {
          target.redis.asking().catch(() => undefined); // the next reply says more
          return send(target.redis);
        });
      });
    try {
      return await this.observe(script, () => primary.watch(sendAndFollow), observer, primary);
    } catch (error) {
      if (error instanceof NotReplicatedError) void this.#measure(primary);
      throw error;
    } finally {
      if (primary.acknowledging !== this.#acknowledging) this.#reportReplicas();
    }
  }

  /** Reports the trip of a command that is sent on behalf of a request, and writes it together with others. */
  async observe<Reply>(
    script: string,
    send: () => Promise<Reply>,
    observer: RedisObserver | undefined,
    primary = this.#primaries.values().next().value,
  ): Promise<Reply> {
    const startedAt = performance.now();
    let error: string | undefined;
    for (const each of this.#primaries.values()) if (each.isUsable) each.batch();
    try {
      return await send();
    } catch (cause) {
      error = errorTypeOf(cause);
      throw cause;
    } finally {
      const { purpose } = this.#options;
      const endedAt = performance.now();
      const server = primary && this.#form.serverOf(primary.redis);
      if (server) observer?.askedRedis({ purpose, script, server, startedAt, endedAt, error });
    }
  }

  /** Sends nothing more to the primary of a key, or to any, until a new connection to it has passed the test. */
  suspend(error: unknown, key?: string): void {
    const primary = key === undefined ? undefined : this.#primaryOf(key);
    for (const each of primary ? [primary] : this.#primaries.values()) this.#suspend(each, error);
  }

  /** Logs that Redis is unavailable: once per outage, and whenever the test finds another reason. */
  reportOutage(error: unknown, key: string): void {
    this.#reportOutage(this.#form.primaryOf(key) ?? this.redis, error);
  }

  /** Logs that Redis is available again, if it was not. */
  reportRecovery(key: string): void {
    this.#outages.end(this.#form.primaryOf(key) ?? this.redis);
  }

  /** A key that the primary has, for its test. Throws an UnsuitableRedisError if it has none: a Cluster may have moved its slots away. */
  keyOf({ redis }: Primary, prefix: string): string {
    for (let number = 0; number < MAX_KEYS_TRIED; number += 1)
      if (this.#form.primaryOf(`${prefix}${number}`) === redis) return `${prefix}${number}`;
    throw new UnsuitableRedisError('expected a primary with slots, got one without');
  }

  /** Waits for the commands in flight. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#recheck);
    const isConnected = [...this.#primaries.values()].some(({ isUsable }) => isUsable);
    const quit = isConnected && this.redis.quit().catch(() => undefined);
    await Promise.race([quit, sleep(UNWATCHED_MS, undefined, { ref: false })]);
    this.redis.disconnect();
  }

  /** Reports what the client says, or why it cannot connect where it keeps that to itself; nothing if Redis is back by then. */
  async #onError(error: Error): Promise<void> {
    const problem = this.#form.problemOf(error);
    if (problem) this.#opening?.reject(problem);
    const explanation = problem || this.#outages.has(this.redis) ? undefined : this.#form.explain(error);
    const explained = explanation && (await explanation);
    if (explanation && this.isUsable) return;
    this.#reportOutage(this.redis, problem ?? explained ?? error);
  }

  #primaryOf(key: string): Primary | undefined {
    const redis = this.#form.primaryOf(key);
    return redis && this.#primaries.get(redis);
  }

  /** Where the slot of a key is now, or where it is moved to. Nothing says over which connection the client's own commands go. */
  async #targetOf(error: unknown, key: string): Promise<Primary> {
    const [, address] = /^(?:MOVED|ASK) \d+ (\S+)$/.exec((error as Error).message) ?? [];
    if (address === undefined || this.#options.address.form !== 'cluster') throw error;
    const connecting = this.redis.exists(key).catch(() => undefined); // connects the client to the target
    await Promise.race([connecting, sleep(UNWATCHED_MS, undefined, { ref: false })]);
    this.#updatePrimaries();
    const target = [...this.#primaries.values()].find(({ redis }) => {
      const server = this.#form.serverOf(redis);
      return `${server.address}:${server.port}` === address;
    });
    await target?.test;
    if (!target?.isUsable) throw new NotSentError('Redis is unavailable', { cause: error });
    return target;
  }

  #updatePrimaries(): void {
    const current = new Set(this.#form.primaries());
    for (const redis of this.#primaries.keys()) {
      if (current.has(redis)) continue;
      this.#primaries.delete(redis);
      // Its keys are at another primary now, which may not be tested yet.
      this.#outages.move(redis, this.redis);
    }
    for (const redis of current) if (!this.#primaries.has(redis)) this.#addPrimary(redis);
    this.#settle();
  }

  #addPrimary(redis: Redis): void {
    const primary = new Primary(redis, this.#form.countReplicas);
    this.#primaries.set(redis, primary);
    const listen = (event: string, listener: (error: Error) => void) =>
      redis.on(event, (error: Error) => {
        if (this.#primaries.get(redis) === primary) listener(error);
      });
    listen('connect', () => primary.expectReply());
    listen('ready', () => this.#test(primary));
    listen('close', () => this.#suspend(primary, 'Connection closed'));
    if (redis === this.redis) return; // `open` connects it
    listen('error', (error) => this.#reportOutage(redis, error));
    if (redis.status === 'ready') this.#test(primary);
    if (redis.status === 'wait') redis.connect().catch(() => undefined); // its events say so
  }

  #test(primary: Primary): void {
    const { stream } = primary.redis;
    primary.isUsable = undefined;
    primary.test = this.#runTest(primary).then(
      () => {
        if (primary.redis.stream !== stream) return; // the check of a newer connection is running
        primary.isUsable = true;
        if (primary.missingReplicas === undefined) this.#outages.end(primary.redis);
        this.#settle();
        this.#reportReplicas();
      },
      (error: unknown) => {
        if (error instanceof MisconfiguredRedisError && this.#opening) this.#opening.reject(error);
        else this.#suspend(primary, error);
      },
    );
  }

  async #runTest(primary: Primary): Promise<void> {
    await primary.readInfo();
    const problem = this.#form.problemOf(primary.info);
    if (problem) throw problem;
    await this.#options.test(primary);
    const { master_replid: id, master_replid2: secondId = '' } = primary.info;
    if (id === undefined || this.#replicationIds.has(id)) return;
    if (this.#replicationIds.has(secondId))
      this.#options.observer?.onRedisFailover(this.#form.serverOf(primary.redis));
    this.#replicationIds.add(id);
  }

  async #testReplicas(): Promise<void> {
    const { testReplica } = this.#options;
    if (!testReplica) return;
    const test = async (redis: Redis) => {
      try {
        testReplica(await readInfo(redis));
      } catch (error) {
        if (error instanceof MisconfiguredRedisError) throw error;
      } finally {
        redis.disconnect();
      }
    };
    await Promise.all((await this.#form.replicas()).map(test));
  }

  /**
   * Counts the replicas again from time to time. After a pause, commands wait for it: the primary may have been replaced meanwhile, and
   * not know it.
   */
  #remeasure(primary: Primary): void {
    const age = performance.now() - primary.measuredAt;
    const intervalMs = primary.hasReplicas ? RECHECK_MS : ALONE_RECHECK_MS;
    if (age <= intervalMs) return;
    const measurement = this.#measure(primary).finally(() => (primary.measurement = undefined));
    if (primary.hasReplicas && age > 2 * RECHECK_MS) primary.measurement = measurement;
  }

  /** Counts the replicas again. */
  async #measure(primary: Primary): Promise<void> {
    const wereMissing = primary.missingReplicas !== undefined;
    try {
      await primary.readInfo();
      await primary.updateReplicas();
    } catch (error) {
      if (error instanceof UnsuitableRedisError) this.#suspend(primary, error);
      return; // the next command finds out what happened
    }
    const { missingReplicas } = primary;
    if (missingReplicas !== undefined)
      this.#reportOutage(primary.redis, new UnsuitableRedisError(missingReplicas));
    else if (wereMissing) this.#outages.end(primary.redis);
    this.#settle();
    this.#reportReplicas();
  }

  #suspend(primary: Primary, error: unknown): void {
    primary.isUsable = false;
    this.#reportOutage(primary.redis, error);
    this.#settle();
  }

  /** Once it is known whether each primary is usable: reports it, and tries again if one is not. */
  #settle(): void {
    const primaries = [...this.#primaries.values()];
    if (primaries.length === 0 || primaries.some(({ isUsable }) => isUsable === undefined)) return;
    this.#opening?.resolve();
    const { isUsable } = this;
    const isHealthy = isUsable && primaries.every(({ missingReplicas }) => missingReplicas === undefined);
    if (isHealthy && this.#options.address.form === 'cluster') this.#outages.end(this.redis);
    if (isUsable !== this.#wasUsable && !this.#isClosing) this.#options.onUsable?.(isUsable);
    this.#wasUsable = isUsable;
    if (!isHealthy) this.#recheckLater();
  }

  #recheckLater(): void {
    if (this.#isClosing) return;
    this.#recheck ??= setTimeout(() => {
      this.#recheck = undefined;
      for (const primary of this.#primaries.values()) {
        if (primary.missingReplicas !== undefined) void this.#measure(primary);
        // Otherwise it is connecting again by itself.
        if (primary.isUsable === false && primary.redis.status === 'ready') primary.redis.disconnect(true);
      }
      this.#form.search();
      this.#settle();
    }, RECHECK_MS).unref();
  }

  #reportReplicas(): void {
    const usable = [...this.#primaries.values()].filter(({ isUsable }) => isUsable);
    const replicas = Math.min(...usable.map(({ acknowledging }) => acknowledging));
    if (usable.length === 0 || replicas === this.#acknowledging) return;
    this.#acknowledging = replicas;
    this.#options.observer?.onReplicasAcknowledge({ replicas });
  }

  #reportOutage(source: Redis | Cluster, error: unknown): void {
    if (!this.#isClosing) this.#outages.report(source, error);
  }
}
