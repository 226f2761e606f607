/** One request to the REST service and its answer: the only place that sends anything. */
import type { Dispatcher } from 'undici';
import type { Connection } from './connectionPool.js';
import type { Cancellation } from './cancellation.js';
import {
  CancelledError,
  ServiceFailureError,
  InvalidResponseError,
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

export interface RestResponse {
  status: number;
  /** Names in lower case; a repeated header is an array. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrived, content coding included. */
  body: Buffer;
  /** False when only the end of the connection ended the body, so that a cut cannot be told from its end. */
  hasFraming: boolean;
}

export interface ExchangeOptions {
  /** Reading of performance.now() at which the call ends. */
  deadline: number;
  cancellation: Cancellation;
  maxResponseBytes: number;
  /** Whether the status alone says that the call was carried out, so that a body that does not arrive is no loss. */
  statusIsConclusive: boolean;
  /** Told when the caller leaves, and the call is left to finish, as it may have had its effect already. */
  onDetached: () => void;
}

/**
 * One request and its answer, whatever the status. Where the status alone decides, as that of a refusal (4xx) does,
 * a body that does not arrive as it should is taken for empty.
 */
export function exchange(
  connection: Connection,
  request: RestRequest,
  { deadline, cancellation, maxResponseBytes, statusIsConclusive, onDetached }: ExchangeOptions,
): Promise<RestResponse> {
  return new Promise((resolve, reject) => {
    const isRead = request.method === 'GET';
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    let status = 0;
    let headers: RestResponse['headers'] = {};
    let isSettled = false;
    /** There as soon as the request is about to be written to an open connection. */
    let controller: Dispatcher.DispatchController | undefined;

    const settle = (conclude: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      cancellation.offCancel(onCancel);
      conclude();
    };
    const abort = (error: Error) => {
      settle(() => {
        reject(error);
        controller?.abort(error);
      });
    };
    const fail = (error: Error) => {
      if (!isConclusive(status, statusIsConclusive)) {
        abort(error);
        return;
      }
      settle(() => {
        resolve({ status, headers, body: Buffer.alloc(0), hasFraming: true });
        controller?.abort(error);
      });
    };
    const onCancel = () => {
      if (isRead || controller === undefined) abort(new CancelledError('Cancelled'));
      else onDetached();
    };
    const onDeadline = () => {
      fail(
        controller === undefined
          ? new UnreachableError('Could not connect to the service in time')
          : new TimeoutError('The service did not respond in time'),
      );
    };

    const timer = setTimeout(onDeadline, deadline - performance.now());
    cancellation.onCancel(onCancel);
    if (cancellation.isCancelled) {
      onCancel();
      return;
    }

    connection.dispatch(request, {
      onRequestStart(started) {
        if (isSettled) started.abort(new CancelledError('Cancelled before the request was sent'));
        else controller = started;
      },
      onResponseStart(_controller, statusCode, responseHeaders) {
        status = statusCode;
        headers = responseHeaders;
      },
      onResponseData(_controller, chunk) {
        receivedBytes += chunk.length;
        if (receivedBytes > maxResponseBytes)
          fail(new InvalidResponseError('The response is too large', { status }));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        const hasFraming =
          'content-length' in headers || 'transfer-encoding' in headers || receivedBytes === 0;
        settle(() => {
          resolve({ status, headers, body: concatChunks(chunks), hasFraming });
        });
      },
      onResponseError(_controller, cause) {
        fail(
          controller === undefined
            ? new UnreachableError('Could not connect to the service', { cause })
            : new ServiceFailureError('The connection to the service was lost', { cause }),
        );
      },
    });
  });
}

/** Most answers come in one piece, which needs no copy. */
function concatChunks(chunks: readonly Buffer[]): Buffer {
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}

/** Whether a status says all that there is to know: a refusal does, and success where nothing more is asked for. */
function isConclusive(status: number, statusIsConclusive: boolean): boolean {
  return (status >= 400 && status < 500) || (statusIsConclusive && status >= 200 && status < 300);
}
