/** One call for all who ask for the same at the same time. */
import { Cancellation } from './cancellation.js';
import { CancelledError } from './errors.js';
import type { RestRequest } from './exchange.js';
import type { TransportObserver } from './events.js';
import type { SendOptions, Transport } from './transport.js';

export interface DedupeSendOptions<T> extends SendOptions<T> {
  /**
   * What the call is one of, where callers with the same token that ask for the same at the same time share it: a GET
   * alone. @default none
   */
  dedupeAs?: string | undefined;
}

export interface DeduplicatingTransport extends Transport {
  send<T>(request: RestRequest, sending: DedupeSendOptions<T>): Promise<T>;
}

/** The transport, with calls shared, and with callers told of that left. */
export function deduplicate(
  transport: Transport,
  { onCallCancelled: onCallCancelled }: Pick<TransportObserver, 'onCallCancelled'>,
): DeduplicatingTransport {
  const sharing = createDeduplicator();
  const start = <T>(request: RestRequest, sending: DedupeSendOptions<T>): Promise<T> => {
    const { dedupeAs, cancellation } = sending;
    if (dedupeAs === undefined) return transport.send(request, sending);
    const { method, path, headers } = request;
    // None of them can hold a line break.
    const key = `${dedupeAs}\n${path}\n${headers['authorization'] ?? ''}`;
    return sharing.run(key, cancellation, {
      start: (left) => transport.send(request, { ...sending, cancellation: left }),
      onDeduplicated: () => {
        sending.observer.deduplicated({ ...sending.call, method });
      },
    });
  };
  return {
    async send(request, sending) {
      const { method, headers } = request;
      try {
        return await start(request, sending);
      } catch (error) {
        if (error instanceof CancelledError)
          onCallCancelled({ requestId: headers['x-request-id'], method, outcome: 'aborted' });
        throw error;
      } finally {
        // A read that began before a write ended may not show it.
        if (method !== 'GET') sharing.clear();
      }
    },
    stop: () => transport.stop(),
  };
}

interface PendingCall {
  waiters: Set<Waiter>;
  /** Happens when the last caller has left. */
  left: Cancellation;
}

interface Waiter {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

interface Deduplicator {
  /**
   * Starts the call, or joins the one that is in flight under the key. A caller that leaves disturbs nobody else. The
   * key has to hold everything that the result depends on, the type of the result included.
   */
  run<T>(
    key: string,
    cancellation: Cancellation,
    bounds: { start: (left: Cancellation) => Promise<T>; onDeduplicated: () => void },
  ): Promise<T>;
  /** Lets nobody join what is in flight now, as something has changed since it was started. */
  clear(): void;
}

function createDeduplicator(): Deduplicator {
  /**
   * An object: a Map into which much comes and goes leaves a table behind each time that it makes a new one, and as long
   * as V8 has not collected its whole heap, one keeps the next, and all the calls that were in it.
   */
  let inFlight = emptyStore();

  const drop = (key: string, call: PendingCall) => {
    if (inFlight[key] === call) Reflect.deleteProperty(inFlight, key);
  };
  const begin = (key: string, start: (left: Cancellation) => Promise<unknown>): PendingCall => {
    const call: PendingCall = { waiters: new Set(), left: new Cancellation() };
    const end = (conclude: (waiter: Waiter) => void) => {
      drop(key, call);
      call.waiters.forEach(conclude);
    };
    const started = start(call.left);
    inFlight[key] = call;
    started.then(
      (result) => {
        end(({ resolve }) => {
          resolve(result);
        });
      },
      (error: unknown) => {
        end(({ reject }) => {
          reject(error as Error);
        });
      },
    );
    return call;
  };

  return {
    run<T>(
      key: string,
      cancellation: Cancellation,
      { start, onDeduplicated }: Parameters<Deduplicator['run']>[2],
    ): Promise<T> {
      if (cancellation.isCancelled) return Promise.reject(new CancelledError('Cancelled'));
      const found = inFlight[key];
      if (found) onDeduplicated();
      const call = found ?? begin(key, start);
      return new Promise<T>((resolve, reject) => {
        const leave = () => {
          reject(new CancelledError('Cancelled'));
          call.waiters.delete(waiter);
          if (call.waiters.size > 0) return;
          drop(key, call);
          call.left.cancel();
        };
        const waiter: Waiter = {
          resolve(result) {
            cancellation.offCancel(leave);
            resolve(result as T);
          },
          reject(error) {
            cancellation.offCancel(leave);
            reject(error);
          },
        };
        call.waiters.add(waiter);
        cancellation.onCancel(leave);
      });
    },
    clear() {
      inFlight = emptyStore();
    },
  };
}

function emptyStore(): Record<string, PendingCall | undefined> {
  return Object.create(null) as Record<string, PendingCall | undefined>;
}
