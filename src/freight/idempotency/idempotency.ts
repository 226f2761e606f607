/**
 * At most one write per idempotency key within the retention, as far as the store keeps its data. A key is claimed before
 * the first byte is sent, and released only by its owner, when the write was definitely not applied. A *repeat* is a later request of the
 * client with the same key. It *replays* the result of a write that was applied, or *resumes* the record of a PUT or DELETE of unknown
 * outcome, to send it again: one repeat at a time.
 */
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'safe-stable-stringify';
import { creationTimeOf, MAX_KEY_LEAD_MS } from '../../domain/parameters.js';
import { NotAcknowledgedError, type RedisAddress } from '../../redis/address.js';
import { keyedResultOf, type Telemetry } from '../../telemetry/events.js';
import type { RequestClient } from '../restCall.js';
import { isIdempotent } from '../operations.js';
import { GatewayError, withDetails, type FailureDetails } from '../../gatewayError.js';
import type { Applied, Write, WriteRequest, WriteSender } from '../write.js';
import type { RedisStoreOptions } from './redisStore.js';
import {
  createMemoryStore,
  createKeyCounts,
  type FoundRecord,
  type IdempotencyStore,
  type KeyCount,
  type StoredRecord,
} from './store.js';

export interface IdempotencyStoreOptions extends Omit<RedisStoreOptions, 'address'> {
  kind: 'redis' | 'memory' | 'off';
  /** Required for `redis`. */
  redisUrl: RedisAddress | undefined;
}

/** Undefined if keys are rejected. Rejects with a MisconfiguredRedisError; a Redis that is down does not prevent the start. */
export async function createIdempotencyStore({
  kind,
  redisUrl: address,
  ...options
}: IdempotencyStoreOptions): Promise<IdempotencyStore | undefined> {
  if (kind === 'memory') return createMemoryStore();
  if (kind === 'off' || address === undefined) return undefined;
  const { openRedisStore } = await import('./redisStore.js'); // loads the Redis client
  return openRedisStore({ ...options, address });
}

