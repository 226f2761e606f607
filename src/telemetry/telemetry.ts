/** The telemetry of a process: log, metrics and traces. */
import type { Logger } from 'pino';
import { combineObservers, type GatewayObserver } from './events.js';
import type { MetricsOptions } from './metrics.js';
import type { MetricsServer } from './metricsServer.js';
import type { CollectorOptions } from './openTelemetry.js';
import { logObserver } from './requestLog.js';
import { propagateOnly, type Tracing } from './tracing.js';

export interface TelemetryOptions {
  log: Logger;
  /** Share of the successful requests that are logged. */
  logSample: number;
  /** What the metrics report, and where they are served; undefined for no metrics. */
  metrics: (MetricsOptions & { host: string; port: number }) | undefined;
  /** The collector of traces; undefined to only propagate trace contexts. */
  collector: CollectorOptions | undefined;
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
  metrics,
  collector,
}: TelemetryOptions): Promise<Telemetry> {
  const { observer, serveMetrics } = await createObserver(logObserver({ log, sample: logSample }), metrics);
  const tracing = collector
    ? (await import('./openTelemetry.js')).createOpenTelemetry({ ...collector, observer, log })
    : propagateOnly;
  return { observer, tracing, serveMetrics };
}

async function createObserver(
  requestLog: GatewayObserver,
  metrics: TelemetryOptions['metrics'],
): Promise<Pick<Telemetry, 'observer' | 'serveMetrics'>> {
  if (!metrics) return { observer: requestLog, serveMetrics: () => Promise.resolve(undefined) };
  const { createMetrics } = await import('./metrics.js');
  const { serveMetrics } = await import('./metricsServer.js');
  const { registry, observer } = createMetrics(metrics);
  return {
    observer: combineObservers([requestLog, observer]),
    serveMetrics: () => serveMetrics(registry, metrics),
  };
}
