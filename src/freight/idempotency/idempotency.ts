/**
 * At most one write per idempotency key within the retention, as far as the store keeps its data. A key is claimed before
 * the first byte is sent, and released only by its owner, when the write was definitely not applied. A repeat may send a PUT or
 * DELETE of unknown outcome again, one repeat at a time.
 */
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { canonicalJson } from '../../domain/json.js';
import { creationTimeOf, MAX_KEY_LEAD_MS } from '../../domain/parameters.js';
import { NotAcknowledgedError, type RedisAddress } from '../../redis/address.js';
import { lowerCase, type KeyedMutationResult, type Telemetry } from '../../telemetry/events.js';
import type { RequestClient } from '../restCall.js';
import { isIdempotent } from '../operations.js';
import { Cancellation } from '../../transport/cancellation.js';
import { failures } from '../../failures.js';
import { GatewayError, withDetails } from '../../gatewayError.js';
import type { Applied, Write, WriteRequest, WriteSender } from '../write.js';
import {
  createMemoryStore,
  KeyShares,
  type Claim,
  type IdempotencyRecord,
  type IdempotencyStore,
  type RecordEnd,
  type StoreTimes,
} from './store.js';

export interface IdempotencyOptions {
  store: IdempotencyStore;
  retentionMs: number;
  /** Maximum new keys of a token, and of an address, within an hour. */
  keysPerHour: number;
  /** Origins of the service: gateways of other services may share the store, and do not share keys. */
  origins: readonly string[];
  telemetry: Telemetry;
  sender: WriteSender;
}

/** What a record counts for as a part of what the request reads; a key that waits for its lookup takes 195 bytes (measured). */
const RECORD_BYTES = 512;

/** Keys per command: Redis runs nothing else for the 0.2 ms that this many take (measured), and commands of others come in between. */
const KEYS_PER_LOOKUP = 100;

/** Time in milliseconds between attempts to record an outcome while the store fails. */
const RECORD_INTERVAL_MS = 500;

/** The record that this process owns while it sends a write. */
interface OwnedRecord {
  name: string;
  owner: string;
  /** For a new key, in case it leaves no record. Undefined if an earlier attempt has ended with an unknown outcome. */
  giveBack?: () => void;
}

