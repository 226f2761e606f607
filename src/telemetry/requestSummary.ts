/** What events say of requests and REST calls; whether a request failed is the base of log levels, spans and service level objectives. */
import { ErrorCode, type WriteOutcome } from '../errors.js';
import { isOfEarlierAttempt, isServerFault } from '../failures.js';

/** Names a client's request in log lines, which hold neither tokens nor addresses. */
export interface RequestIds {
  readonly requestId: string;
  /** The trace that the request belongs to, under the names of OpenTelemetry's trace context in JSON logs. */
  readonly trace_id?: string;
  /** The gateway's own span for the request, not the client's span, which is its parent. */
  readonly span_id?: string;
  readonly trace_flags?: string;
}

/** What the log says of a request: of the operation, only what the request got to. */
export interface RequestSummary extends RequestIds {
  method: string;
  /** HTTP status of the response; undefined if the client disconnected before it was complete. */
  status: number | undefined;
  durationMs: number;
  /** REST attempts sent, retries included. */
  restCalls: number;
  operationType?: string;
  operationName?: string;
  /** Name of a client that is known by its credential. */
  client?: string;
  /** Kind of credential that identified it: a key, a JWT, or the subgraph token of a router. */
  credential?: 'jwt' | 'key' | 'subgraph';
  errorCodes: readonly string[];
  /** The last REST attempt that failed, of a request with errors, or the write before a read-back; without a status if there was no response. */
  failedCall?: (Pick<AttemptEnd, 'error' | 'status'> & { method: string; route: string }) | undefined;
  /** Present if an IDEMPOTENCY_UNAVAILABLE is the client's error: it sent a key to a gateway that accepts none. */
  keysNotEnabled?: true;
  /** Worst outcome of the operation's mutation fields. */
  outcome?: WriteOutcome;
  items?: ItemsSummary;
}

interface ItemsSummary {
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

export interface RequestEnd {
  summary: RequestSummary;
  /** `error.type` of spans and metrics. */
  errorType: string | undefined;
  /** Whether the request was sent to the GraphQL endpoint. */
  isGraphQL: boolean;
  scheme: 'http' | 'https';
}

const DISCONNECTED = 'client_disconnected';

/**
 * The error code, or else the status, of a failure that is not the client's fault, or that the client disconnected, for which its reads fail.
 * The unknown outcome of an earlier attempt does not count.
 */
export function requestErrorType(summary: RequestSummary): string | undefined {
  const { status, errorCodes, outcome, keysNotEnabled } = summary;
  if (errorCodes.includes(ErrorCode.InternalServerError)) return ErrorCode.InternalServerError;
  const unknown = outcome === 'UNKNOWN' ? errorCodes.find((code) => !isOfEarlierAttempt(code)) : undefined;
  if (status === undefined && unknown === undefined) return DISCONNECTED;
  const isExcused = (code: string) => keysNotEnabled && code === ErrorCode.IdempotencyUnavailable;
  const fault = errorCodes.find((code) => isServerFault(code) && !isExcused(code));
  return fault ?? unknown ?? (status !== undefined && status >= 500 ? String(status) : undefined);
}

/** From best to worst, apart from `disconnected`: whatever happened, that client received nothing. */
export const requestResults = [
  'success',
  'client_error',
  'service_error',
  'internal_error',
  'disconnected',
] as const;

export function resultOf({ summary: { status, errorCodes }, errorType }: RequestEnd) {
  if (status === undefined) return 'disconnected';
  if (errorType === ErrorCode.InternalServerError) return 'internal_error';
  if (errorType !== undefined) return 'service_error';
  return errorCodes.length > 0 ? 'client_error' : 'success';
}

export function levelOf({ errorType }: RequestEnd) {
  if (errorType === ErrorCode.InternalServerError) return 'error';
  return errorType === undefined || errorType === DISCONNECTED ? 'info' : 'warn';
}

export interface AttemptEnd {
  /** HTTP status; undefined if there was no response. */
  status: number | undefined;
  /** The `errorType` of its failure, or `Error` for a bug; undefined on success. */
  error?: string | undefined;
  durationMs: number;
  /** Why there was no response, such as ECONNREFUSED, or the media type of one that is not JSON. Not for clients. */
  reason?: string | undefined;
}

export type Labels = Readonly<Record<string, string>>;

/** The values from which the labels are known at startup. */
export interface MeteredService {
  restOperations: readonly MeteredOperation[];
  /** The mutation fields, and what is read back after each; undefined where nothing can be read. */
  mutations: Readonly<Record<string, ReadBackKind | undefined>>;
}

export interface MeteredOperation {
  readonly method: string;
  /** Path template. */
  readonly route: string;
  readonly baseUrl: URL;
}

/** The results of a read-back, by what it looks for. */
export const readBackResults = {
  /** The state that an update or a deletion asks for. */
  state: ['confirmed', 'different', 'unreadable'],
  /** The notification that the response to a creation names, or else those that it may have created. */
  candidates: ['candidates', 'confirmed', 'different', 'none', 'unreadable'],
} as const;
export type ReadBackKind = keyof typeof readBackResults;

/** Host and port of a server, as OpenTelemetry has them: an IPv6 address without brackets, and the port of the scheme by default. */
export function serverOf({ hostname, port, protocol }: URL) {
  return {
    address: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

export function serverLabels(url: URL) {
  const { address, port } = serverOf(url);
  return { server_address: address, server_port: String(port) };
}
