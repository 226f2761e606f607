/** What becomes of one GraphQL request, gathered from all who have a part in it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { CallObserver, CallRecord, RestCall, ShownRequest } from '../service/observer.js';
import type { GatewayObserver, RequestSummary } from './observer.js';
import type { RequestTrace, Tracing } from './tracing.js';

export interface RequestRecord {
  /** The header `traceparent` for the answer; undefined outside of a trace. */
  readonly traceparent: string | undefined;
  /** Follows the REST calls of the request. */
  readonly calls: CallObserver;
  /** The REST calls in the order of their ends, for the caller to see; undefined unless it may and wants to. */
  readonly shownCalls: readonly ShownCall[] | undefined;
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
  /** Gives the path that the gateway answers at; undefined for any other, of which there is no end. */
  route: () => string | undefined;
  headers: IncomingHttpHeaders;
}

/** One try of a REST call; one that was not sent, as another one was for the same; or, in a dry run, one not sent. */
export interface ShownCall {
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
  request?: Omit<ShownRequest, 'curl'>;
  curl: string;
}

/** Headers with which a caller asks to see REST calls, and that no write be sent; their value is 1. */
export const TRACE_HEADER = 'x-gateway-trace';
export const DRY_RUN_HEADER = 'x-gateway-dry-run';

export interface RequestRecordsOptions {
  observer: GatewayObserver;
  tracing: Tracing;
  /** Whether callers may see REST calls. */
  showsCalls: boolean;
}

export function createRequestRecords(options: RequestRecordsOptions) {
  return (request: RequestRecordOptions): RequestRecord => new ObservedRequest(request, options);
}

/** A class, as there is one for each request. */
class ObservedRequest implements RequestRecord, CallObserver {
  readonly operation: RequestRecord['operation'] = {};
  readonly shownCalls: ShownCall[] | undefined;
  readonly #begunAt = performance.now();
  readonly #requestId: string;
  readonly #method: string;
  readonly #trace: RequestTrace;
  readonly #observer: GatewayObserver;
  #restCalls = 0;
  #isRunning = false;
  /** Set as soon as the connection has come to its end. */
  #closed: Pick<RequestSummary, 'durationMs' | 'status'> | undefined;

  constructor(request: RequestRecordOptions, { observer, tracing, showsCalls }: RequestRecordsOptions) {
    const { requestId, method, headers } = request;
    const isAskedFor = headers[TRACE_HEADER] === '1' || headers[DRY_RUN_HEADER] === '1';
    this.shownCalls = showsCalls && isAskedFor ? [] : undefined;
    this.#requestId = requestId;
    this.#method = method;
    this.#trace = tracing.begin(request);
    this.#observer = observer;
  }

  get traceparent(): string | undefined {
    return this.#trace.traceparent;
  }

  get calls(): CallObserver {
    return this;
  }

  begin(call: RestCall): CallRecord {
    this.#restCalls += 1;
    const span = this.#trace.begin(call);
    return {
      headers: span.headers,
      end: (end) => {
        span.end(end);
        this.#observer.onRestCallEnd(call, end);
        const { method, route, attempt, show } = call;
        const { status, durationMs } = end;
        this.shownCalls?.push({
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
  }

  joined(call: Omit<RestCall, 'attempt'>): void {
    this.#observer.onRestCallJoined(call);
    const { method, route, show } = call;
    this.shownCalls?.push({ method, path: route, sent: false, shared: true, curl: show().curl });
  }

  unsent({ method, route, show }: Omit<RestCall, 'attempt'>): void {
    if (!this.shownCalls) return;
    const { curl, ...request } = show();
    this.shownCalls.push({ method, path: route, sent: false, shared: false, request, curl });
  }

  async run<T>(execute: () => Promise<T>): Promise<T> {
    this.#isRunning = true;
    try {
      return await execute();
    } finally {
      this.#isRunning = false;
      this.#endWhenOver();
    }
  }

  close(status: number | undefined): void {
    this.#closed = { status, durationMs: performance.now() - this.#begunAt };
    this.#endWhenOver();
  }

  #endWhenOver(): void {
    if (this.#isRunning || !this.#closed) return;
    const summary = {
      requestId: this.#requestId,
      method: this.#method,
      ...this.#closed,
      restCalls: this.#restCalls,
      errorCodes: [],
      ...this.operation,
    };
    this.#trace.end(summary);
    this.#observer.onRequestEnd(summary);
  }
}
