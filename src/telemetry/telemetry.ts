/** The telemetry of a process: log, metrics and traces. */
import type { Logger } from 'pino';
import { combineObservers, type GatewayObserver } from './events.js';
import type { MetricsServer } from './metricsServer.js';
import { logObserver } from './requestLog.js';
import { propagateOnly, type Tracing } from './tracing.js';

export interface TelemetryOptions {
  log: Logger;
  /** Share of the successful requests that are logged. */
  logSample: number;
  /** Bytes of the memory budget in use. */
  bytesInFlight: () => number;
  /** Origins of the service, whose circuits the metrics report from the start. */
  serviceOrigins: readonly string[];
  /** Where the metrics are served; undefined for no metrics. */
  metrics: { host: string; port: number } | undefined;
  /** The collector of traces; undefined to only propagate trace contexts. */
  collector: { endpoint: URL; serviceName: string } | undefined;
}

export interface Telemetry {
  readonly observer: GatewayObserver;
  readonly tracing: Tracing;
  /** Starts the metrics server, if there are metrics. */
  serveMetrics(): Promise<MetricsServer | undefined>;
}

/** Metrics and OpenTelemetry are loaded on demand: they cost startup time and memory. */
export async function createTelemetry({
  log,
  logSample,
  bytesInFlight,
  serviceOrigins,
  metrics,
  collector,
}: TelemetryOptions): Promise<Telemetry> {
  const requestLog = logObserver({ log, sample: logSample });
  const tracing = collector
    ? (await import('./openTelemetry.js')).createOpenTelemetry(collector)
    : propagateOnly;
  if (!metrics) return { observer: requestLog, tracing, serveMetrics: () => Promise.resolve(undefined) };
  const { createMetrics } = await import('./metrics.js');
  const { serveMetrics } = await import('./metricsServer.js');
  const { registry, observer } = createMetrics({ origins: serviceOrigins, bytesInFlight });
  return {
    observer: combineObservers([requestLog, observer]),
    tracing,
    serveMetrics: () => serveMetrics(registry, metrics),
  };
}
