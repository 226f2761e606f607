/** The telemetry as configured: log, metrics and traces. */
import type { Logger } from 'pino';
import type { Config } from './config/config.js';
import { readBackKinds } from './fields/index.js';
import { originsOf, operationLabels } from './freight/operations.js';
import { serviceSettingsOf } from './gatewayService.js';
import type { GatewayLoad } from './telemetry/metrics.js';
import { createTelemetry, type Telemetry } from './telemetry/telemetry.js';

export interface GatewayTelemetryOptions {
  config: Config & { SERVICE_URL: URL };
  log: Logger;
  load: GatewayLoad;
}

export function createGatewayTelemetry({ config, log, load }: GatewayTelemetryOptions): Promise<Telemetry> {
  const settings = serviceSettingsOf(config);
  const { host, metricsPort, collectorUrl, collectorHeaders, sdkDisabled, logSample } = config.telemetry;
  return createTelemetry({
    log,
    logSample,
    metrics:
      metricsPort === undefined
        ? undefined
        : {
            host,
            port: metricsPort,
            origins: originsOf(settings),
            endpoints: operationLabels(settings),
            mutations: readBackKinds,
            load,
          },
    collector:
      sdkDisabled || collectorUrl === undefined
        ? undefined
        : { endpoint: collectorUrl, headers: collectorHeaders ?? {} },
  });
}
