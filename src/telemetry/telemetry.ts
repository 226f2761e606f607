/** The telemetry of a process: log, metrics and traces, and what each request adds to them. */
import type { Logger } from 'pino';
import { combineObservers, type GatewayObserver, type MeteredService } from './events.js';
import type { GatewayLoad, HealthOf } from './metrics.js';
import { logObserver } from './requestLog.js';
import { createRequestTelemetryFactory } from './requestTelemetry.js';
import type { ProxySettings } from '../transport/proxy.js';
import { propagateOnly, type Tracing } from './tracing.js';

export interface TelemetryOptions {
  log: Logger;
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
  proxies: ProxySettings;
}

/** Metrics and OpenTelemetry are loaded on demand: they cost startup time and memory. */
export async function createTelemetry(options: TelemetryOptions) {
  const { log, exposeCalls, service, load, host, metricsPort: port } = options;
  const requestLog = logObserver(log);
  const address = port === undefined ? undefined : { host, port };
  const metrics = address && (await import('./metrics.js')).createMetrics(service, load);
  const observer = metrics ? combineObservers([requestLog, metrics.observer]) : requestLog;
  const tracing = await createTracing(options, observer);
  return {
    observer,
    startRequest: createRequestTelemetryFactory(observer, tracing, exposeCalls),
    /** Starts the server of metrics and health checks, if there are metrics. */
    serveMetrics: async (healthOf: HealthOf) => address && metrics?.serve(address, healthOf),
    /** Exports the remaining spans, within a second. */
    stopTracing: () => tracing.stop(),
  };
}

async function createTracing(options: TelemetryOptions, observer: GatewayObserver): Promise<Tracing> {
  const { log, proxies, collectorUrl: endpoint } = options;
  if (endpoint === undefined) return propagateOnly;
  const { createOpenTelemetry } = await import('./openTelemetry.js');
  return createOpenTelemetry(endpoint, proxies, observer, log);
}
