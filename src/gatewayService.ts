/** The gateway's side of the REST service: the client, and the parser of the arguments that become its calls. */
import type { Logger } from 'pino';
import { ConfigError, type Config } from './config/config.js';
import type { ContextDependencies } from './fields/context.js';
import type { ServiceSettings } from './freight/operations.js';
import { createIdempotencyStore } from './freight/idempotency/idempotency.js';
import type { IdempotencyStore } from './freight/idempotency/store.js';
import { createService } from './freight/service.js';
import { createTransports, type TransportLoad } from './transport/transport.js';
import type { GatewayObserver } from './telemetry/events.js';

export interface GatewayServiceOptions {
  config: Config & { SERVICE_URL: URL };
  observer: GatewayObserver;
  log: Logger;
}

export interface GatewayService {
  dependencies: ContextDependencies;
  /** How much of the connections and the queue of each origin is in use. */
  load(): TransportLoad[];
  /** Those of requests from routers. */
  subgraphDependencies: ContextDependencies;
  /** Waits for the calls in flight, and closes the connections; that of the idempotency keys last. */
  stop(): Promise<void>;
}

export function serviceSettingsOf(config: Config & { SERVICE_URL: URL }): ServiceSettings {
  return {
    serviceUrl: config.SERVICE_URL,
    shipmentServiceUrl: config.SHIPMENT_SERVICE_URL,
    forwardTokenToShipmentService: config.FORWARD_TOKEN_TO_SHIPMENT_SERVICE,
    notificationsPath: config.NOTIFICATIONS_PATH,
    notificationPath: config.NOTIFICATION_PATH,
    trackingPath: config.TRACKING_PATH,
    exceptionPath: config.EXCEPTION_PATH,
    trackingParametersIn: config.TRACKING_PARAMETERS_IN,
    exceptionParametersIn: config.EXCEPTION_PARAMETERS_IN,
    licensePlateParameter: config.LICENSE_PLATE_PARAMETER,
    shipmentParameters: config.SHIPMENT_PARAMETERS,
  };
}

/** How much longer than its calls a key is in progress, in milliseconds: for a process that is slow to record how they ended. */
const LEASE_MARGIN_MS = 10_000;

export async function createGatewayService({
  config,
  observer,
  log,
}: GatewayServiceOptions): Promise<GatewayService> {
  const idempotencyStore = await openIdempotencyStore(config, log);
  const transports = createTransports({
    timeoutMs: config.SERVICE_TIMEOUT_MS,
    retries: config.SERVICE_RETRIES,
    maxConnections: config.SERVICE_CONNECTIONS,
    maxConnectionAgeMs: config.SERVICE_CONNECTION_AGE_MS,
    queueLimit: config.SERVICE_QUEUE_LIMIT,
    circuitOpenMs: config.SERVICE_CIRCUIT_OPEN_MS,
    maxResponseBytes: config.MAX_RESPONSE_BYTES,
    observer,
  });
  const settings = serviceSettingsOf(config);
  const service = createService({
    settings,
    transportTo: transports.to,
    timeoutMs: config.SERVICE_TIMEOUT_MS,
    readBackTimeoutMs: config.READ_BACK_TIMEOUT_MS,
    idempotency: { store: idempotencyStore, retentionMs: config.IDEMPOTENCY_RETENTION_MS },
    observer,
  });
  return {
    dependencies: { service, settings },
    subgraphDependencies: {
      service,
      settings: { ...settings, maxGuids: Infinity }, // each one beyond maxReads fails alone
      maxReads: config.MAX_ENTITIES,
    },
    load: () => transports.load(),
    async stop() {
      await service.settled();
      await transports.stop();
      await idempotencyStore?.close();
    },
  };
}

/** Rejects with a ConfigError if the store could lose keys. */
async function openIdempotencyStore(config: Config, log: Logger): Promise<IdempotencyStore | undefined> {
  try {
    return await createIdempotencyStore({
      kind: config.IDEMPOTENCY_STORE,
      redisUrl: config.REDIS_URL,
      leaseMs: 2 * config.READ_BACK_TIMEOUT_MS + config.SERVICE_TIMEOUT_MS + LEASE_MARGIN_MS,
      retentionMs: config.IDEMPOTENCY_RETENTION_MS,
      log,
    });
  } catch (error) {
    // By its name, because its class comes with the Redis client, which is loaded only where it is used.
    if (error instanceof Error && error.name === 'UnsafeStoreError')
      throw new ConfigError([`REDIS_URL: ${error.message}`]);
    throw error;
  }
}
