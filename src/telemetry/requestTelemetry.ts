/** What becomes of one GraphQL request, gathered from all who have a part in it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CallObserver, RequestPreview } from '../service/transport/events.js';
import type { GatewayObserver, RequestSummary } from './events.js';
import type { Tracing } from './tracing.js';

export interface RequestTelemetry {
  /** The header `traceparent` for the answer; undefined outside of a trace. */
  readonly traceparent: string | undefined;
  /** Follows the REST calls of the request. */
  readonly calls: CallObserver;
  /** The REST calls in the order of their ends, for the caller to see; undefined unless it may and wants to. */
  readonly tracedCalls: readonly TracedCall[] | undefined;
  /** What its operation is and became, as far as it got. */
  readonly operation: Partial<
    Pick<RequestSummary, 'errorCodes' | 'operationName' | 'operationType' | 'outcome'>
  >;
  /** Runs the operation, which may go on when its caller has left. */
  run<T>(execute: () => Promise<T>): Promise<T>;
  /** The connection has taken the answer, or is closed: the request is at its end when its operation is, too. */
  close(status: number | undefined): void;
}

export interface RequestTelemetryOptions {
  requestId: string;
  method: string;
  /** Gives the path that the gateway answers at; undefined for any other, of which there is no end. */
  route: () => string | undefined;
  headers: IncomingHttpHeaders;
  traceRequested: boolean;
}

/** One try of a REST call; one that was not sent, as another one was for the same; or, in a dry run, one not sent. */
export interface TracedCall {
  method: string;
  /** Template of the path. */
  path: string;
  sent: boolean;
  /** Whether the call of another request was for the same. */
  shared: boolean;
  attempt?: number;
  /** HTTP status of the answer. */
  status?: number;
  durationMs?: number;
  /** What would have been sent. */
  request?: Omit<RequestPreview, 'curl'>;
  curl: string;
}

export interface RequestTelemetryFactoryOptions {
  observer: GatewayObserver;
  tracing: Tracing;
  /** Whether callers may see REST calls. */
  exposeCalls: boolean;
}

export function createRequestTelemetryFactory({
  observer,
  tracing,
  exposeCalls,
}: RequestTelemetryFactoryOptions) {
  return (request: RequestTelemetryOptions): RequestTelemetry => {
    const { requestId, method, traceRequested } = request;
    const tracedCalls: TracedCall[] | undefined = exposeCalls && traceRequested ? [] : undefined;
    const startedAt = performance.now();
    const trace = tracing.start(request);
    let restCalls = 0;
    const operation: RequestTelemetry['operation'] = {};
    let isRunning = false;
    let end: (() => void) | undefined;
    return {
      traceparent: trace.traceparent,
      operation,
      tracedCalls,
      calls: {
        start(call) {
          restCalls += 1;
          const span = trace.start(call);
          return {
            headers: span.headers,
            end(end) {
              span.end(end);
              observer.onRestCallEnd(call, end);
              const { method, route, attempt, preview: show } = call;
              const { status, durationMs } = end;
              tracedCalls?.push({
                method,
                path: route,
                sent: true,
                shared: false,
                attempt,
                ...(status !== undefined && { status }),
                durationMs,
                curl: show().curl,
              });
            },
          };
        },
        deduplicated(call) {
          observer.onRestCallDeduplicated(call);
          const { method, route, preview: show } = call;
          tracedCalls?.push({ method, path: route, sent: false, shared: true, curl: show().curl });
        },
        skippedByDryRun({ method, route, preview: show }) {
          if (!tracedCalls) return;
          const { curl, ...request } = show();
          tracedCalls.push({ method, path: route, sent: false, shared: false, request, curl });
        },
      },
      async run(execute) {
        isRunning = true;
        try {
          return await execute();
        } finally {
          isRunning = false;
          end?.();
        }
      },
      close(status) {
        const durationMs = performance.now() - startedAt;
        end = () => {
          const summary = { requestId, method, status, durationMs, restCalls, errorCodes: [], ...operation };
          trace.end(summary);
          observer.onRequestEnd(summary);
        };
        if (!isRunning) end();
      },
    };
  };
}
