/** The freight service as fields use it: calls of its operations, and writes whose effect is made certain. */
import { createRestCalls, type RestCallOptions, type RequestClient } from './restCall.js';
import { createIdempotency, type IdempotencyOptions } from './idempotency/idempotency.js';
import type { IdempotencyStore } from './idempotency/store.js';
import { originsOf } from './operations.js';
import { GatewayError } from '../gatewayError.js';
import {
  createWriteSender,
  type Applied,
  type Write,
  type WriteRequest,
  type WriteSenderOptions,
} from './write.js';
import { createNotificationReader } from './notificationReader.js';

export interface ServiceOptions
  extends RestCallOptions, Pick<WriteSenderOptions, 'readBackTimeoutMs' | 'timeoutMs'> {
  /** Without a store, every key is rejected, since ignoring one would promise too much. */
  idempotency: Pick<IdempotencyOptions, 'keysPerHour' | 'leaseMs' | 'retentionMs'> & {
    store: IdempotencyStore | undefined;
  };
}

export type Service = ReturnType<typeof createService>;

export function createService(options: ServiceOptions) {
  const { telemetry, idempotency } = options;
  const { store } = idempotency;
  const call = createRestCalls(options);
  const notifications = createNotificationReader(call);
  const sender = createWriteSender({ ...options, call, notifications });
  const origins = originsOf(options.settings);
  const keyed = store && createIdempotency({ ...idempotency, store, origins, telemetry, sender });
  return {
    listNotifications: notifications.list,
    readNotification: notifications.read,
    /** Sends a write, at most once if the request has an idempotency key. A dry run fails, too, if there is no store of keys. */
    async send<Result>(write: Write<Result>, request: WriteRequest): Promise<Applied<Result>> {
      const { client, field, key } = request;
      if (key === undefined || (client.isDryRun && keyed)) return sender.send(write, request);
      if (keyed) return keyed.sendOnce(write, request, key);
      telemetry.keyedMutationEnded({ ...client.ids, field, result: 'not_enabled' });
      throw new GatewayError('keysNotEnabled');
    },
    async findRecords(keys: readonly string[], client: RequestClient) {
      if (keyed) return keyed.findRecords(keys, client);
      throw new GatewayError('keysNotEnabled');
    },
    /** Resolves once the outcomes of all writes with idempotency keys are recorded. */
    settled: async () => keyed?.settled(),
  };
}
