/** One request to the REST service and its answer: the only place that sends anything. */
import type { Dispatcher } from 'undici';
import type { Connection } from './connections.js';
import type { Departure } from './departure.js';
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
  /** Names in lower case; a repeated header is an array. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrived, content coding included. */
  body: Buffer;
  /** False when only the end of the connection ended the body, so that a cut cannot be told from its end. */
  isDelimited: boolean;
}

export interface ExchangeBounds {
  /** Reading of performance.now() at which the call ends. */
  deadline: number;
  callerLeft: Departure;
  maxResponseBytes: number;
  /** Whether the status alone says that the call was carried out, so that a body that does not arrive is no loss. */
  isBodyOptional: boolean;
  /** Told when the caller leaves, and the call is left to finish, as it may have had its effect already. */
  onLeftToFinish: () => void;
}

/**
 * One request and its answer, whatever the status. Where the status alone decides, as that of a refusal (4xx) does,
 * a body that does not arrive as it should is taken for empty.
 */
export function exchange(
  connection: Connection,
  request: RestRequest,
  { deadline, callerLeft, maxResponseBytes, isBodyOptional, onLeftToFinish }: ExchangeBounds,
): Promise<RestAnswer> {
  return new Promise((resolve, reject) => {
    const isRead = request.method === 'GET';
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    let status = 0;
    let headers: RestAnswer['headers'] = {};
    let isSettled = false;
    /** There as soon as the request is about to be written to an open connection. */
    let controller: Dispatcher.DispatchController | undefined;

    const settle = (conclude: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      callerLeft.unlisten(leave);
      conclude();
    };
    const giveUp = (error: Error) => {
      settle(() => {
        reject(error);
        controller?.abort(error);
      });
    };
    const fail = (error: Error) => {
      if (!decides(status, isBodyOptional)) {
        giveUp(error);
        return;
      }
      settle(() => {
        resolve({ status, headers, body: Buffer.alloc(0), isDelimited: true });
        controller?.abort(error);
      });
    };
    const leave = () => {
      if (isRead || controller === undefined) giveUp(new CallerLeftError('The caller left'));
      else onLeftToFinish();
    };
    const expire = () => {
      fail(
        controller === undefined
          ? new UnreachableError('No connection to the service within the deadline')
          : new TimeoutError('No complete answer of the service within the deadline'),
      );
    };

    const timer = setTimeout(expire, deadline - performance.now());
    callerLeft.listen(leave);
    if (callerLeft.hasHappened) {
      leave();
      return;
    }

    connection.dispatch(request, {
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
          fail(new InvalidAnswerError('The answer is too large', { status }));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        const isDelimited =
          'content-length' in headers || 'transfer-encoding' in headers || receivedBytes === 0;
        settle(() => {
          resolve({ status, headers, body: wholeOf(chunks), isDelimited });
        });
      },
      onResponseError(_controller, cause) {
        fail(
          controller === undefined
            ? new UnreachableError('No connection to the service', { cause })
            : new FailedError('The connection to the service was lost', { cause }),
        );
      },
    });
  });
}

/** Most answers come in one piece, which needs no copy. */
function wholeOf(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}

/** Whether a status says all that there is to know: a refusal does, and success where nothing more is asked for. */
function decides(status: number, isBodyOptional: boolean): boolean {
  return (status >= 400 && status < 500) || (isBodyOptional && status >= 200 && status < 300);
}
