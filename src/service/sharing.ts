/** One call for all who ask for the same at the same time. */
import { Departure } from './departure.js';
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
  callers: Set<WaitingCaller>;
  /** Happens when the last caller has left. */
  left: Departure;
}

interface WaitingCaller {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

interface Sharing {
  /**
   * Starts the call, or joins the one that is in flight under the key. A caller that leaves disturbs nobody else. The
   * key has to hold everything that the result depends on, the type of the result included.
   */
  run<T>(
    key: string,
    callerLeft: Departure,
    bounds: { start: (left: Departure) => Promise<T>; onJoin: () => void },
  ): Promise<T>;
  /** Lets nobody join what is in flight now, as something has changed since it was started. */
  forget(): void;
}

function createSharing(): Sharing {
  /**
   * An object: a Map into which much comes and goes leaves a table behind each time that it makes a new one, and as long
   * as V8 has not collected its whole heap, one keeps the next, and all the calls that were in it.
   */
  let inFlight = noCalls();

  const drop = (key: string, call: SharedCall) => {
    if (inFlight[key] === call) Reflect.deleteProperty(inFlight, key);
  };
  const begin = (key: string, start: (left: Departure) => Promise<unknown>): SharedCall => {
    const call: SharedCall = { callers: new Set(), left: new Departure() };
    const end = (conclude: (caller: WaitingCaller) => void) => {
      drop(key, call);
      call.callers.forEach(conclude);
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
    run<T>(key: string, callerLeft: Departure, { start, onJoin }: Parameters<Sharing['run']>[2]): Promise<T> {
      if (callerLeft.hasHappened) return Promise.reject(new CallerLeftError('The caller left'));
      const found = inFlight[key];
      if (found) onJoin();
      const call = found ?? begin(key, start);
      return new Promise<T>((resolve, reject) => {
        const leave = () => {
          reject(new CallerLeftError('The caller left'));
          call.callers.delete(caller);
          if (call.callers.size > 0) return;
          drop(key, call);
          call.left.happen();
        };
        const caller: WaitingCaller = {
          resolve(result) {
            callerLeft.unlisten(leave);
            resolve(result as T);
          },
          reject(error) {
            callerLeft.unlisten(leave);
            reject(error);
          },
        };
        call.callers.add(caller);
        callerLeft.listen(leave);
      });
    },
    forget() {
      inFlight = noCalls();
    },
  };
}

function noCalls(): Record<string, SharedCall | undefined> {
  return Object.create(null) as Record<string, SharedCall | undefined>;
}
