/** Distributed traces (W3C Trace Context): a request belongs to its caller's trace, and its REST calls to that, too. */
import type { CallObserver } from '../service/transport/events.js';
import type { RequestSummary } from './events.js';
import type { RequestTelemetryOptions } from './requestTelemetry.js';

export interface RequestTrace extends Pick<CallObserver, 'start'> {
  /** The header for the answer; undefined outside of a trace. */
  readonly traceparent: string | undefined;
  end(summary: RequestSummary): void;
}

export interface Tracing {
  start(request: RequestTelemetryOptions): RequestTrace;
  /** Sends what is not sent yet. */
  stop(): Promise<void>;
}

const noop = () => undefined;
const noopTrace: RequestTrace = {
  traceparent: undefined,
  start: () => ({ headers: undefined, end: noop }),
  end: noop,
};

/** Hands on the trace of each caller, and makes none of its own. */
export const propagateOnly: Tracing = {
  start({ headers: { traceparent, tracestate } }) {
    if (typeof traceparent !== 'string' || !isTraceparent(traceparent)) return noopTrace;
    const headers = { traceparent, ...(typeof tracestate === 'string' && { tracestate }) };
    return {
      traceparent,
      start: () => ({ headers, end: noop }),
      end: noop,
    };
  },
  stop: () => Promise.resolve(),
};

/** Version 00, and what a later version may look like (W3C Trace Context, sections 3.2.2 and 4). */
export function isTraceparent(header: string): boolean {
  const [, version = '', traceId = '', spanId = '', rest = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.{0,200})?$/.exec(header) ?? [];
  return (
    version !== '' &&
    version !== 'ff' &&
    (version !== '00' || rest === '') &&
    !/^0+$/.test(traceId) &&
    !/^0+$/.test(spanId)
  );
}
