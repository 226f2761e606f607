/** Exports a span for every request and every REST attempt to an OpenTelemetry collector, which delays no request if it fails. */
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
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
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { basePathOf } from '../freight/operations.js';
import type { Call } from '../transport/calls.js';
import { createAgent, type ProxySettings } from '../transport/connector.js';
import { readVersion, SERVICE_NAME } from '../version.js';
import type { Telemetry } from './events.js';
import { createInterval } from './log.js';
import { type RequestSummary, serverOf } from './requestSummary.js';
import { propagateOnly, REDACTED, type Tracing } from './requestTelemetry.js';

/** The version of the semantic conventions whose names the attributes have. */
const SCHEMA = { schemaUrl: 'https://opentelemetry.io/schemas/1.45.0' };

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
  const agent = createAgent(endpoint, CONNECT_TIMEOUT_MS, proxies);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.href.replace(/\/$/, '')}/v1/traces`,
    httpAgentOptions: () => agent,
  });
  const version = readVersion();
  const defaults = { 'service.name': SERVICE_NAME, 'service.version': version };
  const provider = new BasicTracerProvider({
    // OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence over the defaults.
    resource: defaultResource()
      .merge(resourceFromAttributes(defaults, SCHEMA))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, envDetector] })),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(SERVICE_NAME, version, SCHEMA);
  const propagator = new W3CTraceContextPropagator();

  const headersOf = (span: Span): Record<string, string> => {
    const headers: Record<string, string> = {};
    propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, defaultTextMapSetter);
    return headers;
  };

  return {
    start({ requestId, method, headers, describe }) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const description = describe();
      const { 'http.route': route } = description;
      const name = route === undefined ? method : `${method} ${route}`;
      const attributes = { ...description, 'http.request.method': method, [REQUEST_ID]: requestId };
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      const context = trace.setSpan(parent, span);
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: headersOf(span)['traceparent'],
        ids: { trace_id: traceId, span_id: spanId, trace_flags: traceFlags.toString(16).padStart(2, '0') },
        start(call, number) {
          const { method, route } = call;
          const attributes = { ...attemptAttributes(call, number), [REQUEST_ID]: requestId };
          const options = { kind: SpanKind.CLIENT, attributes };
          const callSpan = tracer.startSpan(`${method} ${route}`, options, context);
          return {
            headers: headersOf(callSpan),
            end({ status, error }) {
              const errorType = status !== undefined && status >= 400 ? String(status) : error;
              endSpan(callSpan, { [STATUS]: status }, error === 'CancelledError' ? undefined : errorType);
            },
          };
        },
        end(summary, errorType) {
          endSpan(span, resultAttributes(summary), errorType);
        },
      };
    },
    async stop() {
      const exported = provider.shutdown().catch(globalErrorHandler);
      await Promise.race([exported, sleep(MAX_STOP_MS, undefined, { ref: false })]);
    },
  };
}

const MAX_MESSAGE_LENGTH = 1000;

/** Counts failed exports, and logs the warnings and errors of the SDK as they come, at most once a minute if they differ only in numbers. */
function reportDiagnostics(log: Logger, telemetry: Pick<Telemetry, 'traceExportFailed'>): void {
  const sdkLog = log.child({ component: 'opentelemetry' });
  const isDue = createInterval();
  const warn = (...parts: unknown[]) => {
    const message = format(...parts).slice(0, MAX_MESSAGE_LENGTH);
    if (isDue(message.replaceAll(/[\da-f]{16,}|\d+/g, '0'))) sdkLog.warn(message); // IDs of traces and spans, and numbers
  };
  // Gets the error of each export that failed. The SDK's own handler would add a stack and the body of the collector's response, which may echo headers with their keys.
  setGlobalErrorHandler((error) => {
    const { message, code } = typeof error === 'string' ? { message: error, code: undefined } : error;
    warn([message, code].filter(Boolean).join(': '));
    telemetry.traceExportFailed({});
  });
  diag.setLogger(
    { error: warn, warn, info: warn, debug: warn, verbose: warn },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

// Attributes follow OpenTelemetry's semantic conventions for HTTP and GraphQL. Arguments, identifiers, tokens and documents are left out or
// replaced, as the conventions ask for: they could be secrets or personal data. Those of the gateway itself begin with its name.

/** The request's ID, which log lines and errors have, too. */
const REQUEST_ID = 'gateway.request_id';
const STATUS = 'http.response.status_code';

function attemptAttributes(call: Call, number: number): Attributes {
  const { method, route, baseUrl, client } = call;
  const { address, port } = serverOf(baseUrl);
  const path = `${basePathOf(baseUrl)}${route.replace(/\?.*/, '').replaceAll(/\{\w+\}/g, REDACTED)}`;
  return {
    'http.request.method': method,
    'http.request.resend_count': number > 1 ? number - 1 : undefined,
    'server.address': address,
    'server.port': port,
    'url.full': `${baseUrl.origin}${path}${call.path.includes('?') ? `?${REDACTED}` : ''}`,
    'url.template': route,
    'network.protocol.version': '1.1',
    'gateway.read_back': client.isReadBack,
  };
}

function resultAttributes(summary: RequestSummary): Attributes {
  const { status, operationType, operationName, errorCodes, outcome, items, client } = summary;
  return {
    'graphql.operation.type': operationType,
    'graphql.operation.name': operationName,
    [STATUS]: status,
    // Errors of the client included.
    'gateway.error_codes': errorCodes.length > 0 ? [...new Set(errorCodes)] : undefined,
    'gateway.items': items?.total, // of bulk fields
    'gateway.failed_items': items?.failed,
    'gateway.outcome': items && outcome,
    'gateway.client': client, // known by its credential
  };
}

/** By the conventions, a client's error is no error of the server: after a 4xx or, here, NOT_FOUND, the span of a request has none. */
function endSpan(span: Span, attributes: Attributes, errorType: string | undefined): void {
  span.setAttributes({ ...attributes, 'error.type': errorType });
  if (errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
