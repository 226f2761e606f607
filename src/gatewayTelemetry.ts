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
  return createTelemetry({
    log,
    logSample: config.LOG_SAMPLE,
    metrics:
      config.METRICS_PORT === undefined
        ? undefined
        : {
            host: config.HOST,
            port: config.METRICS_PORT,
            origins: originsOf(settings),
            endpoints: operationLabels(settings),
            mutations: readBackKinds,
            load,
          },
    collector:
      config.OTEL_SDK_DISABLED || config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: config.OTEL_EXPORTER_OTLP_HEADERS ?? {},
          },
  });
}
