/** Deduplicates identical reads in flight: they share one REST call. */
import type { Telemetry } from '../telemetry/events.js';
import type { Call, CallScope, Send } from './calls.js';
import type { Reading } from './largeResponses.js';
import { GatewayError } from '../gatewayError.js';
import { Cancellation } from './cancellation.js';

/** Wraps the sending of calls: deduplicates reads and reports aborted calls. */
export function deduplicate(send: Send, telemetry: Telemetry): Send {
  const deduplicator = createDeduplicator();
  const reportAbort = ({ method, client }: Call) => {
    telemetry.restCallCancelled({ ...client.ids, method, result: 'aborted' });
  };
  const sendAlone = async <Result>(call: Call<Result>, scope: CallScope): Promise<Result> => {
    const { cancellation } = scope;
    const isRead = call.method === 'GET';
    const reading = scope.reading.forCall();
    try {
      const result = await send(call, { cancellation, reading });
      const turn = scope.reading.adopt(reading, { isRead });
      if (turn) await turn;
      return result;
    } catch (error) {
      if (error instanceof GatewayError && error.failure === 'cancelled') reportAbort(call);
      throw error;
    } finally {
      reading.release();
      // A read that started before this write finished may be stale: no call may join it.
      if (!isRead) deduplicator.clear();
    }
  };
  return (call, scope) => {
    const { dedupeAs, path, headers } = call;
    if (dedupeAs === undefined) return sendAlone(call, scope);
    // Unambiguous: none of the parts can contain a line break.
    const key = `${dedupeAs}\n${path}\n${headers['authorization'] ?? ''}`;
    return deduplicator.run(key, scope, {
      start: (shared) => send(call, shared),
      onDeduplicated: () => call.observer.deduplicated(call),
      onCancelled: () => reportAbort(call),
    });
  };
}

/** A call in flight and the clients that wait for its result. */
interface PendingCall {
  waiters: Waiter[]; // nearly always one, for which a Set would be slower
  /** What its waiters read. */
  requests: Reading[];
  /** Fires when the last waiter is cancelled. */
  cancellation: Cancellation;
  /** The waiters keep its turn until they have used the result. */
  reading: Reading;
}

interface Waiter {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

function createDeduplicator() {
  /**
   * A dictionary object, not a Map: under churn, a Map's discarded tables keep finished calls alive until a major GC
   * (11 % of read throughput, 63 MB).
   */
  let inFlight = emptyStore();

  const remove = (key: string, call: PendingCall) => {
    if (inFlight[key] === call) Reflect.deleteProperty(inFlight, key);
  };
  const startCall = (key: string, start: (shared: CallScope) => Promise<unknown>, first: Reading) => {
    const cancellation = new Cancellation();
    const requests = [first];
    const call: PendingCall = {
      waiters: [],
      cancellation,
      requests,
      reading: first.forSharedCall(cancellation, requests),
    };
    const settle = (notify: (waiter: Waiter) => void) => {
      remove(key, call);
      for (let waiter = call.waiters.shift(); waiter; waiter = call.waiters.shift()) {
        notify(waiter);
        if (!call.reading.hasTurn) continue;
        // Building the results of many waiters from a large body in one go would block the event loop for seconds.
        setImmediate(() => settle(notify));
        return;
      }
      call.reading.release();
    };
    const started = start({ cancellation, reading: call.reading });
    inFlight[key] = call;
    started.then(
      (result) => settle(({ resolve }) => resolve(result)),
      (error: unknown) => settle(({ reject }) => reject(error as Error)),
    );
    return call;
  };

  return {
    /**
     * Starts a call, or joins the one in flight under the key. Cancelling one waiter does not affect the others. The key
     * must cover everything that the result depends on, including its type.
     */
    run<T>(
      key: string,
      { cancellation, reading }: CallScope,
      {
        start,
        onDeduplicated,
        onCancelled,
      }: { start: (shared: CallScope) => Promise<T>; onDeduplicated: () => void; onCancelled: () => void },
    ): Promise<T> {
      if (cancellation.isCancelled) {
        onCancelled();
        return Promise.reject(new GatewayError('cancelled'));
      }
      const existing = inFlight[key];
      if (existing) {
        existing.requests.push(reading);
        onDeduplicated();
      }
      const call = existing ?? startCall(key, start, reading);
      return new Promise<T>((resolve, reject) => {
        const onCancel = () => {
          onCancelled();
          reject(new GatewayError('cancelled'));
          call.waiters.splice(call.waiters.indexOf(waiter), 1);
          if (call.waiters.length > 0) return;
          remove(key, call);
          call.cancellation.cancel();
        };
        const waiter: Waiter = {
          resolve(result) {
            cancellation.offCancel(onCancel);
            const turn = reading.adopt(call.reading, { isRead: true });
            if (turn) turn.then(() => resolve(result as T), reject);
            else resolve(result as T);
          },
          reject(error) {
            cancellation.offCancel(onCancel);
            reject(error);
          },
        };
        call.waiters.push(waiter);
        cancellation.onCancel(onCancel);
      });
    },
    /** Makes the calls in flight unavailable for joining, because their results may be stale. */
    clear(): void {
      inFlight = emptyStore();
    },
  };
}

function emptyStore(): Record<string, PendingCall | undefined> {
  return Object.create(null) as Record<string, PendingCall | undefined>;
}
