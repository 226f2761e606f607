/** Calls to one origin of the REST service, with every policy that holds for them. */
import { errorFromResponse, isSuccess } from './response.js';
import { createBulkhead } from './bulkhead.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import { createConnectionPool } from './connectionPool.js';
import type { Cancellation } from './cancellation.js';
import { InvalidResponseError, BulkheadFullError, CircuitOpenError, ServiceError } from './errors.js';
import { exchange, type RestResponse, type RestRequest } from './exchange.js';
import type { CallObserver, RestCall, TransportObserver } from './events.js';
import { withRetries } from './retry.js';
import { createRetryBudget } from './retryBudget.js';

export interface TransportOptions {
  origin: string;
  /** Bound on a whole call in milliseconds: its turn, connecting, sending, the answer, retries and their waits. */
  timeoutMs: number;
  /** How often a call may be tried again at the most. */
  retries: number;
  /** Connections, and so calls in flight, at the most. */
  maxConnections: number;
  /** Calls beyond those that wait at the most. */
  queueLimit: number;
  /** Time in milliseconds for which calls fail at once after the service failed too often. */
  circuitOpenMs: number;
  /** Bound on the body of an answer in bytes. */
  maxResponseBytes: number;
  observer: TransportObserver;
}

/** How a request is sent, and its answer read. */
export interface SendOptions<T> {
  cancellation: Cancellation;
  observer: CallObserver;
  /** What the observer is told of the request. */
  call: Pick<RestCall, 'route' | 'preview'>;
  /** Reads a 2xx answer. */
  read: (answer: RestResponse) => Promise<T>;
  /** Whether a 2xx status alone says that the call was carried out. @default false */
  statusIsConclusive?: boolean | undefined;
  /** Reading of performance.now() at which the call ends. @default `timeoutMs` from now */
  deadline?: number | undefined;
}

export interface Transport {
  /**
   * Sends a request and reads its 2xx answer; every other end is a ServiceError. When the caller leaves, a GET is
   * given up wherever it is, and any other method only as long as nothing of it was sent.
   */
  send<T>(request: RestRequest, sending: SendOptions<T>): Promise<T>;
  /** Waits for the calls in flight. */
  stop(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const { origin, timeoutMs, retries, queueLimit, circuitOpenMs, maxResponseBytes, observer } = options;
  const budget = createRetryBudget();
  const maxConnections = createConnectionPool({
    origin,
    limit: options.maxConnections,
    timeoutMs,
    onFree: () => {
      bulkhead.drainQueue();
    },
  });
  const bulkhead = createBulkhead({ slots: maxConnections, limit: options.maxConnections, queueLimit });
  const breaker = createCircuitBreaker({
    openDurationMs: circuitOpenMs,
    onChange(state, failure) {
      observer.onCircuitChange({
        origin,
        state,
        ...(failure && { failure: failure.name, reason: safeErrorReason(failure) }),
      });
    },
  });

  const send = <T>(request: RestRequest, sending: SendOptions<T>): Promise<T> => {
    const { cancellation, read, call: callInfo, statusIsConclusive = false } = sending;
    const { deadline = performance.now() + timeoutMs } = sending;
    const call = { requestId: request.headers['x-request-id'], method: request.method };
    const bounds = {
      deadline,
      cancellation,
      maxResponseBytes,
      statusIsConclusive,
      onDetached: () => {
        observer.onCallCancelled({ ...call, outcome: 'detached' });
      },
    };
    let attempts = 0;
    const attempt = () =>
      breaker.run(async () => {
        const connection = await bulkhead.acquireSlot({ deadline, cancellation });
        const begunAt = performance.now();
        attempts += 1;
        const { headers, end } = sending.observer.start({
          ...callInfo,
          method: call.method,
          attempt: attempts,
        });
        const ended = (status: number | undefined, error?: string) => {
          bulkhead.releaseSlot(connection);
          end({ status, error, durationMs: performance.now() - begunAt });
        };
        let status: number | undefined;
        try {
          const observed = headers ? { ...request, headers: { ...request.headers, ...headers } } : request;
          const answer = await exchange(connection, observed, bounds);
          ({ status } = answer);
          if (!isSuccess(answer)) throw await errorFromResponse(answer, maxResponseBytes);
          const result = await read(answer);
          ended(status);
          return result;
        } catch (error) {
          ended(status, error instanceof ServiceError ? error.name : 'Error');
          if (error instanceof InvalidResponseError)
            observer.onContractViolation({ ...call, problem: error.message });
          throw error;
        }
      });
    const isRead = request.method === 'GET';
    return withRetries(attempt, { isRead, retries, budget, deadline, cancellation }).catch(
      (error: unknown) => {
        if (error instanceof BulkheadFullError || error instanceof CircuitOpenError)
          observer.onCallRejected(call);
        throw error;
      },
    );
  };

  return {
    send,
    stop: () => maxConnections.close(),
  };
}

/** The code of what went wrong, such as ECONNREFUSED; its message would name hosts. */
function safeErrorReason({ message, cause }: Error): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : message;
}
