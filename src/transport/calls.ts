/**
 * What describes a REST call: the call itself, which a client's request makes of an operation of the interface; each attempt to
 * send it; and the events that report both.
 */
import type { AttemptErrorType } from '../failures.js';
import type { Reading } from './largeResponses.js';
import type { Wait } from './queue.js';
import type { Content, JsonResponse } from './response.js';
import type { ServiceMessage } from '../gatewayError.js';
import type { Identity } from './shares.js';
import type { Cancellation } from './cancellation.js';

/** A REST call: what is sent, for whom, and how its response is read. */
export interface Call<Result = unknown> extends Omit<RestRequest, 'body'> {
  /**
   * Value of the JSON body; undefined for none. Its text is written when the call has its connection: many calls may wait for one.
   */
  readonly body?: object | undefined;
  /** Base URL of the service. */
  readonly baseUrl: URL;
  /** Path template; low cardinality, so it can label metrics. */
  readonly route: string;
  /** The environment variable that holds the template. */
  readonly routeVariable: string;
  /** The environment variable that holds the base URL. */
  readonly urlVariable: string;
  readonly preview: () => RequestPreview;
  readonly client: ClientIdentity;
  readonly observer: CallObserver;
  /** Throws a GatewayError if a response proves nothing, whatever its body. @default none does */
  readonly inspect?: ((response: Pick<JsonResponse, 'headers' | 'status'>) => void) | undefined;
  /** Reads a 2xx response. */
  readonly read: (response: JsonResponse) => Result;
  /** Extracts the service's messages from the body of a rejected or invalid response, without secrets; undefined if it has none. */
  readonly messagesOf: (content: Content, status: number) => readonly ServiceMessage[] | undefined;
  /** Origin and path of a URL for the log, without secrets and personal data. */
  readonly redactUrl: (url: URL) => string;
  /**
   * Kind of the result. Concurrent calls of one kind with the same path and token share one REST call. For GET only.
   * @default no deduplication
   */
  readonly dedupeAs?: string | undefined;
  /** When the call times out, on the clock of performance.now(). @default the timeout of the transport from now */
  readonly deadline?: number | undefined;
}

/** What goes over the wire. */
export interface RestRequest {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  /** Path and query, percent-encoded; they may hold identifiers and secrets. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
}

/** Host and port of the service, as OpenTelemetry has them: an IPv6 address without brackets, and the port of the scheme by default. */
export function serverOf({ hostname, port, protocol }: URL): Server {
  return {
    address: hostname.replaceAll(/[[\]]/g, ''),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

/** One attempt to send a call. */
export interface Attempt {
  readonly call: Call;
  /** 1 for the first attempt. */
  readonly number: number;
  /** Whether it reads what became of a write of unknown outcome. @default false */
  readonly isReadBack?: boolean;
}

export interface AttemptEnd {
  /** HTTP status; undefined if there was no response. */
  status: number | undefined;
  /** How it failed; undefined on success. */
  error: AttemptErrorType | undefined;
  durationMs: number;
  /** Why there was no response, such as ECONNREFUSED, or of what type one is that is not JSON. Not for clients. */
  reason?: string | undefined;
}

/** Sends a call and reads its 2xx response; rejects with a GatewayError otherwise. */
export type Send = <Result>(call: Call<Result>, scope: CallScope) => Promise<Result>;

/** Belongs to a client's request, or to a call that several of them share. */
export interface CallScope {
  /** Fires when the client disconnects; for a shared call, when the last client does. */
  readonly cancellation: Cancellation;
  /** Counts what is read, and has its turn for large responses. */
  readonly reading: Reading;
}

/** Who a call is made for, so that one client's calls do not take what others need. */
export interface ClientIdentity extends Identity {
  readonly ids: RequestIds;
}

/** Names a client's request in log lines, which hold neither tokens nor addresses. */
export interface RequestIds {
  readonly requestId: string;
  /** The trace that the request belongs to, under the names of OpenTelemetry's trace context in JSON logs. */
  readonly trace_id?: string;
  /** The gateway's own span for the request, not the client's span, which is its parent. */
  readonly span_id?: string;
  readonly trace_flags?: string;
}

/** A REST call for display, without secrets. */
export interface RequestPreview {
  method: RestRequest['method'];
  /** Path and query, with placeholders for fixed parameters. */
  path: string;
  /** With a placeholder for the token. */
  headers: Readonly<Record<string, string>>;
  /** Value of the JSON body, with placeholders for fixed parameters; undefined if there is no body. */
  body: object | undefined;
  /** Equivalent curl command. The shell must have TOKEN and SERVICE_URL, or SHIPMENT_SERVICE_URL where it differs. */
  curl: string;
}

/** Observes the REST calls of one GraphQL request, and what they wait for. */
export interface CallObserver {
  /** An attempt waited for a connection, before it started. Not called where a connection is free. */
  waited(wait: ConnectionWait): void;
  /** An attempt starts; call `end` of the span when it finishes. */
  start(attempt: Attempt): AttemptSpan;
  /** A call was not sent because it shares the response of an identical call in flight. */
  deduplicated(call: Call): void;
  /** A write was not sent because the request is a dry run. */
  skippedByDryRun(call: Call): void;
}

export interface Server {
  readonly address: string;
  readonly port: number;
}

export interface ConnectionWait extends Wait {
  readonly server: Server;
}

export interface AttemptSpan {
  /** Additional request headers, such as `traceparent`. */
  headers: Readonly<Record<string, string>> | undefined;
  end: (end: AttemptEnd) => void;
}

/** Receives the events that operators need to see. */
export interface TransportObserver {
  /** The client disconnected: its call was aborted, or detached to run to completion. */
  onCallCancelled(event: CallInfo & { outcome: (typeof cancellationOutcomes)[number] }): void;
  /** A call was shed: the circuit is open, the queue is full, or the deadline has passed. */
  onCallShed(event: CallInfo): void;
  /**
   * No connection opened, or one was lost to an origin that has never responded: SERVICE_URL may be wrong. `proxy` is the host and port of
   * the proxy that the origin is behind.
   */
  onConnectionFailure(
    event: CallInfo & {
      origin: string;
      proxy?: string | undefined;
      reason: string | undefined;
    },
  ): void;
  /** A response violates the contract. `problem` names places and expectations, but no values apart from the media type. */
  onContractViolation(event: ResponseProblem): void;
  /** A response deviates from the contract in a way that changes nothing. */
  onContractDeviation(event: ResponseProblem): void;
  onCircuitChange(event: CircuitChange): void;
}

export const cancellationOutcomes = ['aborted', 'detached'] as const;

/** Identifies a REST call in a log line. */
export interface CallInfo extends RequestIds {
  method: RestRequest['method'];
}

export interface ResponseProblem extends CallInfo {
  origin: string;
  route: string;
  problem: string;
}

export interface CircuitChange {
  origin: string;
  state: 'closed' | 'open';
  /** Name and code of the failure that opened it. */
  failure?: string;
  reason?: string | undefined;
}
