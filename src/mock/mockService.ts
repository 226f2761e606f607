/** The mock of the REST service, for tests and for gateways without a service: `shipment-graphql-gateway/testing`. */
import { setMaxListeners } from 'node:events';
import { createCallRecorder, createWriteCounter } from './callLog.js';
import { createReferenceFaults, demoFault, demoTokenOf, type Fault, type RestCall } from './faults.js';
import { demoHabits, type Habits } from './habits.js';
import { createNotifications } from './notifications.js';
import { createMockServer } from './server.js';
import { createShipments } from './shipments.js';

export type { Fault, Habits, RestCall };

export interface MockService {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Every call received, in order, including those that got a fault. */
  readonly calls: RestCall[];
  /** Injects faults into the next calls, one each. They take precedence over `faultFor`. */
  injectFaults(...faults: Fault[]): void;
  /** Restores the sample data, and forgets `calls` and injected faults; so does `POST /reset`. */
  reset(): void;
  /** Closes all connections immediately, in-flight calls included. */
  stop(): Promise<void>;
}

export interface MockServiceOptions {
  /** @default '127.0.0.1' */
  host?: string;
  /** @default 0: any free port */
  port?: number;
  /**
   * Called for every call once its body has arrived; returns the fault to inject, if any. Without one, a bearer token
   * such as `demo-500` chooses it, or a reference such as `REF-5000`.
   */
  faultFor?: (call: RestCall) => Fault | undefined;
  /** Whether `calls` grows with every call, tokens included, until the service stops. @default true */
  record?: boolean;
  /** Delay of every response in milliseconds. @default 0 */
  latencyMs?: number;
  /** Called with a line for each request: method, URL, status and duration. No tokens. @default none */
  log?: (line: string) => void;
  /** Habits of another service, where the interface document leaves them open. @default as in the contract */
  habits?: Habits;
  /** @default the system clock */
  now?: () => Date;
}

/** Starts an in-memory implementation of seeds/openapi.yaml that serves the data in seeds/data. */
export async function startMockService(options: MockServiceOptions = {}): Promise<MockService> {
  const {
    host = '127.0.0.1',
    port = 0,
    faultFor = () => undefined,
    record = true,
    latencyMs = 0,
    log,
    habits,
    now = () => new Date(),
  } = options;
  const calls: RestCall[] = [];
  const nextFaults: Fault[] = [];
  const stopping = new AbortController();
  setMaxListeners(Infinity, stopping.signal); // one for each delayed response
  const notifications = createNotifications(now);
  const shipments = createShipments();
  const writes = createWriteCounter();
  const references = createReferenceFaults();
  const reset = () => {
    writes.reset();
    references.reset();
    notifications.reset();
    shipments.reset();
    calls.length = 0;
    nextFaults.length = 0;
  };

  const server = createMockServer({
    handlers: { ...notifications.handlers, ...shipments.handlers },
    recorder: createCallRecorder({
      record: (call) => {
        writes.add(call);
        if (record) calls.push(call);
      },
      faultFor: (call) => nextFaults.shift() ?? faultFor(call) ?? demoFault(call) ?? references.faultOf(call),
      habitsFor: (call) => (demoTokenOf(call) === 'demo-habits' ? { ...habits, ...demoHabits } : habits),
      latencyMs,
      signal: stopping.signal,
    }),
    reset,
    writes: writes.read,
    log,
  });
  const url = await server.listen({ host, port });

  return {
    url,
    calls,
    injectFaults(...faults) {
      nextFaults.push(...faults);
    },
    reset,
    async stop() {
      stopping.abort();
      await server.close();
    },
  };
}
