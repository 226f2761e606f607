/** What a write is, and how its effect is made certain: if its outcome is unknown, it is read back. It is not sent again. */
import type { RequestClient } from './endpoint.js';
import type { RestOperation } from './operations.js';
import type { CallObserver, RequestIds } from '../transport/calls.js';
import { ServiceError } from '../transport/serviceError.js';

/** How it is known that a write was applied, or was not. */
export type Evidence = 'NOT_SENT' | 'READ_BACK' | 'REPLAY' | 'RESPONSE';

/** The result of a write that was applied. */
export interface Applied<Result> {
  readonly result: Result;
  readonly evidence: Exclude<Evidence, 'NOT_SENT'>;
}

/** The value of a mutation field. After a failure, the members of the result are those that follow from the arguments. */
export type WritePayload<Result> = Partial<Result> & {
  readonly outcome: 'APPLIED' | 'NOT_APPLIED' | 'UNKNOWN';
  readonly evidence: Evidence | null;
  readonly errors: readonly object[];
};

/** The value of a bulk field: its items' payloads, or the failures that have none, and how many items ended how. */
export interface BulkPayload<Payload> {
  readonly results: readonly (Error | Payload)[];
  readonly applied: number;
  readonly notApplied: number;
  readonly unknown: number;
}

/** How a write is sent, and how its effect can be found out afterwards. Every `deadline` is on the clock of performance.now(). */
export interface Write<Result> {
  readonly operation: RestOperation<never, unknown>;
  /** The parameters of the operation that the write is made of. An update that keeps a part of the definition sends others, too. */
  readonly parameters: object;
  send(client: RequestClient): Promise<Result>;
  /** What a repeat needs to know of the result; undefined for nothing. */
  guidOf?(result: Result): string;
  /** The result for a repeat of a write that was applied, from the state that the service has by now. */
  replay(client: RequestClient, notificationGuid: string | undefined): Promise<Result>;
  /**
   * Reads whether the service has the state that the write asks for. Absent where nothing can be read. Once `send` has sent a
   * PUT, its body is compared; before, as in another process, only the changes are.
   */
  readBack?(client: RequestClient, deadline: number): Promise<Finding<Result>>;
  /**
   * Identifiers of the notifications that the write may have created within the last `sinceMs` milliseconds; undefined if
   * that cannot be told. Only that of createNotification has it.
   */
  findCandidates?(client: RequestClient, deadline: number, sinceMs: number): Promise<string[] | undefined>;
}

/** What a read-back finds: the result of the write, if it was applied. */
export type Finding<Result> = { result: Result } | 'different' | 'unreadable';

/** The results of a read-back, by what it looks for. */
export const readBackResults = {
  /** The state that an update or a deletion asks for. */
  state: ['confirmed', 'different', 'unreadable'],
  /** What a creation may have created. */
  candidates: ['candidates', 'none', 'unreadable'],
} as const;
export type ReadBackKind = keyof typeof readBackResults;

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
  /** The other arguments of the field, as coerced by GraphQL. */
  readonly args: object;
}

export interface ReadBackObserver {
  onReadBack(
    event: RequestIds & { field: string; result: (typeof readBackResults)[ReadBackKind][number] },
  ): void;
}

export interface WriteSenderOptions {
  /** Timeout in milliseconds of the read after a write of unknown outcome; 0 for no such read. */
  readBackTimeoutMs: number;
  observer: ReadBackObserver;
}

/** Reads are on behalf of `reader`, and a failed one is no error of the write. */
export interface WriteSender {
  /** Sends a write, and reads it back if that ends with an unknown outcome. */
  send<Result>(write: Write<Result>, request: WriteRequest, reader?: RequestClient): Promise<Applied<Result>>;
  /** The result of a write whose state is there; undefined if that cannot be told. */
  findEffect<Result>(
    write: Write<Result>,
    request: WriteRequest,
    reader: RequestClient,
  ): Promise<Result | undefined>;
  /** As `findCandidates` of the write. */
  findCandidates(
    write: Write<unknown>,
    request: WriteRequest,
    reader: RequestClient,
    sinceMs: number,
  ): Promise<string[] | undefined>;
}

/** Whether a write may be sent again, because the same call has the same effect when it is sent twice (RFC 9110 section 9.2.2). */
export function isIdempotent({ operation }: Write<unknown>): boolean {
  return operation.method !== 'POST';
}

export function createWriteSender({ readBackTimeoutMs, observer }: WriteSenderOptions): WriteSender {
  const isOff = readBackTimeoutMs === 0;
  const deadline = () => performance.now() + readBackTimeoutMs;

  const findEffect: WriteSender['findEffect'] = async (write, { field }, reader) => {
    if (write.readBack === undefined || isOff) return undefined;
    const finding = await write.readBack(marked(reader), deadline()).catch(ifServiceFailed('unreadable'));
    const result = typeof finding === 'string' ? finding : 'confirmed';
    observer.onReadBack({ ...reader.ids, field, result });
    if (typeof finding === 'string') return undefined;
    return finding.result;
  };

  const findCandidates: WriteSender['findCandidates'] = async (write, { field }, reader, sinceMs) => {
    if (write.findCandidates === undefined || isOff) return undefined;
    const candidates = await write
      .findCandidates(marked(reader), deadline(), sinceMs)
      .catch(ifServiceFailed(undefined));
    const found = candidates?.length === 0 ? 'none' : 'candidates';
    observer.onReadBack({ ...reader.ids, field, result: candidates === undefined ? 'unreadable' : found });
    return candidates;
  };

  return {
    async send(write, request, reader = request.client) {
      const startedAt = performance.now();
      try {
        return { result: await write.send(request.client), evidence: 'RESPONSE' };
      } catch (error) {
        const isUnknown = error instanceof ServiceError && error.effect === 'unknown';
        if (!isUnknown || reader.cancellation.isCancelled) throw error;
        const result = await findEffect(write, request, reader);
        if (result !== undefined) return { result, evidence: 'READ_BACK' };
        // A response may name them, too.
        error.candidates ??= await findCandidates(write, request, reader, performance.now() - startedAt);
        throw error;
      }
    },
    findEffect,
    findCandidates,
  };
}

/** Replaces a failure of the service by a value; other errors are bugs. */
export function ifServiceFailed<const Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof ServiceError) return value;
    throw error;
  };
}

/** The client, whose calls are marked in its trace as reads after a write. */
function marked(client: RequestClient): RequestClient {
  const { observer } = client;
  const start: CallObserver['start'] = (attempt) => observer.start({ ...attempt, isReadBack: true });
  return { ...client, observer: { ...observer, start } };
}
