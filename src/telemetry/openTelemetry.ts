/**
 * Exports a span for every request and every REST attempt to an OpenTelemetry collector. A collector that fails is reported
 * once, and delays no request.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import {
  defaultTextMapGetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  TraceFlags,
  type Span,
} from '@opentelemetry/api';
import { ExportResultCode, getBooleanFromEnv, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { createAgent } from '../transport/agent.js';
import type { ProxySettings } from '../transport/proxy.js';
import { readVersion, SERVICE_NAME } from '../version.js';
import {
  connectionWaitSpan,
  endRequestSpan,
  endRestCallSpan,
  endSpan,
  requestSpan,
  restCallSpan,
  waitErrorType,
} from './spanAttributes.js';
import { propagateOnly, type Tracing } from './tracing.js';

export interface TraceExportObserver {
  onTraceExportFailed(event: { reason: string }): void;
  onTraceCollectorUnavailable(event: { reason: string }): void;
  onTraceCollectorAvailable(event: object): void;
}

// Not stable yet: copied, as its package recommends.
const ATTR_PROCESS_PID = 'process.pid';

/** The version of the semantic conventions whose names the attributes have. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.45.0';

const CONNECT_TIMEOUT_MS = 10_000;

/** How long a stop waits for the last spans to be exported, in milliseconds. */
const MAX_STOP_MS = 1000;

/**
 * The SDK reads the variables of headers, sampler, timeout, batches and limits (OTEL_…) from the environment itself, but
 * OTEL_SDK_DISABLED only in its NodeSDK, which we do not use. With it, trace contexts are still propagated.
 */
export function createOpenTelemetry(
  endpoint: URL,
  proxies: ProxySettings,
  observer: TraceExportObserver,
  log: Logger,
): Tracing {
  logSdkMessages(log);
  if (getBooleanFromEnv('OTEL_SDK_DISABLED')) return propagateOnly;
  const url = `${endpoint.href.replace(/\/$/, '')}/v1/traces`;
  const agent = createAgent(endpoint, { proxies, timeoutMs: CONNECT_TIMEOUT_MS });
  const exporter = observeExporter(new OTLPTraceExporter({ url, httpAgentOptions: () => agent }), observer);
  const version = readVersion();
  const provider = new BasicTracerProvider({
    resource: createResource(version),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(SERVICE_NAME, version, { schemaUrl: SCHEMA_URL });
  const propagator = new W3CTraceContextPropagator();

  const headersOf = (span: Span): Record<string, string> => {
    const headers: Record<string, string> = {};
    propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, {
      set(carrier: Record<string, string>, key, value) {
        carrier[key] = value;
      },
    });
    return headers;
  };

  return {
    start({ requestId, method, headers, describe }) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const { name, attributes } = requestSpan(method, requestId, describe());
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      const context = trace.setSpan(parent, span);
      const { traceId, spanId, traceFlags } = span.spanContext();
      const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
      return {
        traceparent: headersOf(span)['traceparent'],
        ids: { trace_id: traceId, span_id: spanId, trace_flags: traceFlags.toString(16).padStart(2, '0') },
        start(attempt) {
          const { name, attributes } = restCallSpan(attempt, requestId);
          const callSpan = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, context);
          return {
            headers: headersOf(callSpan),
            end(end) {
              endRestCallSpan(callSpan, end);
            },
          };
        },
        waited({ server, startedAt, endedAt, failure }) {
          if (!isSampled) return;
          const { name, attributes } = connectionWaitSpan(server, requestId);
          const waitSpan = tracer.startSpan(name, { attributes, startTime: startedAt }, context);
          endSpan(waitSpan, waitErrorType(failure), endedAt);
        },
        end(summary) {
          endRequestSpan(span, summary);
        },
      };
    },
    async stop() {
      const isTooLate = await Promise.race([
        provider.shutdown().then(() => false),
        sleep(MAX_STOP_MS, true, { ref: false }),
      ]);
      if (isTooLate) exporter.fail(`The last export took longer than ${MAX_STOP_MS} ms`);
    },
  };
}

/**
 * What identifies this process in traces. OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence over the defaults. The
 * instance ID is new in each process: with the name, it must be unique.
 */
function createResource(version: string): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes(
        {
          [ATTR_SERVICE_NAME]: SERVICE_NAME,
          [ATTR_SERVICE_VERSION]: version,
          [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
          [ATTR_PROCESS_PID]: process.pid,
        },
        { schemaUrl: SCHEMA_URL },
      ),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Reports the failures of an exporter. The SDK sees none of them: it would report each again. */
function observeExporter(exporter: SpanExporter, observer: TraceExportObserver) {
  let isAvailable = true;
  const fail = (reason: string) => {
    observer.onTraceExportFailed({ reason });
    if (isAvailable) observer.onTraceCollectorUnavailable({ reason });
    isAvailable = false;
  };
  return {
    export(...[spans, onEnd]: Parameters<SpanExporter['export']>) {
      exporter.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.FAILED) fail(reasonOf(error));
        else if (!isAvailable) {
          isAvailable = true;
          observer.onTraceCollectorAvailable({});
        }
        onEnd({ code: ExportResultCode.SUCCESS });
      });
    },
    /** Reports a failure that the exporter does not know of. */
    fail,
    shutdown: () => exporter.shutdown(),
  };
}

/** The code of a system error such as ECONNREFUSED, or the status of the response; no part of its body. */
function reasonOf(error: Error | undefined): string {
  const code: unknown = error && 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `The collector responded with status ${code}`;
  return typeof code === 'string' ? code : (error?.message ?? 'Unknown');
}

/** Minimum interval in milliseconds between SDK messages that differ only in numbers, such as how many spans were dropped. */
const REPEAT_MS = 60_000;
const MAX_MESSAGE_LENGTH = 1000;
const MAX_KINDS = 100;

/** Logs the SDK's messages, which it discards by default: warnings and errors at warn, details at debug. */
function logSdkMessages(log: Logger): void {
  const logged = new LRUCache<string, true>({ max: MAX_KINDS, ttl: REPEAT_MS });
  const write = (level: 'debug' | 'warn', message: string, details: unknown[]) => {
    const reason = format(message, ...details).slice(0, MAX_MESSAGE_LENGTH);
    log[level]({ reason }, 'Message of the OpenTelemetry SDK');
  };
  const warn = (message: string, ...details: unknown[]) => {
    const kind = message.replaceAll(/[\da-f]{16,}|\d+/g, '0'); // IDs of traces and spans, and numbers
    const isRepeated = logged.has(kind);
    if (!isRepeated) logged.set(kind, true);
    write(isRepeated ? 'debug' : 'warn', message, details);
  };
  const info = (message: string, ...details: unknown[]) => write('debug', message, details);
  const noop = () => undefined;
  diag.setLogger(
    { error: warn, warn, info, debug: noop, verbose: noop },
    { logLevel: DiagLogLevel.INFO, suppressOverrideMessage: true },
  );
}
