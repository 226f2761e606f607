/** The five mutations as writes: the calls that each makes, and what is read if its outcome is unknown. */
import type {
  DeletedNotification,
  ExceptionParameters,
  NotificationRequest,
  TrackingParameters,
  WrittenNotification,
} from './contract.js';
import type { NotificationChanges } from './notificationChanges.js';
import { Creation, Deletion, Update, type NotificationWriteOptions } from './notificationWrites.js';
import type { SendOnce } from './idempotency/idempotency.js';
import { sendWithReadBack } from './readBack.js';
import type { Write, WriteRequest } from './write.js';

export interface WritesOptions extends NotificationWriteOptions {
  /** Sends a write with an idempotency key. */
  sendOnce: SendOnce;
}

export function createWrites(options: WritesOptions) {
  const { service, sendOnce } = options;
  const send = <Result>(write: Write<Result>, request: WriteRequest): Promise<Result> =>
    request.idempotency === undefined || request.client.isDryRun
      ? sendWithReadBack(write, request)
      : sendOnce(write, request, request.idempotency);
  return {
    createNotification: (body: NotificationRequest, request: WriteRequest): Promise<WrittenNotification> =>
      send(new Creation(options, body, request.client), request),

    updateNotification: (
      notificationGuid: string,
      changes: NotificationChanges,
      request: WriteRequest,
      ifLastUpdateDate?: string | null,
    ): Promise<WrittenNotification> =>
      send(new Update(options, { notificationGuid, changes, ifLastUpdateDate }, request.client), request),

    deleteNotification: (
      notificationGuid: string,
      request: WriteRequest,
      ifLastUpdateDate?: string | null,
    ): Promise<DeletedNotification> =>
      send(new Deletion(options, { notificationGuid, ifLastUpdateDate }, request.client), request),

    trackShipment: (parameters: TrackingParameters, request: WriteRequest): Promise<TrackingParameters> =>
      send(
        {
          isIdempotent: false,
          send: () => service.trackShipment(parameters, request.client).then(() => parameters),
          replay: () => Promise.resolve(parameters),
        },
        request,
      ),

    deleteException: (parameters: ExceptionParameters, request: WriteRequest): Promise<ExceptionParameters> =>
      send(
        {
          isIdempotent: true,
          send: () => service.deleteException(parameters, request.client).then(() => parameters),
          replay: () => Promise.resolve(parameters),
        },
        request,
      ),
  };
}
