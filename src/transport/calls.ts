/** Types of REST calls: a call, its attempts, their observer, and the preview that clients may see. */
import type { AttemptEnd, RequestIds } from '../telemetry/requestSummary.js';
import type { ResponseMemory } from './largeResponses.js';
import type { JsonResponse, MessagesOf } from './response.js';
import type { Client } from './queue.js';
import type { Cancellation } from './cancellation.js';

/** A REST call: what is sent, for whom, and how its response is read. */
export interface Call<Result = unknown> {
  readonly method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  /** Path and query, percent-encoded; they may hold identifiers and secrets. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Value of the JSON body, if any. Serialized once the call has its connection, because many calls may wait for one. */
  readonly body?: object | undefined;
  readonly baseUrl: URL;
  /** Path template; low cardinality, so it can label metrics. */
  readonly route: string;
  /** The environment variables that hold the template and the base URL. */
  readonly routeVariable: string;
  readonly urlVariable: string;
  readonly preview: () => RequestPreview;
  readonly client: CallClient;
  /** Throws a GatewayError if a response proves nothing, whatever its body. @default none does */
  readonly inspect?: ((response: Pick<JsonResponse, 'headers' | 'status'>) => void) | undefined;
  /** Reads a 2xx response. */
  readonly read: (response: JsonResponse) => Result;
  readonly messagesOf: MessagesOf;
  /** Origin and path of a URL for the log, without secrets and personal data. */
  readonly redactUrl: (url: URL) => string;
  /** Concurrent GETs of one kind with the same path and token share one REST call. @default no deduplication */
  readonly dedupeAs?: string | undefined;
  /** When the call times out, on the clock of performance.now(). @default the timeout of the transport from now */
  readonly deadline?: number | undefined;
}

/** Sends a call and reads its 2xx response; rejects with a GatewayError otherwise. */
export type Send = <Result>(call: Call<Result>, scope: CallScope) => Promise<Result>;

/** Belongs to a client's request, or to a call that several of them share. */
export interface CallScope {
  /** Fires when the client disconnects; for a shared call, when the last client does. */
  readonly cancellation: Cancellation;
  /** What its responses take, and its turn for large ones. */
  readonly memory: ResponseMemory;
}

/** The client that a call is made for: its calls must not take what those of other clients need. */
export interface CallClient extends Client {
  readonly ids: RequestIds;
  readonly observer: CallObserver;
  /** Whether its calls read what became of a write of unknown outcome. @default false */
  readonly isReadBack?: boolean;
}

/** A REST call for display, with placeholders for the token, fixed headers and fixed parameters. */
export interface RequestPreview extends Pick<Call, 'body' | 'headers' | 'method' | 'path'> {
  /** Equivalent curl command. The shell must have TOKEN and SERVICE_URL, or SHIPMENT_SERVICE_URL where it differs. */
  curl: string;
}

export interface CallObserver {
  /** An attempt starts, the first one with number 1. The headers, such as `traceparent`, are added to it; call `end` when it finishes. */
  start(
    call: Call,
    number: number,
  ): { headers: Readonly<Record<string, string>> | undefined; end: (end: AttemptEnd) => void };
  /** A call was not sent because it shares the response of an identical call in flight. */
  deduplicated(call: Call): void;
  /** A write was not sent because the request is a dry run. */
  skippedByDryRun(call: Call): void;
}
