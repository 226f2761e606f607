/** Telemetry of one request and its REST calls, in the trace of the client (W3C Trace Context). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Call, CallObserver, RequestPreview } from '../transport/calls.js';
import type { Telemetry } from './events.js';
import { elapsedMs, requestErrorType, type RequestIds, type RequestSummary } from './requestSummary.js';

export interface RequestTelemetryOptions {
  requestId: string;
  method: string;
  /** Carries the client's trace in `traceparent` and `tracestate`. */
  headers: IncomingHttpHeaders;
  isGraphQL: boolean;
  /** Scheme of the original request, as far as trusted proxies tell. */
  scheme: 'http' | 'https';
  /** Whether the client requested its REST calls in `extensions.trace`. */
  traceRequested: boolean;
  /** Called for spans alone. */
  describe: () => RequestAttributes;
}

/** Attributes of a request's span, by their names in OpenTelemetry's semantic conventions. */
export type RequestAttributes = Readonly<Record<string, number | string | undefined>>;

/** In place of what could be secret or personal data; the conventions use this word for queries. */
export const REDACTED = 'REDACTED';

export interface Tracing {
  start(request: RequestTelemetryOptions): RequestTrace;
  /** Exports the remaining spans, within a second. */
  stop(): Promise<void>;
}

interface RequestTrace extends Pick<CallObserver, 'start'> {
  /** Header of the response; undefined if the request belongs to no trace. */
  readonly traceparent: string | undefined;
  /** Names the trace in log lines, and the gateway's span if it makes one. */
  readonly ids: Omit<RequestIds, 'requestId'> | undefined;
  end(summary: RequestSummary, errorType: string | undefined): void;
}

/** An attempt of a REST call, or a call that was not sent: deduplicated, or part of a dry run. */
export interface TracedCall {
  method: string;
  /** Path template. */
  path: string;
  sent: boolean;
  /** Whether the call joined an identical one in flight. */
  shared: boolean;
  /** From the start of the client's request to the start of the call; as all times, rounded to a tenth of a millisecond. */
  startMs: number;
  /** 1 for the first attempt. */
  attempt?: number;
  /** Present if the call read what became of a write of unknown outcome. */
  readBack?: boolean | undefined;
  status?: number | undefined;
  durationMs?: number;
  /** The request that a dry run skipped. */
  request?: Omit<RequestPreview, 'curl'>;
  curl: string;
}

export type RequestTelemetry = ReturnType<ReturnType<typeof createRequestTelemetryFactory>>;

/** `exposeCalls` is whether clients may see REST calls. */
export function createRequestTelemetryFactory(telemetry: Telemetry, tracing: Tracing, exposeCalls: boolean) {
  return (request: RequestTelemetryOptions) => {
    const { requestId, method, isGraphQL, scheme, traceRequested } = request;
    /** Finished REST calls for `extensions.trace`; undefined unless the client requested them and may see them. */
    const tracedCalls: TracedCall[] | undefined = exposeCalls && traceRequested ? [] : undefined;
    const startedAt = performance.now();
    const trace = tracing.start(request);
    const ids: RequestIds = trace.ids ? { requestId, ...trace.ids } : { requestId };
    /** Filled in as the request proceeds. */
    const summary: RequestSummary = {
      ...ids,
      method,
      status: undefined,
      durationMs: 0,
      restCalls: 0,
      errorCodes: [],
    };
    let failedCall: RequestSummary['failedCall'];
    const addTrace = ({ method, route, preview }: Call, details: Partial<TracedCall>) => {
      const fate = { sent: false, shared: false, startMs: elapsedMs(startedAt) };
      tracedCalls?.push({ method, path: route, ...fate, ...details, curl: preview().curl });
    };
    const calls: CallObserver = {
      start(call, number) {
        summary.restCalls += 1;
        const startMs = tracedCalls ? elapsedMs(startedAt) : 0;
        const span = trace.start(call, number);
        return {
          headers: span.headers,
          end(end) {
            span.end(end);
            const { isReadBack } = call.client;
            const { status, error, durationMs } = end;
            // A read-back says less than the write whose outcome it could not tell.
            if (error !== undefined && !(isReadBack && failedCall))
              failedCall = { method: call.method, route: call.route, status, error };
            telemetry.restCallEnded({ ids, call, attempt: number, end });
            if (!tracedCalls) return;
            addTrace(call, {
              sent: true,
              startMs,
              attempt: number,
              readBack: isReadBack,
              status,
              durationMs,
            });
          },
        };
      },
      deduplicated(call) {
        const { method, route } = call;
        telemetry.restCallDeduplicated({ ...ids, method, route });
        addTrace(call, { shared: true });
      },
      skippedByDryRun(call) {
        if (!tracedCalls) return;
        const { method, path, headers, body } = call.preview();
        addTrace(call, { request: { method, path, headers, body } });
      },
    };
    let isRunning = false;
    let isEndDue = false;
    /** The request ends once, when both its connection and its operation have: a write already sent runs to completion. */
    const endIfOver = () => {
      if (isRunning || !isEndDue) return;
      isEndDue = false; // Fastify may call the handler although the client has disconnected
      if (summary.errorCodes.length > 0 || summary.items?.failed) summary.failedCall = failedCall;
      const errorType = requestErrorType(summary);
      trace.end(summary, errorType);
      telemetry.requestEnded({ summary, errorType, isGraphQL, scheme });
    };
    return {
      ids,
      /** Header of the response; undefined if the request belongs to no trace. */
      traceparent: trace.traceparent,
      summary,
      tracedCalls,
      calls,
      writeEnded: telemetry.writeEnded,
      operationStarted() {
        isRunning = true;
      },
      operationEnded() {
        isRunning = false;
        endIfOver();
      },
      /** Reports that the response was sent, or the connection closed, which has no status. */
      close(status: number | undefined) {
        summary.status = status;
        summary.durationMs = elapsedMs(startedAt);
        isEndDue = true;
        endIfOver();
      },
    };
  };
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

/** Of version 00, or of a later version, which begins with its fields and may have more (W3C Trace Context §3.2.2, §4). */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.{0,200})?$/;

/** Propagates the client's trace context without creating spans. */
export const propagateOnly: Tracing = {
  start({ headers: { traceparent, tracestate } }) {
    if (typeof traceparent !== 'string') return noopTrace;
    const [, version, traceId, rest] = TRACEPARENT.exec(traceparent) ?? [];
    if (traceId === undefined || (version === '00' && rest !== undefined)) return noopTrace;
    const isPropagated = typeof tracestate === 'string' && tracestate.length <= MAX_TRACESTATE_BYTES;
    const headers = { traceparent, ...(isPropagated && { tracestate }) };
    return { ...noopTrace, traceparent, ids: { trace_id: traceId }, start: () => ({ headers, end: noop }) };
  },
  stop: () => Promise.resolve(),
};
