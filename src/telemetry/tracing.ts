/** Distributed tracing (W3C Trace Context): a request continues the client's trace, and its REST calls belong to it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CallObserver } from '../transport/calls.js';
import type { RequestIds, RequestSummary } from './requestSummary.js';

/** What the span of a request says of it. */
export interface RequestDescription {
  /** Template of the matched path, which keeps the number of span names small; undefined if no route matches. */
  route: string | undefined;
  hasQuery: boolean;
  /** Further ones, by their names in OpenTelemetry's semantic conventions. */
  attributes: Readonly<Record<string, number | string | undefined>>;
}

export interface TracedRequest {
  requestId: string;
  method: string;
  /** Called for spans alone. */
  describe: () => RequestDescription;
  /** Carries the client's trace in `traceparent` and `tracestate`. */
  headers: IncomingHttpHeaders;
}

export interface RequestTrace extends Pick<CallObserver, 'start'> {
  /** Header of the response; undefined if the request belongs to no trace. */
  readonly traceparent: string | undefined;
  /** Names the trace in log lines, and the gateway's span if it makes one. */
  readonly ids: TraceIds | undefined;
  end(summary: RequestSummary): void;
}

export type TraceIds = Omit<RequestIds, 'requestId'>;

export interface Tracing {
  start(request: TracedRequest): RequestTrace;
  /** Exports the remaining spans, within a second. */
  stop(): Promise<void>;
}

const noop = () => undefined;
const noopTrace: RequestTrace = {
  traceparent: undefined,
  ids: undefined,
  start: () => ({ headers: undefined, end: noop }),
  end: noop,
};

/** Longer ones are ignored; the recommended minimum is 512 (W3C Trace Context §3.3.1.5). */
const MAX_TRACESTATE_BYTES = 1024;

/** Propagates the client's trace context without creating spans. */
export const propagateOnly: Tracing = {
  start({ headers: { traceparent, tracestate } }) {
    const traceId = typeof traceparent === 'string' ? traceIdOf(traceparent) : undefined;
    if (typeof traceparent !== 'string' || traceId === undefined) return noopTrace;
    const isPropagated = typeof tracestate === 'string' && tracestate.length <= MAX_TRACESTATE_BYTES;
    const headers = { traceparent, ...(isPropagated && { tracestate }) };
    return { ...noopTrace, traceparent, ids: { trace_id: traceId }, start: () => ({ headers, end: noop }) };
  },
  stop: () => Promise.resolve(),
};

/**
 * The trace ID of a valid header: of version 00, or of a later version that begins with its fields (W3C Trace Context §3.2.2,
 * §4).
 */
function traceIdOf(header: string): string | undefined {
  const [, version = '', traceId = '', spanId = '', rest = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.{0,200})?$/.exec(header) ?? [];
  const isValid =
    version !== '' &&
    version !== 'ff' &&
    (version !== '00' || rest === '') &&
    !/^0+$/.test(traceId) &&
    !/^0+$/.test(spanId);
  return isValid ? traceId : undefined;
}
