/** The gateway's side of the REST service: the client, and the parser of the arguments that become its calls. */
import type { Logger } from 'pino';
import { ConfigError, type Config } from './config/config.js';
import type { ContextDependencies } from './fields/context.js';
import { createArgumentParser } from './fields/argumentParser.js';
import { endpointsOf, type RestEndpoint } from './freight/calls.js';
import { shipmentParameterNames } from './freight/contract.js';
import { createIdempotencyStore } from './freight/idempotency/createStore.js';
import type { IdempotencyStore } from './freight/idempotency/store.js';
import { createService } from './freight/service.js';
import type { TransportLoad } from './transport/transport.js';
import { createTransports } from './transport/transports.js';
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

/** The base URL of the shipment operations. */
export function shipmentServiceUrlOf(config: Config & { SERVICE_URL: URL }): URL {
  return config.SHIPMENT_SERVICE_URL ?? config.SERVICE_URL;
}

/** The REST calls that the gateway can make. */
export function restEndpointsOf(config: Config): readonly RestEndpoint[] {
  return endpointsOf(pathsOf(config));
}

function pathsOf(config: Config) {
  return {
    notifications: config.NOTIFICATIONS_PATH,
    notification: config.NOTIFICATION_PATH,
    tracking: config.TRACKING_PATH,
    exception: config.EXCEPTION_PATH,
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
  const service = createService({
    notificationServiceUrl: config.SERVICE_URL,
    shipmentServiceUrl: shipmentServiceUrlOf(config),
    transportTo: transports.to,
    forwardTokenToShipmentService: config.FORWARD_TOKEN_TO_SHIPMENT_SERVICE,
    shipmentParameters: config.SHIPMENT_PARAMETERS,
    paths: pathsOf(config),
    trackingParametersIn: config.TRACKING_PARAMETERS_IN,
    exceptionParametersIn: config.EXCEPTION_PARAMETERS_IN,
    licensePlateParameter: config.LICENSE_PLATE_PARAMETER,
    timeoutMs: config.SERVICE_TIMEOUT_MS,
    readBackTimeoutMs: config.READ_BACK_TIMEOUT_MS,
    idempotency: { store: idempotencyStore, retentionMs: config.IDEMPOTENCY_RETENTION_MS, observer },
    readBackObserver: observer,
  });
  const inputOptions = {
    reservedParameters: [
      ...shipmentParameterNames,
      config.LICENSE_PLATE_PARAMETER,
      ...Object.keys(config.SHIPMENT_PARAMETERS),
    ],
    trackingParametersIn: config.TRACKING_PARAMETERS_IN,
    exceptionParametersIn: config.EXCEPTION_PARAMETERS_IN,
    targetBytes: service.targetBytes,
  };
  return {
    dependencies: { service, input: createArgumentParser(inputOptions) },
    subgraphDependencies: {
      service,
      input: createArgumentParser({ ...inputOptions, maxGuids: Infinity }), // each one beyond maxReads fails alone
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
