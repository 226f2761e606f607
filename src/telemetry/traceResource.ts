/** What identifies this process in traces. */
import { randomUUID } from 'node:crypto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';

export const SERVICE_NAME = 'shipment-graphql-gateway';

// Not stable yet: copied, as its package recommends.
const ATTR_PROCESS_PID = 'process.pid';

/**
 * OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence over the defaults. The instance ID is new in each process: with
 * the name, it must be unique.
 */
export function createResource(version: string): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        [ATTR_SERVICE_NAME]: SERVICE_NAME,
        [ATTR_SERVICE_VERSION]: version,
        [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
        [ATTR_PROCESS_PID]: process.pid,
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));
}
