import type { Telemetry } from '../../../src/telemetry/events.js';

/** A telemetry object for code that is tested alone: each event is added to the list, with its name. @default all are ignored */
export function recordTelemetry(recorded: unknown[] = []): Telemetry {
  return new Proxy({} as Telemetry, {
    get: (_target, name) => (event: object) => void recorded.push({ name, ...event }),
  });
}
