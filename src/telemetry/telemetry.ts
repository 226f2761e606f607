/** The telemetry of a process: a method for each event, which the log and the metrics get, and what each request adds to them. */
import type { Logger } from 'pino';
import { events, type EventEntry, type LogLine, type Telemetry } from './events.js';
import type { MeteredService } from './requestSummary.js';
import { createInterval } from './log.js';
import type { AddHealthChecks, GatewayLoad } from './metrics.js';
import { createRequestTelemetryFactory, propagateOnly } from './requestTelemetry.js';
import type { ProxySettings } from '../transport/connector.js';

export interface TelemetryOptions {
  log: Logger;
  /** Whether clients may see REST calls. */
  exposeCalls: boolean;
  /** Host of the metrics; without a port, they are not served. */
  host: string;
  metricsPort: number | undefined;
  /** The labels of the metrics that are known at startup. */
  service: MeteredService;
  load: GatewayLoad;
  /** Base URL of the collector of traces; undefined to only propagate trace contexts. */
  collectorUrl: URL | undefined;
  proxies: ProxySettings;
}

/** Metrics and OpenTelemetry are loaded on demand: they cost startup time and memory. */
export async function createTelemetry(options: TelemetryOptions) {
  const { log, exposeCalls, service, load, host, metricsPort: port, collectorUrl, proxies } = options;
  const address = port === undefined ? undefined : { host, port };
  const metrics = address && (await import('./metrics.js')).createMetrics(service, load);
  const reporterOf = (entry: EventEntry<never>) => {
    const handlers = [
      ...(entry.line ? [createLineWriter(entry.line, log)] : []),
      ...(metrics?.add(entry) ?? []),
    ];
    return (event: never) => {
      for (const handle of handlers) handle(event);
    };
  };
  const reporters = Object.entries(events).map(([name, entry]) => [name, reporterOf(entry)]);
  const telemetry = Object.fromEntries(reporters) as Telemetry;
  const tracing = collectorUrl
    ? (await import('./openTelemetry.js')).createOpenTelemetry(collectorUrl, proxies, telemetry, log)
    : propagateOnly;
  return {
    ...telemetry,
    startRequest: createRequestTelemetryFactory(telemetry, tracing, exposeCalls),
    /** Starts the server of metrics and health checks, if there are metrics. */
    serveMetrics: async (addHealthChecks: AddHealthChecks) =>
      address && metrics?.serve(address, addHealthChecks),
    /** Exports the remaining spans, within a second. */
    stopTracing: () => tracing.stop(),
  };
}

function createLineWriter<Payload extends object>(line: LogLine<Payload>, log: Logger) {
  const { level, message, fields, limitedBy } = line;
  const isDue = createInterval();
  return (event: Payload) => {
    const eventLevel = typeof level === 'function' ? level(event) : level;
    if (!log.isLevelEnabled(eventLevel)) return;
    const subject = limitedBy?.(event);
    if (subject !== undefined && !isDue(subject)) return;
    log[eventLevel](fields?.(event) ?? event, typeof message === 'function' ? message(event) : message);
  };
}
