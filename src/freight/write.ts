/** What a write is, and how its effect is made certain: if its outcome is unknown, it is read back. It is not sent again. */
import type { WriteOutcome } from '../errors.js';
import type { NotificationRecord, SentParameters } from './contract.js';
import type { MakeCall, MakeRead, RequestClient } from './restCall.js';
import type { NotificationReader } from './notificationReader.js';
import type { Confirmation, WriteOperation } from './operations.js';
import type { Telemetry } from '../telemetry/events.js';
import type { ReadBackKind } from '../telemetry/labels.js';
import type { CallObserver } from '../transport/calls.js';
import { GatewayError } from '../gatewayError.js';

/** How it is known that a write was applied, or was not. */
export type Evidence = 'NOT_SENT' | 'READ_BACK' | 'REPLAY' | 'RESPONSE';

/** The result of a write that was applied. */
export interface Applied<Result> {
  readonly result: Result;
  readonly evidence: Exclude<Evidence, 'NOT_SENT'>;
}

/** The value of a mutation field. After a failure, the members of the result are those that follow from the arguments. */
export type WritePayload<Result> = Partial<Result> & {
  readonly outcome: WriteOutcome;
  readonly evidence: Evidence | null;
  readonly errors: readonly object[];
  /** The notification that a write would have changed, if its condition did not hold. */
  readonly current?: NotificationRecord | undefined;
};

/** The value of a bulk field: its items' payloads, or the failures that have none, and how many items ended how. */
export interface BulkPayload<Payload> {
  readonly results: readonly (Error | Payload | Promise<Error | Payload>)[];
  readonly applied: number;
  readonly notApplied: number;
  readonly unknown: number;
}

/** What a write may read, for a client and until a deadline on the clock of performance.now(). It cannot send anything. */
export interface Reads {
  readonly read: MakeRead;
  readonly notifications: NotificationReader;
  readonly client: RequestClient;
  readonly deadline: number;
}

/** What surrounds the call of a write. */
interface WriteSteps<Parameters, Reply, Result, Prepared> {
  /** Those of the operation that the write is made of. An update that keeps a part of the definition sends others, too. */
  readonly parameters: { readonly [Name in keyof Parameters]?: Parameters[Name] | null | undefined };
  /** Reads what the write depends on. If this rejects, the write is not sent. */
  prepare?(reads: Reads): Promise<Prepared>;
  /** `call` sends the operation of the write. The reads before and after it have the same deadline. */
  send(call: (parameters: Parameters) => Promise<Reply>, reads: Reads, prepared: Prepared): Promise<Result>;
  /** The result for a repeat of a write that was applied, from the state that the service has by now. */
  replay(reads: Reads, resultId: string | undefined): Promise<Result>;
}

/** What else a write has, by what its operation says can be read. */
interface ReadBacks<Result, Prepared> {
  state: {
    /** Reads whether the service has the state that the write asks for. `prepared` is missing if another request sent the write. */
    readBack(reads: Reads, prepared?: Prepared): Promise<Finding<Result>>;
  };
  candidates: {
    /** What a repeat needs to know of the result; undefined if the service has not said it. */
    resultIdOf(result: Result): string | undefined;
    /**
     * Identifiers of the notifications that the write may have created within the last `sinceMs` milliseconds; undefined if that cannot
     * be told.
     */
    findCandidates(reads: Reads, sinceMs: number): Promise<string[] | undefined>;
  };
}

/** Where nothing can be read, a read-back would prove nothing. */
type NoReadBack = {
  readonly [Name in keyof (ReadBacks<never, never>['candidates'] & ReadBacks<never, never>['state'])]?: never;
};

/** A write with the arguments of a request. It has no state: what `prepare` has read is passed on to the other steps. */
export interface Write<Result>
  extends
    Omit<WriteSteps<object, never, Result, unknown>, 'send'>,
    Partial<ReadBacks<Result, unknown>['candidates'] & ReadBacks<Result, unknown>['state']> {
  readonly operation: WriteOperation<never, unknown>;
  send(call: MakeCall, reads: Reads, prepared: unknown): Promise<Result>;
}

/** What a mutation field writes. */
export interface WriteDefinition<Args, Result> {
  readonly operation: WriteOperation<never, unknown>;
  readonly of: (args: Args) => Write<Result>;
}

/** A write sends only the operation that it names; the operation says what can be read back. */
export function defineWrite<
  Args,
  Parameters extends object,
  Reply,
  Result,
  Kind extends ReadBackKind | undefined,
  Prepared = undefined,
>(
  operation: WriteOperation<Parameters, Reply, Kind>,
  stepsOf: (
    args: Args,
  ) => WriteSteps<Parameters, Reply, Result, Prepared> &
    (Kind extends ReadBackKind ? ReadBacks<Result, Prepared>[Kind] : NoReadBack),
): WriteDefinition<Args, Result> {
  return {
    operation,
    of(args) {
      const steps = stepsOf(args);
      return {
        ...steps,
        operation,
        send: (call, reads, prepared: Prepared) => {
          const { client, deadline } = reads;
          return steps.send(
            (parameters) => call(operation, parameters, client, { deadline }),
            reads,
            prepared,
          );
        },
      };
    },
  };
}

