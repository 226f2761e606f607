/** Exports a span for every request and every REST attempt to an OpenTelemetry collector, which delays no request if it fails. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Span,
} from '@opentelemetry/api';
import {
  getBooleanFromEnv,
  globalErrorHandler,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';
import type { Logger } from 'pino';
import { createAgent } from '../transport/connector.js';
import type { ProxySettings } from '../transport/proxy.js';
import { readVersion, SERVICE_NAME } from '../version.js';
import type { Telemetry } from './events.js';
import { createInterval } from './log.js';
import { endRequestSpan, endRestCallSpan, requestSpan, restCallSpan } from './spanAttributes.js';
import { propagateOnly, type Tracing } from './requestTelemetry.js';

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
  telemetry: Pick<Telemetry, 'traceExportFailed'>,
  log: Logger,
): Tracing {
  reportDiagnostics(log, telemetry);
  if (getBooleanFromEnv('OTEL_SDK_DISABLED')) return propagateOnly;
  const url = `${endpoint.href.replace(/\/$/, '')}/v1/traces`;
  const agent = createAgent(endpoint, { proxies, timeoutMs: CONNECT_TIMEOUT_MS });
  const exporter = new OTLPTraceExporter({ url, httpAgentOptions: () => agent });
  const version = readVersion();
  const provider = new BasicTracerProvider({
    resource: createResource(version),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(SERVICE_NAME, version, { schemaUrl: SCHEMA_URL });
  const propagator = new W3CTraceContextPropagator();

  const headersOf = (span: Span): Record<string, string> => {
    const headers: Record<string, string> = {};
    propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, defaultTextMapSetter);
    return headers;
  };

  return {
    start({ requestId, method, headers, describe }) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const { name, attributes } = requestSpan(method, requestId, describe());
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      const context = trace.setSpan(parent, span);
      const { traceId, spanId, traceFlags } = span.spanContext();
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
        end(summary) {
          endRequestSpan(span, summary);
        },
      };
    },
    async stop() {
      const exported = provider.shutdown().catch(globalErrorHandler);
      await Promise.race([exported, sleep(MAX_STOP_MS, undefined, { ref: false })]);
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

const MAX_MESSAGE_LENGTH = 1000;

/** Counts failed exports, and logs the warnings and errors of the SDK as they come, at most once a minute if they differ only in numbers. */
function reportDiagnostics(log: Logger, telemetry: Pick<Telemetry, 'traceExportFailed'>): void {
  const sdkLog = log.child({ component: 'opentelemetry' });
  const isDue = createInterval();
  const warn = (message: string, ...details: unknown[]) => {
    const kind = message.replaceAll(/[\da-f]{16,}|\d+/g, '0'); // IDs of traces and spans, and numbers
    if (isDue(kind)) sdkLog.warn(format(message, ...details).slice(0, MAX_MESSAGE_LENGTH));
  };
  // Gets the error of each export that failed. The SDK's own handler would add a stack and the body of the collector's response, which may echo headers with their keys.
  setGlobalErrorHandler((error) => {
    const { message, code } = typeof error === 'string' ? { message: error, code: undefined } : error;
    warn([message, code].filter(Boolean).join(': '));
    telemetry.traceExportFailed({});
  });
  const noop = () => undefined;
  diag.setLogger(
    { error: warn, warn, info: noop, debug: noop, verbose: noop },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
