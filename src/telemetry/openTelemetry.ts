/**
 * Exports a span for every request and every REST attempt to an OpenTelemetry collector. A collector that fails is reported
 * once, and delays no request.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { format } from 'node:util';
import {
  defaultTextMapGetter,
  diag,
  DiagLogLevel,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  type Span,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import { readVersion } from '../version.js';
import { endRequestSpan, endRestCallSpan, requestSpan, restCallSpan } from './spanAttributes.js';
import { createResource, SERVICE_NAME, type ResourceOptions } from './traceResource.js';
import type { TraceIds, Tracing } from './tracing.js';

export interface CollectorOptions extends ResourceOptions {
  /** Base URL of the collector (OTLP over HTTP). */
  endpoint: URL;
  /** Additional headers of each export; they may be secret. */
  headers: Record<string, string>;
  /** Timeout of an export, in milliseconds. */
  timeoutMs: number;
  sampler: keyof typeof samplers;
  /** Share of the traces that a sampler with `traceidratio` in its name exports. */
  samplerRatio: number;
}

export interface OpenTelemetryOptions extends CollectorOptions {
  observer: TraceExportObserver;
  log: Logger;
}

export interface TraceExportObserver {
  /** Spans could not be exported. */
  onTraceExportFailed(event: { reason: string }): void;
  /** Exports begin to fail. */
  onTraceCollectorUnavailable(event: { reason: string }): void;
  /** Exports succeed again. */
  onTraceCollectorAvailable(event: object): void;
}

/** How long a stop waits for the last spans to be exported, in milliseconds. */
const MAX_STOP_MS = 1000;

/** By the values of OTEL_TRACES_SAMPLER. The default options of ParentBasedSampler follow the client's decision. */
const samplers = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
} satisfies Record<string, (ratio: number) => Sampler>;

export function createOpenTelemetry(options: OpenTelemetryOptions): Tracing {
  const { observer, log, endpoint, headers, timeoutMs, sampler, samplerRatio } = options;
  logSdkMessages(log);
  const url = `${endpoint.href.replace(/\/$/, '')}/v1/traces`;
  const exporter = observeExporter(
    new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs }),
    observer,
  );
  const version = readVersion();
  const provider = new BasicTracerProvider({
    resource: createResource(options, version),
    sampler: samplers[sampler](samplerRatio),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(SERVICE_NAME, version);
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
      return {
        traceparent: headersOf(span)['traceparent'],
        ids: traceIdsOf(span),
        start(call) {
          const { name, attributes } = restCallSpan(call, requestId);
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
      const isTooLate = await Promise.race([
        provider.shutdown().then(() => false),
        sleep(MAX_STOP_MS, true, { ref: false }),
      ]);
      if (isTooLate) exporter.fail(`The last export took longer than ${MAX_STOP_MS} ms`);
    },
  };
}

function traceIdsOf(span: Span): TraceIds {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { trace_id: traceId, span_id: spanId, trace_flags: traceFlags.toString(16).padStart(2, '0') };
}

interface ObservedExporter extends SpanExporter {
  /** Reports a failure that the exporter does not know of. */
  fail(reason: string): void;
}

/** Reports the failures of an exporter. The SDK sees none of them: it would report each again. */
function observeExporter(exporter: SpanExporter, observer: TraceExportObserver): ObservedExporter {
  let isAvailable = true;
  const fail = (reason: string) => {
    observer.onTraceExportFailed({ reason });
    if (isAvailable) observer.onTraceCollectorUnavailable({ reason });
    isAvailable = false;
  };
  return {
    export(spans, onEnd) {
      exporter.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.FAILED) fail(reasonOf(error));
        else if (!isAvailable) {
          isAvailable = true;
          observer.onTraceCollectorAvailable({});
        }
        onEnd({ code: ExportResultCode.SUCCESS });
      });
    },
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
  const repeatAt = new Map<string, number>();
  const write = (level: 'debug' | 'warn', message: string, details: unknown[]) => {
    const reason = format(message, ...details).slice(0, MAX_MESSAGE_LENGTH);
    log[level]({ reason }, 'Message of the OpenTelemetry SDK');
  };
  const warn = (message: string, ...details: unknown[]) => {
    const kind = message.replaceAll(/[\da-f]{16,}|\d+/g, '0'); // IDs of traces and spans, and numbers
    const isRepeated = performance.now() < (repeatAt.get(kind) ?? 0);
    if (!isRepeated) {
      if (repeatAt.size >= MAX_KINDS) repeatAt.clear();
      repeatAt.set(kind, performance.now() + REPEAT_MS);
    }
    write(isRepeated ? 'debug' : 'warn', message, details);
  };
  const info = (message: string, ...details: unknown[]) => {
    write('debug', message, details);
  };
  const noop = () => undefined;
  diag.setLogger(
    { error: warn, warn, info, debug: noop, verbose: noop },
    { logLevel: DiagLogLevel.INFO, suppressOverrideMessage: true },
  );
}
