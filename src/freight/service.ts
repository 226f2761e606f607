/** The freight service as fields use it: calls of its operations, and writes whose effect is made certain. */
import { createEndpoint, type EndpointOptions, type MakeRead } from './endpoint.js';
import { createIdempotency, type IdempotencyOptions } from './idempotency/idempotency.js';
import { originsOf } from './operations.js';
import {
  createWriteSender,
  type Applied,
  type ReadBackObserver,
  type Write,
  type WriteRequest,
  type WriteSenderOptions,
} from './write.js';
import { createNotificationReader } from './notificationReader.js';

export interface ServiceOptions
  extends EndpointOptions, Pick<WriteSenderOptions, 'readBackTimeoutMs' | 'timeoutMs'> {
  idempotency: Pick<IdempotencyOptions, 'keysPerHour' | 'retentionMs' | 'store'>;
  observer: IdempotencyOptions['observer'] & ReadBackObserver;
}

export type Service = ReturnType<typeof createService>;

export function createService(options: ServiceOptions) {
  const { observer } = options;
  const call = createEndpoint(options);
  const notifications = createNotificationReader(call);
  const sender = createWriteSender({ ...options, call, notifications });
  const idempotentWrites = createIdempotency({
    ...options.idempotency,
    origins: originsOf(options.settings),
    observer,
    sender,
  });
  const read: MakeRead = call;
  return {
    read,
    readNotification: notifications.read,
    /** Sends a write, at most once if the request has an idempotency key. */
    send: <Result>(write: Write<Result>, request: WriteRequest): Promise<Applied<Result>> =>
      request.idempotency === undefined || request.client.isDryRun
        ? sender.send(write, request)
        : idempotentWrites.sendOnce(write, request, request.idempotency),
    findRecords: idempotentWrites.findRecords,
    /** Resolves once the outcomes of all writes with idempotency keys are recorded. */
    settled: () => idempotentWrites.settled(),
  };
}
