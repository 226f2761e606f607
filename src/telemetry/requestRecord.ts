/** What becomes of one GraphQL request, gathered from all who have a part in it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CallObserver } from '../service/observer.js';
import type { GatewayObserver, RequestSummary } from './observer.js';
import type { Tracing } from './tracing.js';

export interface RequestRecord {
  /** The header `traceparent` for the answer; undefined outside of a trace. */
  readonly traceparent: string | undefined;
  /** Follows the REST calls of the request. */
  readonly calls: CallObserver;
  /** What its operation is and became, as far as it got. */
  readonly operation: Partial<
    Pick<RequestSummary, 'errorCodes' | 'operationName' | 'operationType' | 'outcome'>
  >;
  /** Runs the operation, which may go on when its caller has left. */
  run<T>(execute: () => Promise<T>): Promise<T>;
  /** The connection has taken the answer, or is closed: the request is at its end when its operation is, too. */
  close(status: number | undefined): void;
}

export interface RequestRecordOptions {
  requestId: string;
  method: string;
  headers: IncomingHttpHeaders;
}

export function createRequestRecords({ observer, tracing }: { observer: GatewayObserver; tracing: Tracing }) {
  return ({ requestId, method, headers }: RequestRecordOptions): RequestRecord => {
    const begunAt = performance.now();
    const trace = tracing.begin(headers);
    let restCalls = 0;
    const operation: RequestRecord['operation'] = {};
    let isRunning = false;
    let end: (() => void) | undefined;
    return {
      traceparent: trace.traceparent,
      operation,
      calls: {
        begin(call) {
          restCalls += 1;
          const span = trace.begin(call);
          return {
            headers: span.headers,
            end(end) {
              span.end(end);
              observer.onRestCallEnd(call, end);
            },
          };
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
        const durationMs = performance.now() - begunAt;
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
