/** Deduplicates identical reads in flight: they share one REST call. */
import type { Call, CallScope, Send } from './calls.js';
import type { ResponseMemory } from './largeResponses.js';
import { GatewayError } from '../gatewayError.js';
import { Cancellation } from './cancellation.js';

interface SharedCall {
  waiters: Waiter[]; // nearly always one, for which a Set would be slower
  /** Fires when the last waiter is cancelled. */
  cancellation: Cancellation;
  /** The waiters keep its turn until they have used the result. */
  memory: ResponseMemory;
}

type Waiter = (result: unknown, error?: Error) => void;

export function deduplicate(send: Send): Send {
  /** Not a Map, whose discarded tables keep finished calls alive until a major GC (11 % of read throughput, 63 MB). */
  let inFlight = emptyStore();

  const remove = (key: string, shared: SharedCall) => {
    if (inFlight[key] === shared) Reflect.deleteProperty(inFlight, key);
  };

  const sendAlone: Send = async (call, scope) => {
    const isRead = call.method === 'GET';
    try {
      const result = await send(call, scope);
      const turn = isRead ? scope.memory.hold() : undefined; // a write has taken effect
      if (turn) await turn;
      return result;
    } finally {
      // A read that started before this write finished may be stale: no call may join it.
      if (!isRead) inFlight = emptyStore();
    }
  };

  const startShared = (key: string, call: Call, first: ResponseMemory): SharedCall => {
    const cancellation = new Cancellation();
    const memory = first.forPart(cancellation);
    const shared: SharedCall = { waiters: [], cancellation, memory };
    const settle: Waiter = (result, error) => {
      remove(key, shared);
      for (let waiter = shared.waiters.shift(); waiter; waiter = shared.waiters.shift()) {
        waiter(result, error);
        if (!memory.hasTurn) continue;
        // Building the results of many waiters from a large body in one go would block the event loop for seconds.
        setImmediate(settle, result, error);
        return;
      }
      memory.release();
    };
    inFlight[key] = shared;
    send(call, { cancellation, memory }).then(settle, (error: unknown) => settle(undefined, error as Error));
    return shared;
  };

  return <Result>(call: Call<Result>, scope: CallScope): Promise<Result> => {
    const { dedupeAs, path, headers } = call;
    if (dedupeAs === undefined) return sendAlone(call, scope);
    const { cancellation, memory } = scope;
    if (cancellation.isCancelled) return Promise.reject(new GatewayError('cancelled'));
    // Covers everything that the result depends on, and is unambiguous: none of the parts can contain a line break.
    const key = `${dedupeAs}\n${path}\n${headers['authorization'] ?? ''}`;
    const existing = inFlight[key];
    if (existing) {
      existing.memory.requests.push(memory);
      call.client.observer.deduplicated(call);
    }
    const shared = existing ?? startShared(key, call, memory);
    return new Promise((resolve, reject) => {
      const onCancel = () => {
        reject(new GatewayError('cancelled'));
        shared.waiters.splice(shared.waiters.indexOf(waiter), 1);
        if (shared.waiters.length > 0) return; // the others are not affected
        remove(key, shared);
        shared.cancellation.cancel();
      };
      const waiter: Waiter = (result, error) => {
        cancellation.offCancel(onCancel);
        const turn = error ? undefined : memory.adopt(shared.memory);
        if (error) reject(error);
        else if (turn) turn.then(() => resolve(result as Result), reject);
        else resolve(result as Result);
      };
      shared.waiters.push(waiter);
      cancellation.onCancel(onCancel);
    });
  };
}

function emptyStore(): Record<string, SharedCall | undefined> {
  return Object.create(null) as Record<string, SharedCall | undefined>;
}
