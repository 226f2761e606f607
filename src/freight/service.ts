/** The freight service as fields use it: calls of its operations, and writes whose effect is made certain. */
import type { QueryParameters } from '../domain/parameters.js';
import { createRestCalls, type RestCallOptions, type RequestClient } from './restCall.js';
import { createIdempotency, type IdempotencyOptions } from './idempotency/idempotency.js';
import { originsOf } from './operations.js';
import {
  WriteSender,
  type Applied,
  type Write,
  type WriteRequest,
  type WriteSenderOptions,
} from './write.js';
import { createNotificationReader } from './notificationReader.js';

export interface ServiceOptions
  extends RestCallOptions, Pick<WriteSenderOptions, 'readBackTimeoutMs' | 'timeoutMs'> {
  idempotency: Pick<IdempotencyOptions, 'keysPerHour' | 'retentionMs' | 'store'>;
}

export type Service = ReturnType<typeof createService>;

export function createService(options: ServiceOptions) {
  const { telemetry } = options;
  const call = createRestCalls(options);
  const notifications = createNotificationReader({ ...options, call });
  const sender = new WriteSender({ ...options, call, notifications });
  const idempotentWrites = createIdempotency({
    ...options.idempotency,
    origins: originsOf(options.settings),
    telemetry,
    sender,
  });
  return {
    listNotifications: (parameters: QueryParameters, client: RequestClient) =>
      call(notifications.list, parameters, client),
    readNotification: notifications.read,
    /** Sends a write, at most once if the request has an idempotency key. A dry run fails, too, if there is no store of keys. */
    send: <Result>(write: Write<Result>, request: WriteRequest): Promise<Applied<Result>> =>
      request.key === undefined || (request.client.isDryRun && options.idempotency.store)
        ? sender.send(write, request)
        : idempotentWrites.sendOnce(write, request, request.key),
    findRecords: idempotentWrites.findRecords,
    /** Resolves once the outcomes of all writes with idempotency keys are recorded. */
    settled: () => idempotentWrites.settled(),
  };
}
