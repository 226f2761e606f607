/** Sends writes, and makes their effect certain: a write of unknown outcome is read back. It is not sent again. */
import type { GatewayErrorExtensions, WriteOutcome } from '../errors.js';
import type { NotificationRecord } from './contract.js';
import type { MakeCall, RequestClient } from './restCall.js';
import type { NotificationReader } from './notificationReader.js';
import type { Confirmation, WriteOperation } from './operations.js';
import type { ReadBackResult, Telemetry } from '../telemetry/events.js';
import type { OutcomeEvidence } from '../generated/enums.js';
import { Cancellation } from '../transport/cancellation.js';
import { GatewayError, type NamedNotification, type ServiceMessage } from '../gatewayError.js';

export interface Applied<Result> {
  readonly result: Result;
  readonly evidence: Exclude<OutcomeEvidence, 'NOT_SENT'>;
}

/** The reads that a write may make, for a client and until a deadline on the clock of performance.now(). It cannot send anything. */
export interface Reads {
  readonly notifications: NotificationReader;
  readonly client: RequestClient;
  readonly deadline: number;
}

/**
 * A write with the arguments of a request: the reads before and after the call of its operation, and the result. It has no state: the
 * result of `prepare` is passed on to the other steps. `readBack` of the operation names the kind of its read-back.
 */
export interface Write<Result, Parameters = unknown, Parsed = never> {
  /** The parameters of the call, as far as the arguments say them. */
  readonly parameters: Partial<Parameters>;
  /** Reads what the write depends on, and returns all parameters. If this rejects, the write is not sent. @default `parameters` */
  prepare?(reads: Reads): Promise<Parameters>;
  /** The result, from the parsed response. The reads before and after the call have its deadline. */
  toResult(parsed: Parsed, reads: Reads, sent: Parameters): Promise<Result> | Result;
  /** The result for a repeat of a write that was applied, from the state that the service has by now. */
  replay(reads: Reads, resultId: string | undefined): Promise<Result>;
  /** What a repeat needs to know of the result; undefined if the service has not said it. @default nothing */
  resultIdOf?(result: Result): string | undefined;
  /**
   * Reads what became of the write, which was sent `sinceMs` milliseconds ago; `sent` is missing if another request sent it. `named` is the
   * notification that the response to a creation names without its values.
   */
  readBack?(
    reads: Reads,
    sinceMs: number,
    sent?: Parameters,
    named?: NamedNotification,
  ): Promise<ReadBack<Result>>;
}

export interface ReadBack<Result> {
  readonly found: ReadBackResult;
  /** The result, if the service has the state that the write asks for: then, it was applied. */
  readonly result?: Result;
  /** Identifiers of the notifications that the write may have created; undefined if that cannot be told. */
  readonly candidates?: string[];
}

/** A write after which nothing can be read. Its result is what the client sees of what was sent, with the messages of the response. */
export function unreadableWrite<Parameters extends object, Sent extends object>(
  parameters: Parameters,
  sent: Sent,
): Write<Confirmation & Sent, Parameters, Confirmation> {
  return {
    parameters,
    toResult: (confirmation) => ({ ...sent, ...confirmation }),
    replay: () => Promise.resolve({ ...sent, messages: [] }),
  };
}

/** The mutation field, or the item, that a write is sent for. */
export interface WriteRequest {
  readonly operation: WriteOperation<never, unknown>;
  readonly client: RequestClient;
  /** Name of the field, for metrics and for the scope of idempotency keys. */
  readonly field: string;
  readonly key: string | undefined;
  /** The other arguments of the field, parsed: equal for texts and phone numbers that differ in their notation only. */
  readonly args: object;
}

export interface WriteSenderOptions {
  call: MakeCall;
  notifications: NotificationReader;
  /** Timeout in milliseconds of a write together with the reads before and after it; a read-back comes on top. */
  timeoutMs: number;
  /** Timeout in milliseconds of the read after a write of unknown outcome; 0 for no such read. */
  readBackTimeoutMs: number;
  telemetry: Telemetry;
}

export type WriteSender = ReturnType<typeof createWriteSender>;

