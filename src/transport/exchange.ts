/** Sends one request and collects its response: the only place that writes to the network. */
import type { Dispatcher } from 'undici';
import { MAX_HEADER_BYTES, type Connection } from './connectionPool.js';
import type { FailureName } from '../failures.js';
import { RestResponse, type ReadOptions } from './response.js';
import { GatewayError, type FailureDetails } from '../gatewayError.js';
import { isTooLateToSend, MIN_REMAINING_MS, type Ends } from './cancellation.js';

const CONNECT_TIMEOUT = { message: 'Could not connect to the service in time' };

export interface ExchangeOptions extends ReadOptions, Ends {
  /** In milliseconds: with less left, a connection that does not open counts as `deadlinePassed`, not as `unreachable`. */
  minConnectTimeMs: number;
  /** Called if a write is cancelled after it was sent: it runs to completion because it may have taken effect. */
  onDetached: () => void;
}

/** Resolves for every status. A 3xx or 4xx does not need its body: if that is lost, late or too large, the response is incomplete. */
export function exchange(
  { http }: Connection,
  request: Dispatcher.DispatchOptions,
  options: ExchangeOptions,
): Promise<RestResponse> {
  const { deadline, minConnectTimeMs, cancellation, maxResponseBytes, memory, onDetached } = options;
  const sentAt = performance.now();
  const remainingMs = deadline - sentAt;
  if (remainingMs < MIN_REMAINING_MS) return Promise.reject(new GatewayError('deadlinePassed'));
  const isOpening = !http.stats.connected;
  return new Promise((resolve, reject) => {
    const isRead = request.method === 'GET';
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    let status = 0;
    let headers: RestResponse['headers'] = {};
    let isSettled = false;
    /** Whether the body waits for the turn of its request. */
    let isWaiting = false;
    /** Set just before the request is written to an open connection. */
    let controller: Dispatcher.DispatchController | undefined;

    const settle = (response: RestResponse | undefined, error?: GatewayError) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      cancellation.offCancel(onCancel);
      if (response) resolve(response);
      else if (error) reject(error);
      if (error) controller?.abort(error);
    };
    const fail = (failure: FailureName, details?: FailureDetails) => {
      const isRejected = status >= 300 && status < 500 && failure !== 'cancelled';
      const response = isRejected
        ? new RestResponse(status, headers, Buffer.alloc(0), sentAt, options, false)
        : undefined;
      settle(response, new GatewayError(failure, details));
    };
    const complete = () => settle(new RestResponse(status, headers, Buffer.concat(chunks), sentAt, options));
    const onCancel = () => {
      if (isRead || controller === undefined) fail('cancelled');
      else onDetached();
    };
    const onDeadline = () => {
      if (controller !== undefined) fail(isWaiting ? 'responseDiscarded' : 'timedOut');
      else if (isOpening && remainingMs >= minConnectTimeMs) fail('unreachable', CONNECT_TIMEOUT);
      else fail('deadlinePassed');
    };

    const timer = setTimeout(onDeadline, remainingMs);
    cancellation.onCancel(onCancel);
    if (cancellation.isCancelled) return;

    http.dispatch(request, {
      onRequestStart(requestController) {
        if (isTooLateToSend(deadline)) onDeadline(); // the connection took too long to open, or the event loop stalled
        if (isSettled) {
          requestController.abort(new GatewayError('cancelled'));
          return;
        }
        controller = requestController;
      },
      onResponseStart(_controller, statusCode, responseHeaders) {
        if (statusCode < 200) return; // interim (RFC 9110 §15.2)
        status = statusCode;
        headers = responseHeaders;
      },
      onResponseData(responseController, chunk) {
        if (isSettled) return;
        receivedBytes += chunk.length;
        if (receivedBytes > maxResponseBytes) {
          fail('responseInvalid', { message: 'The response is too large', status });
          return;
        }
        chunks.push(chunk);
        const turn = memory.hold(receivedBytes);
        if (!turn || isWaiting) return;
        isWaiting = true;
        responseController.pause();
        const onTurn = () => {
          isWaiting = false;
          if (!isSettled) responseController.resume();
        };
        turn.then(onTurn, () => fail('responseDiscarded'));
      },
      onResponseEnd: complete,
      onResponseError(_controller, cause) {
        // By undici's codes and names: the bundle has a part of undici only, without its classes of errors.
        const { code, name } = cause as NodeJS.ErrnoException;
        // A 204 ends with its headers, whatever length it announces (RFC 9112 §6.3).
        if (status === 204 && code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') complete();
        else if (code === 'UND_ERR_HEADERS_OVERFLOW')
          fail('invalidHttp', { message: HEADERS_TOO_LARGE, cause });
        else if (name === 'HTTPParserError') fail('invalidHttp', { problem: parserReason(cause), cause });
        else if (controller !== undefined) fail('connectionLost', { cause });
        else if (code === 'UND_ERR_CONNECT_TIMEOUT') fail('unreachable', { ...CONNECT_TIMEOUT, cause });
        else fail('unreachable', { cause });
      },
    });
  });
}

const HEADERS_TOO_LARGE = `The headers of the response are larger than ${MAX_HEADER_BYTES / 1024} KiB`;

/** The parser's reason, one of its fixed texts, such as `Invalid header token`. */
function parserReason({ message }: Error): string | undefined {
  return /\(([\w ,/.-]+)\)/.exec(message)?.[1];
}
