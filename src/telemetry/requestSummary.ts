/** Summary of a finished request, and whether it failed: the base of log levels, spans and service level objectives. */
import { ErrorCode, type WriteOutcome } from '../errors.js';
import { failures, type AttemptErrorType, type Failure } from '../failures.js';

/** Names a client's request in log lines, which hold neither tokens nor addresses. */
export interface RequestIds {
  readonly requestId: string;
  /** The trace that the request belongs to, under the names of OpenTelemetry's trace context in JSON logs. */
  readonly trace_id?: string;
  /** The gateway's own span for the request, not the client's span, which is its parent. */
  readonly span_id?: string;
  readonly trace_flags?: string;
}

/** Kind of credential that identified a client: a key, a JWT, or the subgraph token of a router. */
export type Credential = 'jwt' | 'key' | 'subgraph';

/** Summary of a GraphQL operation that has ended. */
export interface OperationSummary {
  operationType?: string;
  operationName?: string;
  /** Name of a client that is known by its credential. */
  client?: string;
  credential?: Credential;
  errorCodes: readonly string[];
  /** The last REST attempt that failed, of a request with errors, or the write before a read-back; without a status if there was no response. */
  failedCall?: Pick<AttemptEnd, 'error' | 'status'> & { method: string; route: string };
  /** Present if an IDEMPOTENCY_UNAVAILABLE is the client's error: it sent a key to a gateway that accepts none. */
  keysNotEnabled?: true;
  /** Worst outcome of the operation's mutation fields. */
  outcome?: WriteOutcome;
  /** Counts of the items of its bulk fields, by how they ended. */
  items?: ItemsSummary;
}

export interface RequestSummary extends RequestIds, OperationSummary {
  method: string;
  /** HTTP status of the response; undefined if the client disconnected before it was complete. */
  status: number | undefined;
  durationMs: number;
  /** REST attempts sent, retries included. */
  restCalls: number;
}

export interface ItemsSummary {
  readonly total: number;
  readonly applied: number;
  readonly notApplied: number;
  readonly unknown: number;
  /** Items that have an error. */
  readonly failed: number;
  /** Each code once. They count for the request only if every item failed. */
  readonly errorCodes: readonly string[];
}

/** Milliseconds since a time on the clock of performance.now(), to a tenth: what the log, traces and metrics say. */
export function elapsedMs(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}

/** From best to worst, apart from `disconnected`: whatever happened, that client received nothing. */
export const requestResults = [
  'success',
  'client_error',
  'service_error',
  'internal_error',
  'disconnected',
] as const;
export type RequestResult = (typeof requestResults)[number];

/** The result of a GraphQL request by the worst error in its response. */
export function resultOf(summary: RequestSummary): RequestResult {
  const { status, errorCodes } = summary;
  if (status === undefined) return 'disconnected';
  if (errorCodes.length === 0) return 'success';
  if (errorCodes.some((code) => code === ErrorCode.InternalServerError)) return 'internal_error';
  return faultCodeOf(summary) === undefined ? 'client_error' : 'service_error';
}

/**
 * The error code, or else the status, of a failure that is not the client's fault; undefined if the request succeeded or its client is to
 * blame. Reads that fail because their client disconnects do not count, nor does an unknown outcome of an earlier attempt.
 */
export function serverFaultOf(summary: RequestSummary): string | undefined {
  const { status, errorCodes, outcome } = summary;
  if (errorCodes.includes(ErrorCode.InternalServerError)) return ErrorCode.InternalServerError;
  const unknown =
    outcome === 'UNKNOWN' ? errorCodes.find((code) => !earlierAttemptCodes.has(code)) : undefined;
  if (status === undefined && unknown === undefined) return undefined;
  const code = faultCodeOf(summary) ?? unknown;
  return code ?? (status !== undefined && status >= 500 ? String(status) : undefined);
}

function faultCodeOf({ errorCodes, keysNotEnabled }: RequestSummary): string | undefined {
  const isExcused = (code: string) => keysNotEnabled && code === ErrorCode.IdempotencyUnavailable;
  return errorCodes.find((code) => serverFaultCodes.has(code) && !isExcused(code));
}

/** Codes of failures for which the client is not to blame. Not SERVICE_REJECTED: the service rejected what the client sent. */
const serverFaultCodes = codesOf('isServerFault');
const earlierAttemptCodes = codesOf('isOfEarlierAttempt');

function codesOf(property: 'isServerFault' | 'isOfEarlierAttempt'): ReadonlySet<string> {
  return new Set(Object.values<Failure>(failures).flatMap((each) => (each[property] ? each.code : [])));
}

/** `error.type` of a request, in spans and metrics; undefined if there was no error, or only its client is to blame. */
export function requestErrorType(summary: RequestSummary): string | undefined {
  return serverFaultOf(summary) ?? (summary.status === undefined ? 'client_disconnected' : undefined);
}

/** How an attempt of a REST call ended. */
export interface AttemptEnd {
  /** HTTP status; undefined if there was no response. */
  status: number | undefined;
  /** How it failed; undefined on success. */
  error?: AttemptErrorType | undefined;
  durationMs: number;
  /** Why there was no response, such as ECONNREFUSED, or the media type of one that is not JSON. Not for clients. */
  reason?: string | undefined;
}

/** `error.type` of an attempt, in spans and metrics: a status of 400 or above, as OpenTelemetry has it, or else the failure's name. */
export function attemptErrorType({ status, error }: AttemptEnd): string | undefined {
  return status !== undefined && status >= 400 ? String(status) : error;
}
