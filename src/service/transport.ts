/** Calls to one origin of the REST service, with every policy that holds for them. */
import { requireSuccess } from './answer.js';
import { createBulkhead } from './bulkhead.js';
import { createCircuitBreaker } from './circuitBreaker.js';
import { createConnections } from './connections.js';
import { exchange, type CallerLeftEvent, type RestAnswer, type RestRequest } from './exchange.js';
import { createRetryBudget, withRetries } from './retry.js';

export interface TransportOptions {
  origin: string;
  /** Bound on a whole call in milliseconds: its turn, connecting, sending, the answer, retries and their waits. */
  timeoutMs: number;
  /** How often a call may be tried again at the most. */
  retries: number;
  /** Connections, and so calls in flight, at the most. */
  connections: number;
  /** Calls that wait for a connection at the most. */
  queueLimit: number;
  /** Time in milliseconds for which calls fail at once after the service failed too often. */
  circuitOpenMs: number;
  /** Bound on the body of an answer in bytes. */
  maxResponseBytes: number;
  /** Told what became of a call whose caller left. */
  onCallerLeft: (event: CallerLeftEvent) => void;
}

export interface Transport {
  /**
   * Sends a request and reads its 2xx answer; every other end is a ServiceError. When the caller leaves, a GET is
   * given up wherever it is, and any other method only as long as nothing of it was sent.
   */
  send<T>(
    request: RestRequest,
    callerLeft: AbortSignal,
    read: (answer: RestAnswer) => Promise<T>,
  ): Promise<T>;
  /** Waits for the calls in flight. */
  stop(): Promise<void>;
}

export function createTransport(options: TransportOptions): Transport {
  const { timeoutMs, retries, connections, queueLimit, circuitOpenMs, maxResponseBytes, onCallerLeft } =
    options;
  const pool = createConnections(options);
  const budget = createRetryBudget();
  const breaker = createCircuitBreaker({ openMs: circuitOpenMs });
  const bulkhead = createBulkhead({ limit: connections, queueLimit });

  return {
    send(request, callerLeft, read) {
      const deadline = performance.now() + timeoutMs;
      const attempt = () =>
        breaker.run(async () => {
          const leave = await bulkhead.enter({ deadline, callerLeft });
          try {
            const answer = await exchange(pool, request, {
              deadline,
              callerLeft,
              maxResponseBytes,
              onCallerLeft,
            });
            return await read(await requireSuccess(answer, maxResponseBytes));
          } finally {
            leave();
          }
        });
      return withRetries(attempt, {
        isRead: request.method === 'GET',
        retries,
        budget,
        deadline,
        callerLeft,
      });
    },
    stop: () => pool.close(),
  };
}