export interface IdempotencyOptions {
  store: IdempotencyStore;
  /** Time after which a call in flight counts as abandoned. */
  leaseMs: number;
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

/** Share of the remaining capacity that a token or an address may take. */
const MAX_SHARE = 1 / 4;

/** Time in milliseconds between attempts to record an outcome while the store fails. */
const RECORD_INTERVAL_MS = 500;

/** A write with a key, and the record of the key, which this process owns while it sends the write. */
interface KeyedWrite<Result = unknown> {
  readonly write: Write<Result>;
  readonly request: WriteRequest;
  readonly key: string;
  readonly name: string;
  record: StoredRecord;
  /** The counts of its client that have the key, if it is new: undefined if an earlier request has ended with an unknown outcome. */
  countedIn?: readonly KeyCount[];
}

export function createIdempotency(options: IdempotencyOptions) {
  const { store, leaseMs, retentionMs, keysPerHour, origins, telemetry, sender } = options;
  const countsOf = createKeyCounts();
  // A record must not expire before its key does, by a clock that is ahead, nor while its call is in flight: a repeat would be sent.
  const recordMs = Math.max(retentionMs + MAX_KEY_LEAD_MS, leaseMs);
  let isStopping = false;
  /** Writes in flight, and outcomes that are not recorded yet. */
  const running = new Set<Promise<unknown>>();
  const remember = <T>(result: Promise<T>): Promise<T> => {
    const forget = () => void running.delete(result);
    running.add(result);
    result.then(forget, forget);
    return result;
  };

  /** A key may be used once with each service. The store holds digests: neither keys nor arguments can be read or guessed from them. */
  const scope = origins.join(' ');
  const recordName = (key: string) => digestOf(`${scope} ${key}`);

  const sendOnce = async <Result>(
    write: Write<Result>,
    request: WriteRequest,
    key: string,
  ): Promise<Applied<Result>> => {
    const { client, field, args, operation } = request;
    const record: StoredRecord = {
      owner: randomUUID(),
      state: 'STARTED',
      leaseEndMs: recordMs - leaseMs,
      retentionMs: recordMs,
      field,
      // With the key, so that likely arguments cannot be tried out against it.
      fingerprint: digestOf(`${key} ${stringify(args)}`),
    };
    const keyed: KeyedWrite<Result> = { write, request, key, name: recordName(key), record };
    let ended = 'applied';
    try {
      const found = await claim(keyed);
      if (found === undefined) return await send(keyed);
      const { record: earlier, state } = found;
      if (earlier.field !== field || earlier.fingerprint !== record.fingerprint)
        throw new GatewayError('keyReused');
      if (state === 'STARTED') throw new GatewayError('keyInProgress');
      if (state === 'UNKNOWN') return await repeat(keyed, found);
      ended = 'replayed';
      return { result: await sender.replay(write, client, earlier.resultId), evidence: 'REPLAY' };
    } catch (error) {
      ended = resultOf(error);
      throw isIdempotent(operation) ? withDetails(error, { isSafeToRepeat: true }) : error;
    } finally {
      telemetry.keyedMutationEnded({ ...client.ids, field, result: ended });
    }
  };

  /**
   * Why a key cannot be claimed: its record may have expired, or the client has used up its share. Claims in flight do not count, because most
   * of them may be repeats.
   */
  const rejectionOf = (key: string, counts: readonly KeyCount[]): GatewayError | undefined => {
    if (Date.now() - (creationTimeOf(key) ?? Infinity) > retentionMs) return new GatewayError('keyExpired');
    const share = Math.max(1, Math.min(keysPerHour, Math.floor(store.room() * MAX_SHARE)));
    const full = counts.find(({ keys }) => keys >= share);
    if (full === undefined) return undefined;
    return new GatewayError('tooManyKeys', {
      retryAfterSeconds: Math.ceil((full.endsAt - performance.now()) / 1000),
    });
  };

  /** The record of an earlier request; undefined if there is none, and the key is claimed. */
  const claim = async (keyed: KeyedWrite): Promise<FoundRecord | undefined> => {
    const { request, key, name, record } = keyed;
    const counts = countsOf(request.client);
    const rejection = rejectionOf(key, counts);
    const found = await failClosed(rejection ? store.find(name) : store.add(name, record));
    if (found) return found;
    if (rejection) throw rejection;
    for (const count of counts) count.keys += 1;
    keyed.countedIn = counts;
    return undefined;
  };

  const send = async <Result>(keyed: KeyedWrite<Result>): Promise<Applied<Result>> => {
    const { write, request, countedIn } = keyed;
    let applied: Applied<Result>;
    try {
      applied = await sender.send(write, request);
    } catch (error) {
      const isNotApplied = error instanceof GatewayError && error.outcome === 'NOT_APPLIED';
      await record(keyed, isNotApplied && countedIn ? undefined : { state: 'UNKNOWN' });
      // The repeat of a write of unknown outcome was surely not applied, but an earlier request may have been.
      throw isNotApplied && countedIn === undefined ? error.withOutcome('UNKNOWN') : error;
    }
    await recordEffect(keyed, applied.result);
    return applied;
  };

  /** Repeats a write of unknown outcome: where that is safe, and the state that it asks for is not there. */
  const repeat = async <Result>(
    keyed: KeyedWrite<Result>,
    { record: earlier, leftMs }: FoundRecord,
  ): Promise<Applied<Result>> => {
    const { write, request, name, record } = keyed;
    const ageMs = earlier.retentionMs - leftMs;
    if (!isIdempotent(request.operation)) {
      const { candidates } = await sender.readBack(write, request, ageMs);
      throw new GatewayError('keyOutcomeUnknown', { candidates });
    }
    keyed.record = { ...earlier, owner: record.owner, state: 'STARTED', leaseEndMs: leftMs - leaseMs };
    const resumed = store.replace(name, earlier, keyed.record);
    const isResumed = await failClosed(resumed, { outcome: 'UNKNOWN' });
    if (!isResumed) throw new GatewayError('keyInProgress'); // another repeat was faster
    const { result } = await sender.readBack(write, request, ageMs);
    if (result === undefined) return send(keyed);
    await recordEffect(keyed, result);
    return { result, evidence: 'READ_BACK' };
  };

  const recordEffect = <Result>(keyed: KeyedWrite<Result>, result: Result) =>
    record(keyed, { state: 'APPLIED', resultId: keyed.write.resultIdOf?.(result) });

  /**
   * Records how a write ended, or removes the record of one that was not applied. If the store fails, it is recorded later: the client does
   * not wait for that. What cannot be recorded within the lease of the key stays STARTED, which becomes UNKNOWN: the safe error.
   */
  const record = async (
    keyed: KeyedWrite,
    end: Pick<StoredRecord, 'state' | 'resultId'> | undefined,
    leaseUntil = performance.now() + leaseMs,
    isFirst = true,
  ): Promise<void> => {
    const { name, record: started, countedIn = [], request } = keyed;
    const reportLoss = (reason: string) =>
      telemetry.recordLost({ ...request.client.ids, field: request.field, reason });
    try {
      const isRecorded = await store.replace(name, started, end && { ...started, ...end });
      if (isRecorded && end === undefined) for (const count of countedIn) count.keys -= 1;
      if (!isRecorded && isFirst) reportLoss('The record is gone'); // later, one that failed may have recorded it
    } catch (error) {
      // The primary has one that was not acknowledged.
      const isFinal = error instanceof NotAcknowledgedError || isStopping || performance.now() > leaseUntil;
      if (isFinal) {
        reportLoss((error as Error).message);
        return;
      }
      const pause = sleep(RECORD_INTERVAL_MS, undefined, { ref: false });
      void remember(pause.then(() => record(keyed, end, leaseUntil, false)));
    }
  };

  return {
    /** Sends a write unless an earlier request with its key may have been applied. A repeat may send a PUT or DELETE even then. */
    sendOnce: <Result>(write: Write<Result>, request: WriteRequest, key: string) =>
      remember(sendOnce(write, request, key)),
    /** The records of keys, in their order; undefined for each key that has none. */
    async findRecords(keys: readonly string[], client: RequestClient) {
      client.memory.add(keys.length * RECORD_BYTES);
      await client.memory.hold();
      const message = 'Idempotency keys cannot be looked up at the moment';
      return failClosed(Promise.all(keys.map((key) => store.find(recordName(key)))), { message });
    },
    /** Resolves once the outcomes of all writes are recorded, also of clients that disconnected; does not wait for a store that is down. */
    async settled(): Promise<void> {
      isStopping = true;
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Without the store's response nothing is known about a key, so nothing is sent. */
function failClosed<T>(response: Promise<T>, details?: FailureDetails): Promise<T> {
  return response.catch((cause: unknown) => {
    throw new GatewayError('keyNotRecorded', { cause, ...details });
  });
}

function resultOf(error: unknown): string {
  if (!(error instanceof GatewayError)) return keyedResultOf('UNKNOWN');
  const { failure, outcome, meaning } = error;
  const isOfKey = meaning.code.startsWith('IDEMPOTENCY_') || failure === 'tooManyKeys';
  // A repeat that failed has the outcome of the earlier request, whatever stopped it.
  return keyedResultOf(isOfKey && outcome === meaning.outcome ? meaning.code : outcome);
}
