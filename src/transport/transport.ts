/** Sends REST calls to one origin with every policy: deadline, retries, circuit breaker, bulkhead, memory, cancellation. */
import { createBulkhead, type BulkheadLoad } from './bulkhead.js';
import type { Call, CallScope, Send, TransportObserver } from './calls.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import { createConnectionPool } from './connectionPool.js';
import { exchange } from './exchange.js';
import type { AttemptErrorType } from './failures.js';
import { errorFromResponse, isSuccess, readJson } from './response.js';
import { withRetries } from './retry.js';
import { createRetryBudget } from './retryBudget.js';
import { errorTypeOf, ServiceError } from './serviceError.js';

export interface TransportOptions {
  origin: string;
  /** Timeout of a whole call in milliseconds: queueing, connecting, sending, the response, retries and backoff. */
  timeoutMs: number;
  /** Maximum retries of a call. */
  retries: number;
  /** Maximum connections, and so maximum calls in flight. */
  maxConnections: number;
  /** Age from which a connection is replaced, in milliseconds; 0 for no limit. */
  maxConnectionAgeMs: number;
  /** Maximum calls that wait for a connection. */
  queueLimit: number;
  /** How long the circuit breaker stays open, in milliseconds. */
  circuitOpenMs: number;
  /** Maximum size of a response body in bytes, compressed and decompressed. */
  maxResponseBytes: number;
  observer: TransportObserver;
}

export type TransportLoad = BulkheadLoad & Pick<TransportOptions, 'origin'>;

export interface Transport {
  /** On cancellation a GET is aborted at any point; other methods only before the first byte is sent. */
  readonly send: Send;
  load(): TransportLoad;
  /** Waits for the calls in flight. */
  stop(): Promise<void>;
}

/**
 * Share of the timeout within which a service that is up accepts connections. A call that waited longer for its turn does not
 * count against the circuit breaker if it finds no time to connect: one client's slow calls can make many wait that long.
 */
const CONNECT_TIME_SHARE = 1 / 2;

export function createTransport(transportOptions: TransportOptions): Transport {
  const { origin, timeoutMs, retries, maxConnections, queueLimit } = transportOptions;
  const { circuitOpenMs, maxConnectionAgeMs, maxResponseBytes, observer } = transportOptions;
  const budget = createRetryBudget();
  const connections = createConnectionPool({
    origin,
    limit: maxConnections,
    timeoutMs,
    maxAgeMs: maxConnectionAgeMs,
    onFree: () => {
      bulkhead.drainQueue();
    },
  });
  const bulkhead = createBulkhead({ slots: connections, limit: maxConnections, queueLimit });
  const breaker = createCircuitBreaker({
    openDurationMs: circuitOpenMs,
    onChange(state, failure) {
      observer.onCircuitChange({ origin, state, ...describeFailure(failure) });
    },
    onClientChange(state, { ids }, failure) {
      observer.onClientCircuitChange({ ...ids, origin, state, ...describeFailure(failure) });
    },
  });

  const send = <Result>(call: Call<Result>, { cancellation, memory }: CallScope): Promise<Result> => {
    const { method, path, body = null, client, deadline = performance.now() + timeoutMs } = call;
    const exchangeOptions = {
      deadline,
      connectTimeMs: timeoutMs * CONNECT_TIME_SHARE,
      cancellation,
      maxResponseBytes,
      memory,
      statusIsConclusive: call.statusIsConclusive ?? false,
      onDetached: () => {
        observer.onCallCancelled({ ...client.ids, method, outcome: 'detached' });
      },
    };
    const readOptions = { maxBytes: maxResponseBytes, memory };
    let attempts = 0;
    const attempt = () =>
      breaker.run(async () => {
        if (call.mayBeLarge && memory.budget.isUsedUp) throw new ServiceError('outOfMemory');
        const lease = await bulkhead.acquireSlot({ client, deadline, cancellation });
        const startedAt = performance.now();
        attempts += 1;
        const span = call.observer.start({ call, number: attempts });
        const finish = (status: number | undefined, error?: AttemptErrorType) => {
          bulkhead.releaseSlot(lease);
          span.end({ status, error, durationMs: performance.now() - startedAt });
        };
        let status: number | undefined;
        try {
          const headers = span.headers ? { ...call.headers, ...span.headers } : call.headers;
          const response = await exchange(lease.slot, { method, path, headers, body }, exchangeOptions);
          ({ status } = response);
          if (!isSuccess(response)) throw await errorFromResponse(response, call.messagesOf, readOptions);
          const result = await call.read({
            status,
            headers: response.headers,
            json: () => readJson(response, readOptions),
          });
          finish(status);
          return result;
        } catch (error) {
          memory.discardBody();
          finish(status, errorTypeOf(error));
          if (error instanceof ServiceError && error.failure === 'responseInvalid')
            observer.onContractViolation({ ...client.ids, method, problem: error.message });
          throw error;
        }
      }, client);
    const isRead = method === 'GET';
    return withRetries(attempt, { isRead, retries, budget, deadline, cancellation }).catch(
      (error: unknown) => {
        if (error instanceof ServiceError && error.meaning.isShed)
          observer.onCallRejected({ ...client.ids, method });
        throw error;
      },
    );
  };

  return {
    send,
    load: () => ({ origin, ...bulkhead.load() }),
    stop: () => connections.close(),
  };
}

function describeFailure(failure: Error | undefined) {
  return failure && { failure: failure.name, reason: safeErrorReason(failure) };
}

/** The error's code, such as ECONNREFUSED: the message of a system error would expose hosts. */
function safeErrorReason({ message, cause }: Error): string {
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : message;
}
