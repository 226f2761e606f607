/** A primary, and which of its replicas have what was written to it. */
import type { Redis } from 'ioredis';

/** Redis can be reached but must not be used until its operator has changed something, which the log says during an outage too. */
export class UnsuitableRedisError extends Error {
  override readonly name: string = 'UnsuitableRedisError';
}

/** The gateway must not start with this Redis: it is of another form than REDIS_URL says, or could lose keys. */
export class MisconfiguredRedisError extends UnsuitableRedisError {
  override readonly name = 'MisconfiguredRedisError';
}

/** The command was not sent. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

/** The primary did what the command says, and too few replicas have it. */
export class NotReplicatedError extends Error {
  override readonly name = 'NotReplicatedError';
}

/** What INFO says, by name; empty if Redis forbids INFO. */
export type Info = Partial<Record<string, string>>;

export interface Replicas {
  /** Replicas that receive what is written: those that the primary lists as online. */
  online: number;
  /** Replicas that had to acknowledge until now. */
  required: number;
}

/**
 * How many replicas could be promoted in place of a primary. Rejects with an UnsuitableRedisError if another primary has
 * replaced it.
 */
export type CountReplicas = (primary: Primary, info: Info, replicas: Replicas) => Promise<number>;

/**
 * Time in milliseconds that replicas have to acknowledge. A claim may arrive while an earlier one waits, and Redis runs nothing of a
 * connection that waits: twice this is at most the time of a command.
 */
const WAIT_MS = 450;

/** Interval in milliseconds of the checks whether Redis has sent anything. After two in a row without, its connection is closed. */
const SILENCE_MS = 500;

export class Primary {
  /** Whether its connection has passed the test and was not suspended since; undefined until the test is over. */
  isUsable: boolean | undefined;
  /** Ends with the test of the current connection, however it ends. */
  test: Promise<void> | undefined;
  info: Info = {};
  /** Of performance.now(). */
  measuredAt = -Infinity;
  /** What commands have to wait for. Never rejects. */
  measurement: Promise<void> | undefined;
  /** Replicas that acknowledged last, of those that had to. */
  acknowledging = 0;
  #replicas: Replicas = { online: 0, required: 0 };
  /** Whether the last acknowledgement was missing. */
  #isBehind = false;
  #runId: string | undefined;
  /** Commands in flight. */
  #inFlight = 0;
  #watchdog: NodeJS.Timeout | undefined;
  /** The connection that was closed because Redis was silent. */
  #silent: Redis['stream'] | undefined;
  #tickEnd: Promise<unknown> = Promise.resolve();
  /** The WAIT that Redis executes, and the one that will cover what is sent until then. */
  #wait: Promise<unknown> | undefined;
  #nextWait: Promise<string | undefined> | undefined;

  constructor(
    readonly redis: Redis,
    private readonly countReplicas: CountReplicas,
  ) {}

  async readInfo(): Promise<void> {
    this.measuredAt = performance.now();
    this.info = await this.watch(() => readInfo(this.redis));
  }

  /**
   * Sends commands, and closes the connection if Redis is silent while they are in flight. A reply that has arrived while this process
   * was busy counts, which the timeouts of the client would not see.
   */
  async watch<Reply>(send: () => Promise<Reply>): Promise<Reply> {
    const { stream } = this.redis;
    this.#inFlight += 1;
    this.expectReply();
    try {
      return await send();
    } catch (error) {
      throw stream === this.#silent ? new Error('Redis timed out', { cause: error }) : error;
    } finally {
      this.#inFlight -= 1;
    }
  }

