/** Events of REST calls: per client request for its trace, and per process for operators. */
import type { RequestIds } from './clientIdentity.js';
import type { RestRequest } from './exchange.js';
import type { AttemptErrorType } from './failures.js';

/** A REST call for display, without secrets. */
export interface RequestPreview {
  method: RestRequest['method'];
  /** Path and query, with placeholders for fixed parameters. */
  path: string;
  /** With a placeholder for the token. */
  headers: Readonly<Record<string, string>>;
  /** Value of the JSON body, with placeholders for fixed parameters; undefined if there is no body. */
  body: unknown;
  /** Equivalent curl command. The shell must have TOKEN and SERVICE_URL, or SHIPMENT_SERVICE_URL where it differs. */
  curl: string;
}

/** A REST call for which no request is sent. */
export interface UnsentCall {
  method: RestRequest['method'];
  /** Path template; low cardinality, so it can label metrics. */
  route: string;
  preview: () => RequestPreview;
}

/** One attempt of a REST call. */
export interface RestCall extends UnsentCall {
  /** Base URL of the service. */
  baseUrl: URL;
  /** Path and query, which may hold identifiers and secrets. */
  target: string;
  /** 1 for the first attempt. */
  attempt: number;
  /** Whether it reads what became of a write of unknown outcome. @default false */
  isReadBack?: boolean;
}

export const cancellationOutcomes = ['aborted', 'detached'] as const;

export interface RestCallEnd {
  /** HTTP status; undefined if there was no response. */
  status: number | undefined;
  /** How it failed; undefined on success. */
  error: AttemptErrorType | undefined;
  durationMs: number;
}

export interface CallSpan {
  /** Additional request headers, such as `traceparent`. */
  headers: Readonly<Record<string, string>> | undefined;
  end: (end: RestCallEnd) => void;
}

/** Observes the REST calls of one GraphQL request. */
export interface CallObserver {
  /** An attempt starts; call `end` of the span when it finishes. */
  start(call: RestCall): CallSpan;
  /** A call was not sent because it shares the response of an identical call in flight. */
  deduplicated(call: UnsentCall): void;
  /** A write was not sent because the request is a dry run. */
  skippedByDryRun(call: UnsentCall): void;
}

/** Identifies a REST call in a log line. */
export interface CallInfo extends RequestIds {
  method: RestRequest['method'];
}

export interface CircuitChange {
  origin: string;
  state: 'closed' | 'open';
  /** Name and code of the failure that opened it. */
  failure?: string;
  reason?: string;
}

/** Receives the events that operators need to see. */
export interface TransportObserver {
  /** The client disconnected: its call was aborted, or detached to run to completion. */
  onCallCancelled(event: CallInfo & { outcome: (typeof cancellationOutcomes)[number] }): void;
  /** A call was not sent: the circuit is open, the queue is full, the deadline has passed, or no memory is left. */
  onCallRejected(event: CallInfo): void;
  /** A response violates the contract. `problem` names places and expectations, but no values. */
  onContractViolation(event: CallInfo & { problem: string }): void;
  /** The circuit that all clients share opened or closed. */
  onCircuitChange(event: CircuitChange): void;
  /** The circuit of one client opened or closed, with this request. */
  onClientCircuitChange(event: CircuitChange & RequestIds): void;
}
