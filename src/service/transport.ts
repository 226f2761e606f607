/** The only place that sends a request to the REST service. */
import type { IncomingHttpHeaders } from 'node:http';
import { Pool, type Dispatcher } from 'undici';
import { requireSuccess } from './answer.js';
import {
  CallerLeftError,
  FailedError,
  InvalidAnswerError,
  TimeoutError,
  UnreachableError,
} from './errors.js';
import { createRetryBudget, withRetries } from './retry.js';

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

export interface TransportOptions {
  origin: string;
  /** Bound on a whole call in milliseconds: connecting, sending, waiting, the body, retries and their waits. */
  timeoutMs: number;
  /** How often a call may be tried again at the most. */
  retries: number;
  /** How many connections are open at the most. */
  connections: number;
  /** Bound on the body of an answer in bytes. */
  maxResponseBytes: number;
}

export interface Transport {
  /**
   * Sends a request and gives its 2xx answer; every other end is a ServiceError. When the caller leaves, a GET is
   * given up wherever it is, and any other method only as long as nothing of it was sent.
   */
  send(request: RestRequest, callerLeft: AbortSignal): Promise<RestAnswer>;
  stop(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const { origin, timeoutMs, retries, connections, maxResponseBytes } = options;
  const pool = new Pool(origin, {
    connections,
    connectTimeout: timeoutMs,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const budget = createRetryBudget();
  return {
    send(request, callerLeft) {
      const deadline = performance.now() + timeoutMs;
      const attempt = async () =>
        requireSuccess(
          await exchange(pool, request, { deadline, callerLeft, maxResponseBytes }),
          maxResponseBytes,
        );
      return withRetries(attempt, {
        isRead: request.method === 'GET',
        retries,
        budget,
        deadline,
        callerLeft,
      });
    },
    async stop() {
      await pool.destroy();
    },
  };
}

interface ExchangeBounds {
  /** Reading of performance.now() at which the call ends. */
  deadline: number;
  callerLeft: AbortSignal;
  maxResponseBytes: number;
}

/** One request and its answer, whatever the status. */
function exchange(
  dispatcher: Dispatcher,
  request: RestRequest,
  { deadline, callerLeft, maxResponseBytes }: ExchangeBounds,
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
      if (isRead || controller === undefined) giveUp(new CallerLeftError('The caller left'));
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