export function createIdempotency({
  store,
  retentionMs,
  keysPerHour,
  origins,
  telemetry,
  sender,
}: IdempotencyOptions) {
  let isStopping = false;
  /** Writes in flight, and outcomes that are not recorded yet. */
  const running = new Set<Promise<unknown>>();
  const remember = <T>(result: Promise<T>): Promise<T> => {
    const forget = () => void running.delete(result);
    running.add(result);
    result.then(forget, forget);
    return result;
  };
  const shares = new KeyShares(keysPerHour);

  /** Why a key may only be repeated: a record of it may have existed and be gone by now, or the client has had its share of the store. */
  const rejectionOf = (key: string, client: RequestClient) => {
    const creationTime = creationTimeOf(key);
    const isExpired = creationTime !== undefined && Date.now() - creationTime > retentionMs;
    return isExpired ? new GatewayError('keyExpired') : shares.rejectionOf(client, store.room());
  };

  /** The record of an earlier attempt; undefined if there is none, and the key is claimed. */
  const claim = async ({ name, ...claim }: OwnedRecord & Claim, key: string, client: RequestClient) => {
    const rejection = rejectionOf(key, client);
    const found = rejection ? store.find([name]).then(([record]) => record) : store.claim(name, claim);
    const record = await failClosed(found);
    if (rejection && record === undefined) throw rejection;
    return record;
  };

  /**
   * Records how a write ended. If the store fails, it is recorded later: the client does not wait for that. What cannot be recorded within
   * the lease of the key stays STARTED, which becomes UNKNOWN: the safe error.
   */
  const record = async (
    change: () => Promise<boolean>,
    { client, field }: WriteRequest,
    onRecorded?: () => void,
  ): Promise<void> => {
    const leaseUntil = performance.now() + store.leaseMs;
    const reportLoss = (reason: string) => telemetry.recordLost({ ...client.ids, field, reason });
    const attempt = async (isFirst: boolean): Promise<void> => {
      try {
        if (await change()) onRecorded?.();
        else if (isFirst) reportLoss('The record is gone'); // later, one that failed may have recorded it
      } catch (error) {
        // The primary has one that was not acknowledged.
        const isFinal = error instanceof NotAcknowledgedError || isStopping || performance.now() > leaseUntil;
        if (isFinal) reportLoss((error as Error).message);
        else void remember(sleep(RECORD_INTERVAL_MS, undefined, { ref: false }).then(() => attempt(false)));
      }
    };
    await attempt(true);
  };

  const recordEffect = <Result>(
    write: Write<Result>,
    request: WriteRequest,
    { name, owner }: OwnedRecord,
    result: Result,
  ) => {
    const end: RecordEnd = { state: 'APPLIED', resultId: write.resultIdOf?.(result) };
    return record(() => store.finish(name, owner, end), request);
  };

  const sendOwned = async <Result>(
    write: Write<Result>,
    request: WriteRequest,
    { name, owner, giveBack }: OwnedRecord,
  ): Promise<Applied<Result>> => {
    let sent: Applied<Result>;
    try {
      sent = await sender.send(write, request, detached(request.client));
    } catch (error) {
      const isNotApplied = error instanceof GatewayError && error.outcome === 'NOT_APPLIED';
      if (isNotApplied) await record(() => store.release(name, owner), request, giveBack);
      else await record(() => store.finish(name, owner, { state: 'UNKNOWN' }), request);
      throw isNotApplied && giveBack === undefined ? asFailedRepeat(error) : error;
    }
    await recordEffect(write, request, { name, owner }, sent.result);
    return sent;
  };

  /** Repeats a write of unknown outcome: where that is safe, and the state that it asks for is not there. */
  const repeat = async <Result>(
    write: Write<Result>,
    request: WriteRequest,
    { name, owner, ageMs }: OwnedRecord & Pick<IdempotencyRecord, 'ageMs'>,
  ): Promise<Applied<Result>> => {
    if (!isIdempotent(request.operation))
      throw new GatewayError('keyOutcomeUnknown', {
        candidates: await sender.findCandidates(write, request, request.client, ageMs),
      });
    const isResumed = await failClosed(store.resume(name, owner)).catch((error: unknown) => {
      throw error instanceof GatewayError ? asFailedRepeat(error) : error;
    });
    if (!isResumed) throw new GatewayError('keyInProgress'); // another repeat was faster
    const found = await sender.findEffect(write, request, detached(request.client));
    if (found === undefined) return sendOwned(write, request, { name, owner });
    await recordEffect(write, request, { name, owner }, found);
    return { result: found, evidence: 'READ_BACK' };
  };

  const sendOnce = async <Result>(
    write: Write<Result>,
    request: WriteRequest,
    key: string,
  ): Promise<Applied<Result>> => {
    const { client, field, args, operation } = request;
    let ended: KeyedMutationResult = 'applied';
    try {
      const owned = { name: recordName([...origins, key]), owner: randomUUID() };
      // With the key, so that likely arguments cannot be tried out against it.
      const fingerprint = digestOf([key, canonicalJson(args)]);
      const earlier = await claim({ ...owned, field, fingerprint }, key, client);
      if (earlier === undefined)
        return await sendOwned(write, request, { ...owned, giveBack: shares.take(client) });
      if (earlier.field !== field || earlier.fingerprint !== fingerprint) throw new GatewayError('keyReused');
      if (earlier.state === 'STARTED') throw new GatewayError('keyInProgress');
      if (earlier.state === 'UNKNOWN')
        return await repeat(write, request, { ...owned, ageMs: earlier.ageMs });
      const result = await sender.replay(write, client, earlier.resultId);
      ended = 'replayed';
      return { result, evidence: 'REPLAY' };
    } catch (error) {
      ended = resultOf(error);
      throw isIdempotent(operation) ? withDetails(error, { isSafeToRepeat: true }) : error;
    } finally {
      telemetry.keyedMutationEnded({ ...client.ids, field, result: ended });
    }
  };

  return {
    /** Sends a write unless an earlier attempt with its key may have been applied; a PUT or DELETE also on a repeat of such an attempt. */
    sendOnce: <Result>(write: Write<Result>, request: WriteRequest, key: string) =>
      remember(sendOnce(write, request, key)),
    /** The records of keys, in their order; undefined for each key that has none. */
    async findRecords(keys: readonly string[], client: RequestClient) {
      const distinct = [...new Set(keys)];
      await client.reading.add(keys.length * RECORD_BYTES);
      const found = new Map<string, IdempotencyRecord | undefined>();
      for (let start = 0; start < distinct.length; start += KEYS_PER_LOOKUP) {
        const part = distinct.slice(start, start + KEYS_PER_LOOKUP);
        const lookup = store.find(part.map((key) => recordName([...origins, key])));
        const records = await failClosed(lookup, 'Idempotency keys cannot be looked up at the moment');
        for (const [index, key] of part.entries()) found.set(key, records[index]);
      }
      return keys.map((key) => found.get(key));
    },
    /**
     * For the shutdown. Resolves once the outcomes of all writes are recorded, also for clients that have disconnected; it does not
     * wait for a store that is down.
     */
    async settled(): Promise<void> {
      isStopping = true;
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

export interface IdempotencyStoreOptions extends StoreTimes {
  kind: 'redis' | 'memory' | 'off';
  /** Required for `redis`. */
  redisUrl: RedisAddress | undefined;
  /** How many replicas must have what Redis records. */
  replicas: number;
  log: Logger;
  telemetry: Telemetry;
}

/**
 * Creates the store that the configuration asks for; undefined if keys are rejected. Rejects with a MisconfiguredRedisError; a Redis that is
 * down is no reason not to start.
 */
export async function createIdempotencyStore({
  kind,
  redisUrl,
  replicas,
  log,
  telemetry,
  ...options
}: IdempotencyStoreOptions): Promise<IdempotencyStore | undefined> {
  // A record must not expire before its key does, by a clock that is ahead, nor while its call is in flight: a repeat would be sent.
  const { leaseMs } = options;
  const times = { ...options, retentionMs: Math.max(options.retentionMs + MAX_KEY_LEAD_MS, leaseMs) };
  if (kind === 'memory') return createMemoryStore(times);
  if (kind === 'off' || redisUrl === undefined) return undefined;
  const { openRedisStore } = await import('./redisStore.js'); // loads the Redis client
  return openRedisStore({ address: redisUrl, replicas, log, telemetry, ...times });
}

/**
 * The name of the record of a key: the same key may be used once with each service. The store holds digests, from which neither keys
 * nor arguments can be read or guessed.
 */
function recordName(scopeAndKey: readonly string[]): string {
  return digestOf(scopeAndKey);
}

function digestOf(parts: readonly string[]): string {
  return hash('sha256', parts.join(' '), 'base64url');
}

/** The reader of a read-back: what is recorded for a key must not depend on whether the client is still there. */
function detached(client: RequestClient): RequestClient {
  return { ...client, cancellation: new Cancellation() };
}

/** Without the store's response nothing is known about a key, so nothing is sent. */
function failClosed<T>(response: Promise<T>, message?: string): Promise<T> {
  return response.catch((cause: unknown) => {
    throw new GatewayError('keyNotRecorded', { cause, message });
  });
}

/** The repeat of a write of unknown outcome was surely not applied, but an earlier attempt may have been. */
function asFailedRepeat(error: GatewayError): GatewayError {
  return error.withOutcome('UNKNOWN');
}

function resultOf(error: unknown): KeyedMutationResult {
  if (!(error instanceof GatewayError)) return lowerCase('UNKNOWN');
  const { failure, outcome } = error;
  const meaning = failures[failure];
  // A repeat that failed has the outcome of the earlier attempt, whatever stopped it.
  return 'keyResult' in meaning && outcome === meaning.outcome ? meaning.keyResult : lowerCase(outcome);
}
