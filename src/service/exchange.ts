/** One request to the REST service and its answer: the only place that sends anything. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import {
  CallerLeftError,
  FailedError,
  InvalidAnswerError,
  TimeoutError,
  UnreachableError,
} from './errors.js';

export interface RestRequest {
  method: 'DELETE' | 'GET' | 'POST' | 'PUT';
  /** Path with the query, percent-encoded. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface RestAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as it arrived, content coding included. */
  body: Buffer;
  /** False when only the end of the connection ended the body, so that a cut cannot be told from its end. */
  isDelimited: boolean;
}

export interface CallerLeftEvent {
  requestId: string | undefined;
  method: RestRequest['method'];
  /** Reads are given up; a write that is on its way is left to finish. */
  becomes: 'given up' | 'left to finish';
}

export interface ExchangeBounds {
  /** Reading of performance.now() at which the call ends. */
  deadline: number;
  callerLeft: AbortSignal;
  maxResponseBytes: number;
  /** Told what becomes of the call when the caller leaves. */
  onCallerLeft: (event: CallerLeftEvent) => void;
}

/** One request and its answer, whatever the status. */
export function exchange(
  dispatcher: Dispatcher,
  request: RestRequest,
  { deadline, callerLeft, maxResponseBytes, onCallerLeft }: ExchangeBounds,
): Promise<RestAnswer> {
  return new Promise((resolve, reject) => {
    const isRead = request.method === 'GET';
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    let isSettled = false;
    /** There as soon as the request is about to be written to an open connection. */
    let controller: Dispatcher.DispatchController | undefined;

    const settle = (conclude: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      callerLeft.removeEventListener('abort', leave);
      conclude();
    };
    const giveUp = (error: Error) => {
      settle(() => {
        reject(error);
        controller?.abort(error);
      });
    };
    const leave = () => {
      const isGivenUp = isRead || controller === undefined;
      onCallerLeft({
        requestId: request.headers['x-request-id'],
        method: request.method,
        becomes: isGivenUp ? 'given up' : 'left to finish',
      });
      if (isGivenUp) giveUp(new CallerLeftError('The caller left'));
    };
    const expire = () => {
      giveUp(
        controller === undefined
          ? new UnreachableError('No connection to the service within the deadline')
          : new TimeoutError('No complete answer of the service within the deadline'),
      );
    };
    const timer = setTimeout(expire, deadline - performance.now());
    callerLeft.addEventListener('abort', leave);
    if (callerLeft.aborted) {
      leave();
      return;
    }

    dispatcher.dispatch(request, {
      onRequestStart(started) {
        if (isSettled) started.abort(new CallerLeftError('Given up before it was sent'));
        else controller = started;
      },
      onResponseStart(_controller, statusCode, responseHeaders) {
        status = statusCode;
        headers = responseHeaders;
      },
      onResponseData(_controller, chunk) {
        receivedBytes += chunk.length;
        if (receivedBytes > maxResponseBytes)
          giveUp(new InvalidAnswerError('The answer is too large', { status }));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        const isDelimited =
          'content-length' in headers || 'transfer-encoding' in headers || receivedBytes === 0;
        settle(() => {
          resolve({ status, headers, body: Buffer.concat(chunks, receivedBytes), isDelimited });
        });
      },
      onResponseError(_controller, cause) {
        giveUp(
          controller === undefined
            ? new UnreachableError('No connection to the service', { cause })
            : new FailedError('The connection to the service was lost', { cause }),
        );
      },
    });
  });
}