/** The result of a write whose effect cannot be read: what was sent, with the messages of the response. */
export interface Sent<Parameters> extends Confirmation {
  parameters: SentParameters<Parameters>;
}

export function defineUnreadableWrite<Parameters extends object>(
  operation: WriteOperation<Parameters, Confirmation, undefined>,
): WriteDefinition<{ input: Parameters }, Sent<Parameters>> {
  return defineWrite(operation, ({ input: parameters }) => ({
    parameters,
    send: (call) => call(parameters).then((confirmation) => ({ parameters, ...confirmation })),
    replay: () => Promise.resolve({ parameters, messages: [] }),
  }));
}

/** What a read-back finds: the result of the write, if it was applied. */
export type Finding<Result> = { result: Result } | 'different' | 'unreadable';

/** A mutation field of a request. */
export interface WriteRequest {
  readonly client: RequestClient;
  /** Name of the field, for metrics and for the scope of idempotency keys. */
  readonly field: string;
  /** Of a field with an idempotency key. */
  readonly idempotency: Idempotency | undefined;
}

export interface Idempotency {
  readonly key: string;
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

/** Reads are on behalf of `reader`, and a failed one is no error of the write. */
export interface WriteSender {
  /** Sends a write, and reads it back if that ends with an unknown outcome. */
  send<Result>(write: Write<Result>, request: WriteRequest, reader?: RequestClient): Promise<Applied<Result>>;
  /** As `replay` of the write. */
  replay<Result>(write: Write<Result>, client: RequestClient, resultId: string | undefined): Promise<Result>;
  /** The result of a write whose state is there; undefined if that is unknown. */
  findEffect<Result>(
    write: Write<Result>,
    request: WriteRequest,
    reader: RequestClient,
    prepared?: unknown,
  ): Promise<Result | undefined>;
  /** As `findCandidates` of the write. */
  findCandidates(
    write: Write<unknown>,
    request: WriteRequest,
    reader: RequestClient,
    sinceMs: number,
  ): Promise<string[] | undefined>;
}

export function createWriteSender(options: WriteSenderOptions): WriteSender {
  const { call, notifications, timeoutMs, readBackTimeoutMs, telemetry } = options;
  const isOff = readBackTimeoutMs === 0;
  const readsOf = (client: RequestClient, forMs: number): Reads => ({
    read: call,
    notifications,
    client,
    deadline: performance.now() + forMs,
  });
  const readBacksOf = (client: RequestClient) => readsOf(marked(client), readBackTimeoutMs);

  const findEffect: WriteSender['findEffect'] = async (write, { field }, reader, prepared) => {
    if (write.readBack === undefined || isOff) return undefined;
    const finding = await write.readBack(readBacksOf(reader), prepared).catch(ifServiceFailed('unreadable'));
    const result = typeof finding === 'string' ? finding : 'confirmed';
    telemetry.writeReadBack({ ...reader.ids, field, result });
    if (typeof finding === 'string') return undefined;
    return finding.result;
  };

  const findCandidates: WriteSender['findCandidates'] = async (write, { field }, reader, sinceMs) => {
    if (write.findCandidates === undefined || isOff) return undefined;
    const candidates = await write
      .findCandidates(readBacksOf(reader), sinceMs)
      .catch(ifServiceFailed(undefined));
    const found = candidates?.length === 0 ? 'none' : 'candidates';
    telemetry.writeReadBack({
      ...reader.ids,
      field,
      result: candidates === undefined ? 'unreadable' : found,
    });
    return candidates;
  };

  return {
    send<Result>(write: Write<Result>, request: WriteRequest, reader = request.client) {
      const startedAt = performance.now();
      const reads = readsOf(request.client, timeoutMs);
      const sendPrepared = (prepared?: unknown): Promise<Applied<Result>> =>
        write.send(call, reads, prepared).then(
          (result) => ({ result, evidence: 'RESPONSE' }),
          async (error: unknown) => {
            const isUnknown = error instanceof GatewayError && error.outcome === 'UNKNOWN';
            if (!isUnknown || reader.cancellation.isCancelled) throw error;
            const result = await findEffect(write, request, reader, prepared);
            if (result !== undefined) return { result, evidence: 'READ_BACK' };
            // A response may name them, too.
            if (error.candidates !== undefined) throw error;
            const elapsedMs = performance.now() - startedAt;
            throw error.with({ candidates: await findCandidates(write, request, reader, elapsedMs) });
          },
        );
      return write.prepare ? write.prepare(reads).then(sendPrepared) : sendPrepared();
    },
    replay: (write, client, resultId) => write.replay(readsOf(client, timeoutMs), resultId),
    findEffect,
    findCandidates,
  };
}

/** Replaces a failure of the service by a value; other errors are bugs. */
export function ifServiceFailed<const Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof GatewayError) return value;
    throw error;
  };
}

/** The client, whose calls are marked in its trace as reads after a write. */
function marked(client: RequestClient): RequestClient {
  const { observer } = client;
  const start: CallObserver['start'] = (attempt) => observer.start({ ...attempt, isReadBack: true });
  return { ...client, observer: { ...observer, start } };
}
