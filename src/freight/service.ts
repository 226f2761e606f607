/** The freight service as resolvers and loaders use it: its reads, and writes whose unknown outcome is looked into. */
import { createServiceClient } from './client.js';
import type { EndpointOptions } from './endpoint.js';
import { createIdempotency, type IdempotencyOptions } from './idempotency/idempotency.js';
import { createReadBack, type ReadBackObserver } from './readBack.js';
import { createWrites } from './writes.js';

export interface ServiceOptions extends EndpointOptions {
  /** Timeout in milliseconds of a write together with the reads before and after it. */
  timeoutMs: number;
  /** Timeout in milliseconds of the read after a write of unknown outcome, which comes on top; 0 for no such read. */
  readBackTimeoutMs: number;
  idempotency: IdempotencyOptions;
  readBackObserver: ReadBackObserver;
}

export type Service = ReturnType<typeof createService>;

export function createService(options: ServiceOptions) {
  const service = createServiceClient(options);
  const readBack = createReadBack({
    service,
    timeoutMs: options.readBackTimeoutMs,
    observer: options.readBackObserver,
  });
  const idempotentWrites = createIdempotency(options.idempotency);
  return {
    /** Resolves once the outcomes of all writes with idempotency keys are recorded. */
    settled: () => idempotentWrites.settled(),
    readNotification: service.readNotification,
    listNotifications: service.listNotifications,
    ...createWrites({
      service,
      readBack,
      timeoutMs: options.timeoutMs,
      sendOnce: idempotentWrites.sendOnce,
    }),
  };
}
