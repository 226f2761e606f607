/** Exports a span for every request and every REST attempt to an OpenTelemetry collector. */
import {
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { TraceIds, Tracing } from './tracing.js';

export interface OpenTelemetryOptions {
  /** Base URL of the collector (OTLP over HTTP). */
  endpoint: URL;
  serviceName: string;
  onExportFailed: () => void;
}

/**
 * Attributes follow OpenTelemetry's semantic conventions for HTTP and GraphQL. Method and operation name are the only
 * ones taken from the request, so no token, argument or raw path reaches the collector.
 */
export function createOpenTelemetry({
  endpoint,
  serviceName,
  onExportFailed,
}: OpenTelemetryOptions): Tracing {
  const url = `${endpoint.href.replace(/\/$/, '')}/v1/traces`;
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }),
    spanProcessors: [new BatchSpanProcessor(reportFailures(new OTLPTraceExporter({ url }), onExportFailed))],
  });
  const tracer = provider.getTracer('shipment-graphql-gateway');
  const propagator = new W3CTraceContextPropagator();

  return {
    start({ method, route: routeOf, headers }) {
      const route = routeOf();
      const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const span = tracer.startSpan(
        route === undefined ? method : `${method} ${route}`,
        {
          kind: SpanKind.SERVER,
          attributes: { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) },
        },
        parent,
      );
      const context = trace.setSpan(parent, span);
      return {
        traceparent: headersOf(span)['traceparent'],
        ids: traceIdsOf(span),
        start({ method, route, attempt, isReadBack }) {
          const call = tracer.startSpan(
            `${method} ${route}`,
            {
              kind: SpanKind.CLIENT,
              attributes: {
                'http.request.method': method,
                'url.template': route,
                ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
                ...(isReadBack && { 'gateway.read_back': true }),
              },
            },
            context,
          );
          return {
            headers: headersOf(call),
            end({ status, error }) {
              finish(call, status, error);
            },
          };
        },
        end({ status, operationType, operationName, errorCodes }) {
          span.setAttributes({
            ...(operationType !== undefined && { 'graphql.operation.type': operationType }),
            ...(operationName !== undefined && { 'graphql.operation.name': operationName }),
          });
          finish(span, status, errorCodes[0]);
        },
      };
    },
    stop: () => provider.shutdown(),
  };

  function headersOf(span: Span): Record<string, string> {
    const headers: Record<string, string> = {};
    propagator.inject(trace.setSpan(ROOT_CONTEXT, span), headers, {
      set(carrier: Record<string, string>, key, value) {
        carrier[key] = value;
      },
    });
    return headers;
  }
}

function traceIdsOf(span: Span): TraceIds {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { trace_id: traceId, span_id: spanId, trace_flags: traceFlags.toString(16).padStart(2, '0') };
}

function reportFailures(exporter: SpanExporter, onFailed: () => void): SpanExporter {
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) onFailed();
        onResult(result);
      });
    },
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

function finish(span: Span, status: number | undefined, error: string | undefined): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (error !== undefined) {
    span.setAttribute('error.type', error);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
