/** What identifies this process in traces. */
import { randomUUID } from 'node:crypto';
import { defaultResource, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions';

export const SERVICE_NAME = 'shipment-graphql-gateway';

// Not stable yet: copied, as its package recommends.
const ATTR_PROCESS_PID = 'process.pid';

export interface ResourceOptions {
  /** Takes precedence over `service.name` of the attributes. */
  serviceName: string | undefined;
  /** Take precedence over the defaults. */
  resourceAttributes: Readonly<Record<string, string>>;
}

/** The instance ID is new in each process: with the name, it must be unique. */
export function createResource(
  { serviceName, resourceAttributes }: ResourceOptions,
  version: string,
): Resource {
  return defaultResource()
    .merge(
      resourceFromAttributes({
        [ATTR_SERVICE_NAME]: SERVICE_NAME,
        [ATTR_SERVICE_VERSION]: version,
        [ATTR_SERVICE_INSTANCE_ID]: randomUUID(),
        [ATTR_PROCESS_PID]: process.pid,
      }),
    )
    .merge(resourceFromAttributes(resourceAttributes))
    .merge(resourceFromAttributes(serviceName === undefined ? {} : { [ATTR_SERVICE_NAME]: serviceName }));
}
