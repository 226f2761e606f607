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
  type Resource,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import * as semconv from '@opentelemetry/semantic-conventions';
import type { Logger } from 'pino';
import { basePathOf } from '../freight/operations.js';
import type { Attempt } from '../transport/calls.js';
import { createAgent } from '../transport/connector.js';
import type { ProxySettings } from '../transport/proxy.js';
import { readVersion, SERVICE_NAME } from '../version.js';
import type { Telemetry } from './events.js';
import { createInterval } from './log.js';
import { knownMethods, serverOf } from './labels.js';
import {
  attemptErrorType,
  requestErrorType,
  type AttemptEnd,
  type RequestSummary,
} from './requestSummary.js';
import { propagateOnly, type RequestDescription, type Tracing } from './requestTelemetry.js';

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
 * Identifies this process in traces. OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence over the defaults. The
 * instance ID is new in each process: with the name, it must be unique.
 */
function createResource(version: string): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes(
        {
          [semconv.ATTR_SERVICE_NAME]: SERVICE_NAME,
          [semconv.ATTR_SERVICE_VERSION]: version,
          [semconv.ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
          'process.pid': process.pid,
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

// Attributes of spans follow OpenTelemetry's semantic conventions for HTTP and GraphQL. Arguments, identifiers, tokens and documents are
// left out or replaced, as the conventions ask for: they could be secrets or personal data.

// Attributes that are not stable yet, or the gateway's own, have their names here: the package of the former recommends copies, because it
// may change them in any minor version.

/** The request's ID, which log lines and errors have, too. */
const ATTR_REQUEST_ID = 'gateway.request_id';

/** Replaces potentially sensitive values; the conventions use this word for queries. */
const REDACTED = 'REDACTED';

/** The span of a client's request. */
function requestSpan(
  method: string,
  requestId: string,
  request: RequestDescription,
): { name: string; attributes: Attributes } {
  const { route } = request;
  const isKnown = knownMethods.has(method);
  const shownMethod = isKnown ? method : 'HTTP';
  return {
    name: route === undefined ? shownMethod : `${shownMethod} ${route}`,
    attributes: {
      [semconv.ATTR_HTTP_REQUEST_METHOD]: isKnown ? method : semconv.HTTP_REQUEST_METHOD_VALUE_OTHER,
      [semconv.ATTR_HTTP_REQUEST_METHOD_ORIGINAL]: isKnown ? undefined : method,
      [semconv.ATTR_HTTP_ROUTE]: route,
      // Routes have no parameters. Any other path may be anything, such as a token in the wrong place.
      [semconv.ATTR_URL_PATH]: route?.startsWith('/') ? route : `/${REDACTED}`,
      [semconv.ATTR_URL_QUERY]: request.hasQuery ? REDACTED : undefined,
      ...request.attributes,
      [ATTR_REQUEST_ID]: requestId,
    },
  };
}

/**
 * Ends the span of a client's request. By the conventions, a client's error is not an error of the server: with a 4xx
 * status, or here with errors such as NOT_FOUND, the span has no error.
 */
function endRequestSpan(span: Span, summary: RequestSummary): void {
  const { status, operationType, operationName, errorCodes, outcome, items, client } = summary;
  span.setAttributes({
    'graphql.operation.type': operationType,
    'graphql.operation.name': operationName,
    [semconv.ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    // Errors of the client included.
    'gateway.error_codes': errorCodes.length > 0 ? [...new Set(errorCodes)] : undefined,
    'gateway.items': items?.total, // of bulk fields
    'gateway.failed_items': items?.failed,
    'gateway.outcome': items && outcome,
    'gateway.client': client, // known by its credential
  });
  endSpan(span, requestErrorType(summary));
}

/** The span of one attempt of a REST call. */
function restCallSpan(
  { call, number, isReadBack }: Attempt,
  requestId: string,
): { name: string; attributes: Attributes } {
  const { method, route, baseUrl } = call;
  const { address, port } = serverOf(baseUrl);
  const path = `${basePathOf(baseUrl)}${route.replace(/\?.*/, '').replaceAll(/\{\w+\}/g, REDACTED)}`;
  return {
    name: `${method} ${route}`,
    attributes: {
      [semconv.ATTR_HTTP_REQUEST_METHOD]: method,
      [semconv.ATTR_HTTP_REQUEST_RESEND_COUNT]: number > 1 ? number - 1 : undefined,
      [semconv.ATTR_SERVER_ADDRESS]: address,
      [semconv.ATTR_SERVER_PORT]: port,
      [semconv.ATTR_URL_FULL]: `${baseUrl.origin}${path}${call.path.includes('?') ? `?${REDACTED}` : ''}`,
      'url.template': route,
      [semconv.ATTR_NETWORK_PROTOCOL_VERSION]: '1.1',
      [ATTR_REQUEST_ID]: requestId,
      'gateway.read_back': isReadBack,
    },
  };
}

/** Ends the span of an attempt; a cancellation is not an error. */
function endRestCallSpan(span: Span, end: AttemptEnd): void {
  if (end.status !== undefined) span.setAttribute(semconv.ATTR_HTTP_RESPONSE_STATUS_CODE, end.status);
  endSpan(span, end.error === 'CancelledError' ? undefined : attemptErrorType(end));
}

function endSpan(span: Span, errorType: string | undefined): void {
  if (errorType !== undefined) {
    span.setAttribute(semconv.ATTR_ERROR_TYPE, errorType);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
