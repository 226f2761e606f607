/** What the REST side tells of itself while it works. */
import type { RestRequest } from './exchange.js';

/** A REST call as a person may see it. */
export interface RequestPreview {
  method: RestRequest['method'];
  /** Path with the query; values of fixed parameters are placeholders. */
  path: string;
  /** The token is a placeholder. */
  headers: Readonly<Record<string, string>>;
  /** Value of the JSON body; none when undefined. Values of fixed parameters are placeholders. */
  body: unknown;
  /** The same as a command for a shell that has SERVICE_URL, or SHIPMENT_SERVICE_URL, and TOKEN in its environment. */
  curl: string;
}

/** One try of a REST call. */
export interface RestCall {
  method: RestRequest['method'];
  /** Template of the path, without values: as many as there are operations. */
  route: string;
  preview: () => RequestPreview;
  /** 1 for the first try. */
  attempt: number;
}

export interface RestCallEnd {
  /** HTTP status of the answer, when there was one. */
  status: number | undefined;
  /** Name of the ServiceError; undefined when the call succeeded. */
  error: string | undefined;
  durationMs: number;
}

export interface CallSpan {
  /** Sent with the request, besides its own; none when undefined. */
  headers: Readonly<Record<string, string>> | undefined;
  end: (end: RestCallEnd) => void;
}

/** Follows the REST calls of one GraphQL request. */
export interface CallObserver {
  /** A try begins; what it gives has to be told of its end. */
  start(call: RestCall): CallSpan;
  /** A call was not sent, because another one in flight is for the same. */
  deduplicated(call: Omit<RestCall, 'attempt'>): void;
  /** A call was not sent, because the caller wants to see it alone. */
  skippedByDryRun(call: Omit<RestCall, 'attempt'>): void;
}

/** A REST call that an operator has to know of. */
export interface CallInfo {
  requestId: string | undefined;
  method: RestRequest['method'];
}

/** Told of what an operator has to know of. */
export interface TransportObserver {
  /** A caller left before its call was answered. */
  onCallCancelled(event: CallInfo & { outcome: 'aborted' | 'detached' }): void;
  /** A call was not sent, as there is too much to do, or the circuit is open. */
  onCallRejected(event: CallInfo): void;
  /** An answer breaks the contract; the problem names place and expectation, and no value. */
  onContractViolation(event: CallInfo & { problem: string }): void;
  /** Calls fail at once from now on, or are made again. */
  onCircuitChange(event: {
    origin: string;
    state: 'closed' | 'open';
    failure?: string;
    reason?: string;
  }): void;
}
