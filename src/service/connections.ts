/** The connections to one origin of the REST service. */
import { buildConnector, Pool, type Dispatcher } from 'undici';

export interface ConnectionsOptions {
  origin: string;
  /** Connections at the most. */
  connections: number;
  /** Bound on the opening of a connection in milliseconds. */
  timeoutMs: number;
}

export interface Connections extends Pick<Dispatcher, 'dispatch'> {
  /** Says that a call waits for a connection; what it gives has to be called when it does no longer. */
  want(): () => void;
  /** Waits for the calls in flight. */
  close(): Promise<void>;
}

export function createConnections({ origin, connections, timeoutMs }: ConnectionsOptions): Connections {
  let wanted = 0;
  const connect = buildConnector({ timeout: timeoutMs });
  const pool = new Pool(origin, {
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      // The pool would open a connection in the place of each that was closed under a call that was given up.
      if (wanted > 0) connect(options, callback);
      else setImmediate(callback, new Error('No call waits for a connection'), null);
    },
  });
  return {
    dispatch: (request, handler) => pool.dispatch(request, handler),
    want() {
      let isWaiting = true;
      wanted += 1;
      return () => {
        if (isWaiting) wanted -= 1;
        isWaiting = false;
      };
    },
    close: () => pool.close(),
  };
}
