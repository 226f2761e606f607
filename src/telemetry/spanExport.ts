/** Exports spans to the collector. A collector that fails is reported once, and delays no request. */
import { format } from 'node:util';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { TraceExportObserver } from './events.js';

export interface ObservedExporter extends SpanExporter {
  /** Reports a failure that the exporter does not know of. */
  fail(reason: string): void;
}

/** Reports the failures of an exporter. The SDK sees none of them: it would report each again. */
export function observeExporter(exporter: SpanExporter, observer: TraceExportObserver): ObservedExporter {
  let isAvailable = true;
  const fail = (reason: string) => {
    observer.onTraceExportFailed();
    if (isAvailable) observer.onTraceCollectorChange({ state: 'unavailable', reason });
    isAvailable = false;
  };
  return {
    export(spans, onEnd) {
      exporter.export(spans, ({ code, error }) => {
        if (code === ExportResultCode.FAILED) fail(reasonOf(error));
        else if (!isAvailable) {
          isAvailable = true;
          observer.onTraceCollectorChange({ state: 'available' });
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
export function logSdkMessages(log: Logger): void {
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
