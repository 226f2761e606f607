/** Calls to one origin of the REST service, with every policy that holds for them. */
import { failureOf, isSuccess } from './answer.js';
import { createBulkhead } from './bulkhead.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import { createConnections } from './connections.js';
import type { Departure } from './departure.js';
import { InvalidAnswerError, NotAdmittedError, ServiceError } from './errors.js';
import { exchange, type RestAnswer, type RestRequest } from './exchange.js';
import type { CallObserver, RestCall, TransportObserver } from './observer.js';
import { createRetryBudget, withRetries } from './retry.js';

export interface TransportOptions {
  origin: string;
  /** Bound on a whole call in milliseconds: its turn, connecting, sending, the answer, retries and their waits. */
  timeoutMs: number;
  /** How often a call may be tried again at the most. */
  retries: number;
  /** Connections, and so calls in flight, at the most. */
  connections: number;
  /** Calls beyond those that wait at the most. */
  queueLimit: number;
  /** Time in milliseconds for which calls fail at once after the service failed too often. */
  circuitOpenMs: number;
  /** Bound on the body of an answer in bytes. */
  maxResponseBytes: number;
  observer: TransportObserver;
}

/** How a request is sent, and its answer read. */
export interface Sending<T> {
  callerLeft: Departure;
  observer: CallObserver;
  /** What the observer is told of the request. */
  shown: Pick<RestCall, 'route' | 'show'>;
  /** Reads a 2xx answer. */
  read: (answer: RestAnswer) => Promise<T>;
  /** Whether a 2xx status alone says that the call was carried out. @default false */
  isBodyOptional?: boolean | undefined;
  /** Reading of performance.now() at which the call ends. @default `timeoutMs` from now */
  deadline?: number | undefined;
}

export interface Transport {
  /**
   * Sends a request and reads its 2xx answer; every other end is a ServiceError. When the caller leaves, a GET is
   * given up wherever it is, and any other method only as long as nothing of it was sent.
   */
  send<T>(request: RestRequest, sending: Sending<T>): Promise<T>;
  /** Waits for the calls in flight. */
  stop(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const { origin, timeoutMs, retries, queueLimit, circuitOpenMs, maxResponseBytes, observer } = options;
  const budget = createRetryBudget();
  const connections = createConnections({
    origin,
    limit: options.connections,
    timeoutMs,
    onFree: () => {
      bulkhead.admit();
    },
  });
  const bulkhead = createBulkhead({ places: connections, limit: options.connections, queueLimit });
  const breaker = createCircuitBreaker({
    openMs: circuitOpenMs,
    onChange(state, failure) {
      observer.onCircuitChange({
        origin,
        state,
        ...(failure && { failure: failure.name, reason: reasonOf(failure) }),
      });
    },
  });

  const send = <T>(request: RestRequest, sending: Sending<T>): Promise<T> => {
    const { callerLeft, read, shown, isBodyOptional = false } = sending;
    const { deadline = performance.now() + timeoutMs } = sending;
    const call = { requestId: request.headers['x-request-id'], method: request.method };
    const bounds = {
      deadline,
      callerLeft,
      maxResponseBytes,
      isBodyOptional,
      onLeftToFinish: () => {
        observer.onCallerLeft({ ...call, becomes: 'left to finish' });
      },
    };
    let tries = 0;
    const attempt = () =>
      breaker.run(async () => {
        const connection = await bulkhead.enter({ deadline, callerLeft });
        const begunAt = performance.now();
        tries += 1;
        const { headers, end } = sending.observer.begin({ ...shown, method: call.method, attempt: tries });
        const ended = (status: number | undefined, error?: string) => {
          bulkhead.leave(connection);
          end({ status, error, durationMs: performance.now() - begunAt });
        };
        let status: number | undefined;
        try {
          const observed = headers ? { ...request, headers: { ...request.headers, ...headers } } : request;
          const answer = await exchange(connection, observed, bounds);
          ({ status } = answer);
          if (!isSuccess(answer)) throw await failureOf(answer, maxResponseBytes);
          const result = await read(answer);
          ended(status);
          return result;
        } catch (error) {
          ended(status, error instanceof ServiceError ? error.name : 'Error');
          if (error instanceof InvalidAnswerError)
            observer.onContractBroken({ ...call, problem: error.message });
          throw error;
        }
      });
    const isRead = request.method === 'GET';
    return withRetries(attempt, { isRead, retries, budget, deadline, callerLeft }).catch((error: unknown) => {
      if (error instanceof NotAdmittedError) observer.onCallDropped(call);
      throw error;
    });
  };

  return {
    send,
    stop: () => connections.close(),
  };
}

/** The code of what went wrong, such as ECONNREFUSED; its message would name hosts. */
function reasonOf({ message, cause }: Error): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : message;
}
