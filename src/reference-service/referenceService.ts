import { demoFault } from './demoFaults.js';
import type { Fault } from './faultInjection.js';
import { createNotificationHandlers } from './notificationHandlers.js';
import { createMockRoutes } from './mockRoutes.js';
import { createNotificationStore } from './notificationStore.js';
import { readSeeds } from './seeds.js';
import { createReferenceServer } from './server.js';
import { createShipmentHandlers } from './shipmentHandlers.js';
import { createShipmentStore } from './shipmentStore.js';
import { createCallRecorder, type RestCall } from './callRecorder.js';

export type { Fault, RestCall };

export interface ReferenceService {
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Every call received, in order, including those that got a fault. */
  readonly calls: RestCall[];
  /** Injects faults into the next calls, one each. They take precedence over `faultFor`. */
  injectFaults(...faults: Fault[]): void;
  /** Restores the sample data, and so does `POST /reset`. `calls` and faults stay. */
  reset(): void;
  /** Closes all connections immediately, in-flight calls included. */
  stop(): Promise<void>;
}

export interface ReferenceServiceOptions {
  /** @default '127.0.0.1' */
  host?: string;
  /** @default 0: any free port */
  port?: number;
  /**
   * Called for every call once its body has arrived; returns the fault to inject, if any. Without one, a bearer token
   * such as `demo-500` chooses it.
   */
  faultFor?: (call: RestCall) => Fault | undefined;
  /** Whether `calls` grows with every call, tokens included, until the service stops. @default true */
  record?: boolean;
  /** Delay of every response in milliseconds. @default 0 */
  latencyMs?: number;
  /** Called with a line for each request: method, URL, status and duration. No tokens. @default none */
  log?: (line: string) => void;
  /** @default the system clock */
  now?: () => Date;
}

/** Starts an in-memory implementation of seeds/openapi.yaml that serves the data in seeds/data. */
export async function startReferenceService(
  options: ReferenceServiceOptions = {},
): Promise<ReferenceService> {
  const {
    host = '127.0.0.1',
    port = 0,
    faultFor = () => undefined,
    record = true,
    latencyMs = 0,
    log,
    now = () => new Date(),
  } = options;
  const calls: RestCall[] = [];
  const nextFaults: Fault[] = [];
  const stopping = new AbortController();
  const notificationStore = createNotificationStore({ ...readSeeds(), now });
  const shipmentStore = createShipmentStore(readSeeds());
  const reset = () => {
    const { notifications, shipments } = readSeeds();
    notificationStore.reset(notifications);
    shipmentStore.reset(shipments);
  };

  const server = await createReferenceServer({
    handlers: {
      ...createNotificationHandlers(notificationStore),
      ...createShipmentHandlers(shipmentStore),
    },
    recorder: createCallRecorder({
      record: (call) => {
        if (record) calls.push(call);
      },
      faultFor: (call) => nextFaults.shift() ?? faultFor(call) ?? demoFault(call),
      latencyMs,
      signal: stopping.signal,
    }),
    mockRoutes: createMockRoutes({ reset }),
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
