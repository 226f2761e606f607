/** The telemetry of a process: log, metrics and traces, and what each request adds to them. */
import type { Logger } from 'pino';
import { combineObservers, type GatewayObserver, type MeteredService } from './events.js';
import type { GatewayLoad } from './metrics.js';
import type { MetricsServer } from './metricsServer.js';
import { logObserver } from './requestLog.js';
import {
  createRequestTelemetryFactory,
  type RequestTelemetry,
  type RequestTelemetryOptions,
} from './requestTelemetry.js';
import { propagateOnly, type Tracing } from './tracing.js';

export interface TelemetryOptions {
  log: Logger;
  /** Share of the successful requests that are logged. */
  logSample: number;
  /** Whether clients may see REST calls. */
  exposeCalls: boolean;
  /** Where metrics are served, without a port nowhere. */
  host: string;
  metricsPort: number | undefined;
  /** What the metrics report. */
  service: MeteredService;
  load: GatewayLoad;
  /** Base URL of the collector of traces; undefined to only propagate trace contexts. */
  collectorUrl: URL | undefined;
  /** Whether traces are only propagated, even with a collector. */
  sdkDisabled: boolean;
}

export interface Telemetry {
  readonly observer: GatewayObserver;
  readonly startRequest: (request: RequestTelemetryOptions) => RequestTelemetry;
  /** Starts the metrics server, if there are metrics. */
  serveMetrics(): Promise<MetricsServer | undefined>;
  /** Exports the remaining spans, within a second. */
  stopTracing(): Promise<void>;
}

/** Metrics and OpenTelemetry are loaded on demand: they cost startup time and memory. */
export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { log, logSample, exposeCalls } = options;
  const requestLog = logObserver({ log, sample: logSample });
  const metrics = await createMetrics(options);
  const observer = metrics ? combineObservers([requestLog, metrics.observer]) : requestLog;
  const tracing = await createTracing(options, observer);
  return {
    observer,
    startRequest: createRequestTelemetryFactory({ observer, tracing, exposeCalls }),
    serveMetrics: async () => metrics?.serve(),
    stopTracing: () => tracing.stop(),
  };
}

async function createMetrics({ host, metricsPort: port, service, load }: TelemetryOptions) {
  if (port === undefined) return undefined;
  const { createMetrics } = await import('./metrics.js');
  const { serveMetrics } = await import('./metricsServer.js');
  const { registry, observer } = createMetrics({ ...service, load });
  return { observer, serve: () => serveMetrics(registry, { host, port }) };
}

async function createTracing(options: TelemetryOptions, observer: GatewayObserver): Promise<Tracing> {
  const { log, collectorUrl: endpoint, sdkDisabled } = options;
  if (sdkDisabled || endpoint === undefined) return propagateOnly;
  const { createOpenTelemetry } = await import('./openTelemetry.js');
  return createOpenTelemetry({ endpoint, observer, log });
}
