/** One call for all who ask for the same at the same time. */
import { setMaxListeners } from 'node:events';
import { CallerLeftError } from './errors.js';
import type { RestRequest } from './exchange.js';
import type { TransportObserver } from './observer.js';
import type { Sending, Transport } from './transport.js';

export interface SharedSending<T> extends Sending<T> {
  /**
   * What the call is one of, where callers with the same token that ask for the same at the same time share it: a GET
   * alone. @default none
   */
  sharedAs?: string | undefined;
}

export interface SharedTransport extends Transport {
  send<T>(request: RestRequest, sending: SharedSending<T>): Promise<T>;
}

/** The transport, with calls shared, and with callers told of that left. */
export function shareCalls(
  transport: Transport,
  { onCallerLeft }: Pick<TransportObserver, 'onCallerLeft'>,
): SharedTransport {
  const sharing = createSharing();
  const start = <T>(request: RestRequest, sending: SharedSending<T>): Promise<T> => {
    const { sharedAs, callerLeft } = sending;
    if (sharedAs === undefined) return transport.send(request, sending);
    const { method, path, headers } = request;
    // None of them can hold a line break.
    const key = `${sharedAs}\n${path}\n${headers['authorization'] ?? ''}`;
    return sharing.run(key, callerLeft, {
      start: (left) => transport.send(request, { ...sending, callerLeft: left }),
      onJoin: () => {
        sending.observer.joined({ ...sending.shown, method });
      },
    });
  };
  return {
    async send(request, sending) {
      const { method, headers } = request;
      try {
        return await start(request, sending);
      } catch (error) {
        if (error instanceof CallerLeftError)
          onCallerLeft({ requestId: headers['x-request-id'], method, becomes: 'given up' });
        throw error;
      } finally {
        // A read that began before a write ended may not show it.
        if (method !== 'GET') sharing.forget();
      }
    },
    stop: () => transport.stop(),
  };
}

interface SharedCall {
  result: Promise<unknown>;
  /** Aborted when the last caller has left. */
  left: AbortController;
  callers: number;
}

interface Sharing {
  /**
   * Starts the call, or joins the one that is in flight under the key. A caller that leaves disturbs nobody else. The
   * key has to hold everything that the result depends on, the type of the result included.
   */
  run<T>(
    key: string,
    callerLeft: AbortSignal,
    bounds: { start: (left: AbortSignal) => Promise<T>; onJoin: () => void },
  ): Promise<T>;
  /** Lets nobody join what is in flight now, as something has changed since it was started. */
  forget(): void;
}

function createSharing(): Sharing {
  const inFlight = new Map<string, SharedCall>();

  const begin = (key: string, start: (left: AbortSignal) => Promise<unknown>): SharedCall => {
    const left = new AbortController();
    setMaxListeners(0, left.signal);
    const call: SharedCall = { left, callers: 0, result: start(left.signal) };
    inFlight.set(key, call);
    const end = () => {
      if (inFlight.get(key) === call) inFlight.delete(key);
    };
    call.result.then(end, end);
    return call;
  };

  return {
    run<T>(key: string, callerLeft: AbortSignal, bounds: Parameters<Sharing['run']>[2]): Promise<T> {
      if (callerLeft.aborted) return Promise.reject(new CallerLeftError('The caller left'));
      const found = inFlight.get(key);
      if (found) bounds.onJoin();
      const call = found ?? begin(key, bounds.start);
      call.callers += 1;
      return new Promise<T>((resolve, reject) => {
        const leave = () => {
          reject(new CallerLeftError('The caller left'));
          call.callers -= 1;
          if (call.callers > 0) return;
          if (inFlight.get(key) === call) inFlight.delete(key);
          call.left.abort();
        };
        const stay = () => {
          callerLeft.removeEventListener('abort', leave);
        };
        callerLeft.addEventListener('abort', leave, { once: true });
        call.result.then(stay, stay);
        call.result.then(resolve as (result: unknown) => void, reject);
      });
    },
    forget() {
      inFlight.clear();
    },
  };
}