  /** Closes the connection if Redis is silent while commands are in flight, or while the connection opens. */
  expectReply(): void {
    if (this.#watchdog === undefined) this.#listen();
  }

  #listen(wasSilent = false): void {
    const { stream } = this.redis;
    const { bytesRead } = stream;
    const check = () => {
      this.#watchdog = undefined;
      if (this.#inFlight === 0 && this.redis.status !== 'connect') return;
      const isSilent = this.redis.stream === stream && stream.bytesRead === bytesRead;
      if (isSilent && wasSilent) {
        this.#silent = stream;
        stream.destroy(new Error('Redis timed out'));
      }
      this.#listen(isSilent);
    };
    this.#watchdog = setTimeout(() => setImmediate(check), SILENCE_MS).unref(); // what has arrived is read in between
  }

  /**
   * Finds out how many replicas have to acknowledge, from the last INFO: all that are online. One that is gone is still required if it
   * could be promoted, since the primary may have been replaced, and not know it; so is, of a primary that is new, one that has yet to
   * connect.
   */
  async updateReplicas(): Promise<void> {
    const { info } = this;
    if (info['role'] === 'slave') throw new UnsuitableRedisError('expected a primary, got a replica');
    if (info['run_id'] !== this.#runId) this.#replicas = { online: 0, required: 0 };
    this.#runId = info['run_id'];
    const online = Object.entries(info).filter(([name, text]) => isOnlineReplica(name, text)).length;
    const { required } = this.#replicas;
    const promotable = await this.countReplicas(this, info, { online, required });
    if (this.info !== info) return; // read again meanwhile, perhaps over another connection
    const expected = required === 0 ? promotable : Math.max(1, online, required);
    this.#replicas = { online, required: Math.min(expected, promotable) };
    if (!this.#isBehind) this.acknowledging = Math.min(online, this.#replicas.required);
    this.#isBehind = false;
  }

  get hasReplicas(): boolean {
    return this.#replicas.required > 0;
  }

  /** Why nothing can be acknowledged: replicas that have to are not connected. */
  get missingReplicas(): string | undefined {
    const { online, required } = this.#replicas;
    return online < required
      ? `expected ${replicasOf(required)} to be connected, got ${online}: a failover could lose keys`
      : undefined;
  }

  /**
   * Writes the commands of all requests that this tick of the event loop serves together, at its end: one system call for each would
   * take a sixth of the CPU of a mutation with a key, and wake Redis as often.
   */
  batch(): void {
    const { stream } = this.redis;
    if (stream.writableCorked > 0) return;
    stream.cork();
    this.#tickEnd = new Promise<void>((resolve) => {
      setImmediate(() => {
        resolve();
        queueMicrotask(() => stream.uncork()); // after the WAIT that `resolve` sends
      });
    });
  }

  /**
   * Sends a command in a batch, and resolves with its reply once the replicas have what it changed. `isChange` says by the reply
   * whether it changed something.
   */
  async replicate<Reply>(send: () => Promise<Reply>, isChange: (reply: Reply) => boolean): Promise<Reply> {
    if (!this.hasReplicas) return send();
    if (this.missingReplicas !== undefined) throw new NotSentError(this.missingReplicas);
    const { stream } = this.redis;
    let hasReplied = false;
    // Of a script that Redis had forgotten (NOSCRIPT), the reply comes after that to WAIT, which did not cover it then.
    const problem = this.#acknowledgement().then(
      async (shortfall) => {
        await new Promise<void>((resolve) => process.nextTick(resolve));
        return shortfall ?? (hasReplied && this.redis.stream === stream ? undefined : 'WAIT came too early');
      },
      (error: unknown) => (error as Error).message,
    );
    const reply = await send();
    hasReplied = true;
    if (!isChange(reply)) return reply;
    const reason = await problem;
    if (reason !== undefined) throw new NotReplicatedError(reason);
    return reply;
  }

  /**
   * Resolves with what is wrong if the replicas do not have all that this connection has sent by the end of the tick. Redis runs
   * nothing of a connection that waits, so one WAIT is sent at a time, and covers what was sent since the one before.
   */
  #acknowledgement(): Promise<string | undefined> {
    this.#nextWait ??= (this.#wait ?? this.#tickEnd).then(() => {
      this.#nextWait = undefined;
      const shortfall = this.#sendWait();
      const ended = shortfall.then(noop, noop).then(() => {
        if (this.#wait === ended) this.#wait = undefined;
      });
      this.#wait = ended;
      return shortfall;
    });
    return this.#nextWait;
  }

  async #sendWait(): Promise<string | undefined> {
    const { required } = this.#replicas;
    const count = await this.redis.wait(required, WAIT_MS);
    this.acknowledging = Math.min(count, required);
    if (count >= required) return undefined;
    this.#isBehind = true;
    return `expected ${replicasOf(required)} to acknowledge, got ${count}`;
  }
}

function replicasOf(count: number): string {
  return count === 1 ? '1 replica' : `${count} replicas`;
}

function isOnlineReplica(name: string, text = ''): boolean {
  return /^slave\d+$/.test(name) && /\bstate=online\b/.test(text);
}

/** Hosted ones forbid CONFIG more often than INFO. */
export async function readInfo(redis: Redis): Promise<Info> {
  try {
    const text: unknown = await redis.info(); // of a proxy it may be anything
    // The lines are `name:value`; those that start with # are headings.
    const lines = String(text).matchAll(/^(\w+):(.*?)\r?$/gm);
    return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
  } catch (error) {
    if (!(error instanceof Error && error.name === 'ReplyError')) throw error;
    if (error.message.startsWith('NOPERM')) return {};
    throw new UnsuitableRedisError(error.message, { cause: error }); // such as NOAUTH
  }
}

function noop(): void {
  // The next WAIT may be sent, however this one ended.
}