export function createWriteSender(options: WriteSenderOptions) {
  const { call, notifications, timeoutMs, readBackTimeoutMs, telemetry } = options;
  const reads = (client: RequestClient, forMs: number): Reads => ({
    notifications,
    client,
    deadline: performance.now() + forMs,
  });

  /** Reads back a write of unknown outcome, as far as that is possible. */
  const readBack = async <Result>(
    write: Write<Result>,
    request: WriteRequest,
    sinceMs: number,
    sent?: unknown,
    named?: NamedNotification,
  ): Promise<Partial<ReadBack<Result>>> => {
    if (write.readBack === undefined || readBackTimeoutMs === 0) return {};
    const { ids } = request.client;
    const after = reads(clientAfter(request), readBackTimeoutMs);
    const read = await write.readBack(after, sinceMs, sent, named).catch(ifServiceFailed(UNREADABLE));
    telemetry.writeReadBack({ ...ids, field: request.field, result: read.found });
    return read;
  };

  return {
    /** Sends a write, and reads it back if that ends with an unknown outcome. A failed read-back does not fail the write. */
    async send<Result>(write: Write<Result>, request: WriteRequest): Promise<Applied<Result>> {
      const { operation, client, key } = request;
      const startedAt = performance.now();
      const around = reads(client, timeoutMs);
      const sent = (await write.prepare?.(around)) ?? write.parameters;
      try {
        const parsed = (await call(operation, sent as never, client, around.deadline)) as never;
        return { result: await write.toResult(parsed, around, sent), evidence: 'RESPONSE' };
      } catch (error) {
        const isUnknown = error instanceof GatewayError && error.outcome === 'UNKNOWN';
        if (!isUnknown || (key === undefined && client.cancellation.isCancelled)) throw error;
        const { named } = error;
        if (error.candidates !== undefined && named === undefined) throw error; // those of the response
        const sinceMs = performance.now() - startedAt;
        const read = await readBack(write, request, sinceMs, sent, named);
        const { result, candidates = error.candidates } = read;
        if (result === undefined) throw error.with({ candidates });
        return { result, evidence: 'READ_BACK' };
      }
    },
    replay: <Result>(write: Write<Result>, client: RequestClient, resultId: string | undefined) =>
      write.replay(reads(client, timeoutMs), resultId),
    readBack,
  };
}

/** What was read tells nothing of the write. */
export const UNREADABLE: ReadBack<never> = { found: 'unreadable' };

/** Replaces a failure of the service by a value; other errors are bugs. */
export function ifServiceFailed<const Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof GatewayError) return value;
    throw error;
  };
}

/** For reads after a write, marked in the trace. With a key, never cancelled: a disconnected client must not change what is recorded. */
function clientAfter({ client, key }: WriteRequest): RequestClient {
  const cancellation = key === undefined ? client.cancellation : new Cancellation();
  return { ...client, cancellation, isReadBack: true };
}

// What resolvers of payloads receive (scripts/codegen.ts).

/** The members of a result that follow from the arguments of its write; undefined where those are invalid. */
export type Subject<Result> = { readonly [Name in keyof Result]?: Result[Name] | undefined };

/** The value of a mutation field. After a failure, it has no more of the result than its subject. */
export type WritePayload<Result> = Subject<Result> & {
  readonly outcome: WriteOutcome;
  readonly evidence: OutcomeEvidence | null;
  readonly errors: readonly object[];
  /** The notification that a write would have changed, if its condition did not hold. */
  readonly current?: NotificationRecord | undefined;
};

/** The value of a bulk field: its items' payloads, or the failures that have none, and how many items ended how. */
export interface BulkPayload<Payload> {
  readonly results: readonly (Error | Payload)[];
  readonly applied: number;
  readonly notApplied: number;
  readonly unknown: number;
}

export type WriteError = Pick<GatewayErrorExtensions, 'code' | 'requestId' | 'retryable'> & {
  message: string;
  serviceMessages?: readonly ServiceMessage[] | undefined;
} & {
  [Name in Exclude<keyof GatewayErrorExtensions, 'serviceMessages'>]?:
    | GatewayErrorExtensions[Name]
    | undefined;
};
