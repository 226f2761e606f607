/** The composition root: everything that the gateway is made of, put together. */
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { Logger } from 'pino';
import { createArgumentReader } from './arguments/argumentReader.js';
import type { Config } from './config.js';
import { createContext, type GatewayContext } from './context.js';
import { maskDefect } from './errors.js';
import { GRAPHQL_PATH } from './http/graphqlRoute.js';
import { createHttpServer } from './http/server.js';
import { conditions } from './plugins/conditions.js';
import { errorContract } from './plugins/errorContract.js';
import { operationCost } from './plugins/operationCost.js';
import { createSchema } from './schema.js';
import { createServiceClient } from './service/client.js';
import { shipmentParameterNames } from './service/contract.js';
import type { TransportObserver } from './service/transport.js';

export interface GatewayOptions {
  config: Config & { SERVICE_URL: URL };
  log: Logger;
}

export interface Gateway {
  /** Begins to accept requests; gives the address of the GraphQL endpoint. */
  listen(): Promise<string>;
  /** Finishes the requests in flight for as long as the grace time lasts, then closes every connection. */
  stop(): Promise<void>;
}

export async function createGateway({ config, log }: GatewayOptions): Promise<Gateway> {
  const isProduction = config.NODE_ENV === 'production';
  const service = createServiceClient({
    notificationServiceUrl: config.SERVICE_URL,
    shipmentServiceUrl: config.SHIPMENT_SERVICE_URL ?? config.SERVICE_URL,
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
    retries: config.SERVICE_RETRIES,
    connections: config.SERVICE_CONNECTIONS,
    queueLimit: config.SERVICE_QUEUE,
    circuitOpenMs: config.SERVICE_CIRCUIT_OPEN_MS,
    maxResponseBytes: config.MAX_RESPONSE_BYTES,
    observer: logObserver(log),
  });
  const argumentReader = createArgumentReader({
    takenParameters: [
      ...shipmentParameterNames,
      config.LICENSE_PLATE_PARAMETER,
      ...Object.keys(config.SHIPMENT_PARAMETERS),
    ],
    trackingParametersIn: config.TRACKING_PARAMETERS_IN,
    exceptionParametersIn: config.EXCEPTION_PARAMETERS_IN,
  });

  const report = (error: unknown, requestId: string) => {
    log.error({ requestId, err: error }, 'A defect of the gateway');
  };
  const apollo = new ApolloServer<GatewayContext>({
    schema: createSchema(),
    logger: log,
    nodeEnv: config.NODE_ENV,
    introspection: !isProduction,
    hideSchemaDetailsFromClientErrors: isProduction,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    stopOnTerminationSignals: false,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      conditions,
      operationCost({ maxRestCalls: config.MAX_REST_CALLS }),
      errorContract({ report, hideSuggestions: isProduction }),
    ],
    formatError: maskDefect,
  });
  await apollo.start();
  const server = createHttpServer({
    log,
    maxBodyBytes: config.MAX_BODY_BYTES,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    apollo,
    report,
    createContext: (facts) => createContext({ ...facts, service, arguments: argumentReader }),
  });

  return {
    async listen() {
      const url = await server.listen({ host: config.HOST, port: config.PORT });
      return `${url}${GRAPHQL_PATH}`;
    },
    async stop() {
      const grace = setTimeout(() => {
        server.server.closeAllConnections();
      }, config.SHUTDOWN_GRACE_MS);
      await server.close();
      clearTimeout(grace);
      await apollo.stop();
      await service.stop();
    },
  };
}

function logObserver(log: Logger): TransportObserver {
  return {
    onCallerLeft(event) {
      log.info(event, 'A caller left before its answer');
    },
    onContractBroken(event) {
      log.warn(event, 'An answer of the service breaks its contract');
    },
    onCircuitChange(event) {
      if (event.state === 'open') log.error(event, 'The service fails too often: calls to it fail at once');
      else log.info(event, 'The service answers again');
    },
  };
}
