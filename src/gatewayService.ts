/** The gateway's side of the REST service: the client, and the parser of the arguments that become its calls. */
import type { Config } from './config/config.js';
import type { ContextDependencies } from './context.js';
import { createArgumentParser } from './input/argumentParser.js';
import { shipmentParameterNames } from './service/contract.js';
import type { ReadBackObserver } from './service/readBack.js';
import { createService } from './service/service.js';
import type { TransportObserver } from './service/transport/events.js';
import { createTransports } from './service/transport/transports.js';

export interface GatewayServiceOptions {
  config: Config & { SERVICE_URL: URL };
  observer: ReadBackObserver & TransportObserver;
}

export interface GatewayService {
  dependencies: ContextDependencies;
  /** Waits for the calls in flight, and closes the connections. */
  stop(): Promise<void>;
}

/** The base URL of the shipment operations. */
export function shipmentServiceUrlOf(config: Config & { SERVICE_URL: URL }): URL {
  return config.SHIPMENT_SERVICE_URL ?? config.SERVICE_URL;
}

export function createGatewayService({ config, observer }: GatewayServiceOptions): GatewayService {
  const transports = createTransports({
    timeoutMs: config.SERVICE_TIMEOUT_MS,
    retries: config.SERVICE_RETRIES,
    maxConnections: config.SERVICE_CONNECTIONS,
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
    paths: {
      notifications: config.NOTIFICATIONS_PATH,
      notification: config.NOTIFICATION_PATH,
      tracking: config.TRACKING_PATH,
      exception: config.EXCEPTION_PATH,
    },
    trackingParametersIn: config.TRACKING_PARAMETERS_IN,
    exceptionParametersIn: config.EXCEPTION_PARAMETERS_IN,
    licensePlateParameter: config.LICENSE_PLATE_PARAMETER,
    timeoutMs: config.SERVICE_TIMEOUT_MS,
    readBackTimeoutMs: config.READ_BACK_TIMEOUT_MS,
    readBackObserver: observer,
  });
  const input = createArgumentParser({
    reservedParameters: [
      ...shipmentParameterNames,
      config.LICENSE_PLATE_PARAMETER,
      ...Object.keys(config.SHIPMENT_PARAMETERS),
    ],
    trackingParametersIn: config.TRACKING_PARAMETERS_IN,
    exceptionParametersIn: config.EXCEPTION_PARAMETERS_IN,
    targetBytes: service.targetBytes,
  });
  return { dependencies: { service, input }, stop: () => transports.stop() };
}
