import type { Fault } from './faultInjection.js';
import { createNotificationHandlers } from './notificationHandlers.js';
import { createNotificationStore } from './notificationStore.js';
import { readSeeds } from './seeds.js';
import { createReferenceServer } from './server.js';
import { createShipmentHandlers } from './shipmentHandlers.js';
import { createShipmentStore } from './shipmentStore.js';
import { createCallRecorder, type RestCall } from './callRecorder.js';

export type { Fault as Interference, RestCall };

export interface ReferenceService {
  /** Without a slash at its end. */
  readonly url: string;
  /** Every call received, in order, those that were interfered with included. */
  readonly calls: RestCall[];
  /** Closes at once, whatever is still connected or waiting. */
  stop(): Promise<void>;
}

export interface ReferenceServiceOptions {
  /** @default '127.0.0.1' */
  host?: string;
  /** @default 0: any free port */
  port?: number;
  /** Asked for each call once its body has arrived. */
  faultFor?: (call: RestCall) => Fault | undefined;
  /** Whether `calls` keeps the calls, tokens included, for as long as the service runs. @default true */
  record?: boolean;
  /** @default the system's clock */
  now?: () => Date;
}

/** Starts the REST service of seeds/openapi.yaml, with its state in memory and seeds/data as the first state. */
export async function startReferenceService(
  options: ReferenceServiceOptions = {},
): Promise<ReferenceService> {
  const {
    host = '127.0.0.1',
    port = 0,
    faultFor = () => undefined,
    record = true,
    now = () => new Date(),
  } = options;
  const calls: RestCall[] = [];
  const stopping = new AbortController();
  const { notifications, shipments } = readSeeds();

  const server = await createReferenceServer({
    handlers: {
      ...createNotificationHandlers(createNotificationStore({ notifications, now })),
      ...createShipmentHandlers(createShipmentStore({ shipments })),
    },
    recorder: createCallRecorder({
      record: (call) => {
        if (record) calls.push(call);
      },
      faultFor,
      signal: stopping.signal,
    }),
  });
  const url = await server.listen({ host, port });

  return {
    url,
    calls,
    async stop() {
      stopping.abort();
      await server.close();
    },
  };
}
