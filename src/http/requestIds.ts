import type { RequestIds } from '../service/transport/clientIdentity.js';
import type { RequestTelemetry } from '../telemetry/requestTelemetry.js';

/** What names a request in log lines; health checks have no telemetry. */
export function idsOf({
  id,
  telemetry,
}: {
  id: string;
  telemetry: RequestTelemetry | undefined;
}): RequestIds {
  return telemetry?.ids ?? { requestId: id };
}
